// SPDX-License-Identifier: Apache-2.0

#include "CProcessor.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <stdatomic.h>

// A bit that is set in what is known, so that it is never 0.
#define KNOWN 1u
#define SSSE3 2u
#define SSE41 4u
#define BMI2 8u
#define AVX2 16u

static unsigned asked(void) {
  unsigned a, b, c, d, found = KNOWN;
  if (__get_cpuid(1, &a, &b, &c, &d)) found |= (c & bit_SSSE3 ? SSSE3 : 0) | (c & bit_SSE4_1 ? SSE41 : 0);
  // The system has to keep the upper halves of registers, too.
  const int keeps_wide = __builtin_cpu_supports("avx2");
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) found |= (b & bit_BMI2 ? BMI2 : 0) | (keeps_wide ? AVX2 : 0);
  return found;
}

static int has(unsigned feature) {
  static _Atomic unsigned known = 0;
  unsigned answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer == 0) atomic_store_explicit(&known, answer = asked(), memory_order_relaxed);
  return (answer & feature) != 0;
}

int processor_has_ssse3(void) { return has(SSSE3); }
int processor_has_sse41(void) { return has(SSE41); }
int processor_has_bmi2(void) { return has(BMI2); }
int processor_has_avx2(void) { return has(AVX2); }

#else

#include "vectors.h"

// With NEON there is all that the functions of vectors.h stand for.
#if defined(VECTORS)
#define HAS_VECTORS 1
#else
#define HAS_VECTORS 0
#endif

int processor_has_ssse3(void) { return HAS_VECTORS; }
int processor_has_sse41(void) { return HAS_VECTORS; }
int processor_has_bmi2(void) { return 0; }
int processor_has_avx2(void) { return 0; }

#endif
