// SPDX-License-Identifier: Apache-2.0

#include "processor.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <stdatomic.h>

int processor_has_bmi2(void) {
  // Asking the processor takes microseconds in a virtual machine.
  static _Atomic int answer = 0;
  int known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (known == 0) {
    unsigned a, b, c, d;
    known = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_BMI2) ? 1 : -1;
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known > 0;
}

#endif
