// SPDX-License-Identifier: Apache-2.0
//
// The cosine transform of blocks, in floats. Lanes are added in the same order whatever the processor has, and no product is
// fused with a sum: all processors make the same file. Private to the shim.

#ifndef CJPEG_TRANSFORM_H
#define CJPEG_TRANSFORM_H

#include <string.h>

#include "planes.h"

#define TRANSFORM_INLINE static inline __attribute__((always_inline))

// All that takes vectors is inlined: it does not matter how they would be passed.
#pragma GCC diagnostic ignored "-Wpsabi"

typedef float lanes __attribute__((vector_size(32)));
typedef int32_t whole_lanes __attribute__((vector_size(32)));
typedef int16_t short_lanes __attribute__((vector_size(16)));

#define PAIRS(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

// Rows become columns.
TRANSFORM_INLINE void transform_turn(lanes m[8]) {
  lanes a[8], b[8];
  for (int i = 0; i < 4; i++) {
    a[2 * i] = PAIRS(m[2 * i], m[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[2 * i + 1] = PAIRS(m[2 * i], m[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) {
      b[4 * i + k] = PAIRS(a[4 * i + k], a[4 * i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[4 * i + k + 2] = PAIRS(a[4 * i + k], a[4 * i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int k = 0; k < 4; k++) {
    m[k] = PAIRS(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    m[k + 4] = PAIRS(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// The transform of each column, T.81 A.3.3, where cosines are those of multiples of a sixteenth of half a turn, halved.
TRANSFORM_INLINE void transform_columns(lanes m[8]) {
  const float c1 = 0.4903926402016152f, c2 = 0.4619397662556434f, c3 = 0.4157348061512726f, c4 = 0.3535533905932738f;
  const float c5 = 0.2777851165098011f, c6 = 0.1913417161825449f, c7 = 0.09754516100806412f;
  const lanes s0 = m[0] + m[7], s1 = m[1] + m[6], s2 = m[2] + m[5], s3 = m[3] + m[4];
  const lanes d0 = m[0] - m[7], d1 = m[1] - m[6], d2 = m[2] - m[5], d3 = m[3] - m[4];
  const lanes t0 = s0 + s3, t1 = s1 + s2, t2 = s0 - s3, t3 = s1 - s2;
  m[0] = (t0 + t1) * c4;
  m[4] = (t0 - t1) * c4;
  m[2] = t2 * c2 + t3 * c6;
  m[6] = t2 * c6 - t3 * c2;
  m[1] = (d0 * c1 + d1 * c3) + (d2 * c5 + d3 * c7);
  m[3] = (d0 * c3 - d1 * c7) - (d2 * c1 + d3 * c5);
  m[5] = (d0 * c5 - d1 * c1) + (d2 * c7 + d3 * c3);
  m[7] = (d0 * c7 - d1 * c5) + (d2 * c3 - d3 * c1);
}

// A block's coefficients, in sixteenths. Row u has the horizontal frequency u: a coefficient's place in natural order has
// rows and columns exchanged.
TRANSFORM_INLINE void transform_block(const plane *plane, uint32_t row, uint32_t column, lanes m[8]) {
  const uint64_t stride = (uint64_t)plane->columns * 8;
  const plane_sample *samples = plane->samples + (uint64_t)row * 8 * stride + (uint64_t)column * 8;
  for (int y = 0; y < 8; y++) {
    short_lanes shorts;
    memcpy(&shorts, samples + (uint64_t)y * stride, sizeof shorts);
    m[y] = __builtin_convertvector(shorts, lanes);
  }
  transform_columns(m);
  transform_turn(m);
  transform_columns(m);
}

#endif
