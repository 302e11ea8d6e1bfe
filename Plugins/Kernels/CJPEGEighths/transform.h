// SPDX-License-Identifier: Apache-2.0
//
// T.81 A.3.3 for four samples of a block, or for one, in the whole numbers of libjpeg.

#ifndef EIGHTHS_TRANSFORM_H
#define EIGHTHS_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

#include "vectors.h"

// What is too large for 32 bits, no picture has.
static inline int32_t sum_of(int32_t one, int32_t other) { return (int32_t)((uint32_t)one + (uint32_t)other); }

static inline int32_t limited(int32_t value, int32_t least, int32_t most) { return value < least ? least : value > most ? most : value; }

// The sample of a block's DC coefficient, times its step. Of values that no picture has, libjpeg takes the lowest bits.
static inline uint8_t transform_to_one(int32_t value) {
  value = (int32_t)((uint32_t)((value + 4) >> 3) & 1023);
  return (uint8_t)(limited(value >= 512 ? value - 1024 : value, -128, 127) + 128);
}

// What the odd coefficients of a row or column weigh in the first of two samples, and against it in the second, times 8192. The
// even ones but the first make no difference.
#define FIRST 29692
#define THIRD (-10426)
#define FIFTH 6967
#define SEVENTH (-5906)

// Both samples of each column, with two more bits.
static inline void transform_columns(const int16_t block[64], const uint16_t steps[64], int32_t halves[2][8]) {
#ifdef VECTORS
  __m128i rows[8];
  for (int y = 0; y < 8; y += y == 0 ? 1 : 2)
    rows[y] = _mm_mullo_epi16(_mm_loadu_si128((const __m128i *)(block + 8 * y)), _mm_loadu_si128((const __m128i *)(steps + 8 * y)));
  const __m128i weights13 = _mm_set1_epi32((int32_t)((uint32_t)THIRD << 16 | FIRST));
  const __m128i weights57 = _mm_set1_epi32((int32_t)((uint32_t)SEVENTH << 16 | FIFTH));
  const __m128i half = _mm_set1_epi32(1 << 12);
  for (int upper = 0; upper < 2; upper++) {
#define PAIR(a, b) (upper ? _mm_unpackhi_epi16(a, b) : _mm_unpacklo_epi16(a, b))
    const __m128i odd = _mm_add_epi32(
        _mm_madd_epi16(PAIR(rows[1], rows[3]), weights13), _mm_madd_epi16(PAIR(rows[5], rows[7]), weights57));
    const __m128i even = _mm_add_epi32(_mm_srai_epi32(PAIR(_mm_setzero_si128(), rows[0]), 1), half);
#undef PAIR
    _mm_storeu_si128((__m128i *)(halves[0] + 4 * upper), _mm_srai_epi32(_mm_add_epi32(even, odd), 13));
    _mm_storeu_si128((__m128i *)(halves[1] + 4 * upper), _mm_srai_epi32(_mm_sub_epi32(even, odd), 13));
  }
#else
  for (int x = 0; x < 8; x += x == 0 ? 1 : 2) {
#define AT(y) ((int16_t)(block[8 * (y) + x] * steps[8 * (y) + x]))
    const int32_t odd = FIRST * AT(1) + THIRD * AT(3) + FIFTH * AT(5) + SEVENTH * AT(7);
    const int32_t even = AT(0) * (1 << 15) + (1 << 12);
#undef AT
    halves[0][x] = sum_of(even, odd) >> 13;
    halves[1][x] = sum_of(even, -odd) >> 13;
  }
#endif
}

static inline void transform_to_four(const int16_t block[64], const uint16_t steps[64], uint8_t *to, size_t stride) {
  int32_t halves[2][8];
  transform_columns(block, steps, halves);
  for (int y = 0; y < 2; y++) {
    // What no picture has is limited to 16 bits, as libjpeg's vector instructions do it.
#define HALF(x) limited(halves[y][x], INT16_MIN, INT16_MAX)
    const int32_t odd = FIRST * HALF(1) + THIRD * HALF(3) + FIFTH * HALF(5) + SEVENTH * HALF(7);
    const int32_t even = HALF(0) * (1 << 15) + (1 << 19);
#undef HALF
    to[y * stride] = (uint8_t)(limited(sum_of(even, odd) >> 20, -128, 127) + 128);
    to[y * stride + 1] = (uint8_t)(limited(sum_of(even, -odd) >> 20, -128, 127) + 128);
  }
}

#endif
