// SPDX-License-Identifier: Apache-2.0
//
// Four or five pixels at a time, where the processor exchanges any bytes of a register at once: all of AArch64, and x86 with
// SSSE3, which is looked for at run time. Else one by one.

#include "CPixelBytes.h"

#include <string.h>

#include "CProcessor.h"

typedef uint8_t bytes16 __attribute__((vector_size(16)));

#define INLINE static inline __attribute__((always_inline))

INLINE bytes16 load(const uint8_t *bytes) {
  bytes16 vector;
  memcpy(&vector, bytes, sizeof vector);
  return vector;
}

INLINE void store(uint8_t *bytes, bytes16 vector) { memcpy(bytes, &vector, sizeof vector); }

INLINE void pixel(const uint8_t *from, uint8_t *to, int swaps) {
  const uint8_t first = from[0], third = from[2];
  to[0] = swaps ? third : first;
  to[1] = from[1];
  to[2] = swaps ? first : third;
}

// A register is 16 bytes and holds more than the pixels that are meant: six pixels have to be left.
enum { REACH = 6 };

INLINE void widen(const uint8_t *from, uint8_t *to, size_t count, int swaps, int shuffles) {
  size_t i = 0;
  const bytes16 opaque = {0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255};
  for (; shuffles && count - i >= REACH; i += 4) {
    const bytes16 four = load(from + 3 * i);
    store(to + 4 * i, opaque | (swaps ? __builtin_shufflevector(four, opaque, 2, 1, 0, 16, 5, 4, 3, 16, 8, 7, 6, 16, 11, 10, 9, 16)
                                      : __builtin_shufflevector(four, opaque, 0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8, 16, 9, 10, 11, 16)));
  }
  for (; i < count; i++) {
    pixel(from + 3 * i, to + 4 * i, swaps);
    to[4 * i + 3] = 255;
  }
}

INLINE void narrow(const uint8_t *from, uint8_t *to, size_t count, int swaps, int shuffles) {
  size_t i = 0;
  for (; shuffles && count - i >= REACH; i += 4) {
    const bytes16 four = load(from + 4 * i);
    store(to + 3 * i, swaps ? __builtin_shufflevector(four, four, 2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 0, 0, 0, 0)
                            : __builtin_shufflevector(four, four, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0));
  }
  for (; i < count; i++) pixel(from + 4 * i, to + 3 * i, swaps);
}

INLINE void swap3(const uint8_t *from, uint8_t *to, size_t count, int shuffles) {
  size_t i = 0;
  for (; shuffles && count - i >= REACH; i += 5) {
    const bytes16 five = load(from + 3 * i);
    store(to + 3 * i, __builtin_shufflevector(five, five, 2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 14, 13, 12, 0));
  }
  for (; i < count; i++) pixel(from + 3 * i, to + 3 * i, 1);
}

#if defined(__x86_64__)

#define SSSE3 static __attribute__((target("ssse3")))

SSSE3 void widen_ssse3(const uint8_t *from, uint8_t *to, size_t count) { widen(from, to, count, 0, 1); }
SSSE3 void widen_swapping_ssse3(const uint8_t *from, uint8_t *to, size_t count) { widen(from, to, count, 1, 1); }
SSSE3 void narrow_ssse3(const uint8_t *from, uint8_t *to, size_t count) { narrow(from, to, count, 0, 1); }
SSSE3 void narrow_swapping_ssse3(const uint8_t *from, uint8_t *to, size_t count) { narrow(from, to, count, 1, 1); }
SSSE3 void swap3_ssse3(const uint8_t *from, uint8_t *to, size_t count) { swap3(from, to, count, 1); }

void pixel_bytes_widen(const uint8_t *from, uint8_t *to, size_t count, int swaps) {
  if (!processor_has_ssse3()) return widen(from, to, count, swaps, 0);
  swaps ? widen_swapping_ssse3(from, to, count) : widen_ssse3(from, to, count);
}

void pixel_bytes_narrow(const uint8_t *from, uint8_t *to, size_t count, int swaps) {
  if (!processor_has_ssse3()) return narrow(from, to, count, swaps, 0);
  swaps ? narrow_swapping_ssse3(from, to, count) : narrow_ssse3(from, to, count);
}

void pixel_bytes_swap3(const uint8_t *from, uint8_t *to, size_t count) {
  if (!processor_has_ssse3()) return swap3(from, to, count, 0);
  swap3_ssse3(from, to, count);
}

#else

void pixel_bytes_widen(const uint8_t *from, uint8_t *to, size_t count, int swaps) {
  swaps ? widen(from, to, count, 1, 1) : widen(from, to, count, 0, 1);
}

void pixel_bytes_narrow(const uint8_t *from, uint8_t *to, size_t count, int swaps) {
  swaps ? narrow(from, to, count, 1, 1) : narrow(from, to, count, 0, 1);
}

void pixel_bytes_swap3(const uint8_t *from, uint8_t *to, size_t count) { swap3(from, to, count, 1); }

#endif
