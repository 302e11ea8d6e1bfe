// SPDX-License-Identifier: Apache-2.0

#ifndef CPNGROWS_PAETH_H
#define CPNGROWS_PAETH_H

#include <stdint.h>

// The predictor of filter Paeth (§9.4).
static inline uint8_t cpng_paeth(int left, int above, int corner) {
  const int by_left = above - corner, by_above = left - corner, by_corner = by_left + by_above;
  const int a = by_left < 0 ? -by_left : by_left, b = by_above < 0 ? -by_above : by_above;
  const int c = by_corner < 0 ? -by_corner : by_corner;
  return (uint8_t)(a <= b && a <= c ? left : b <= c ? above : corner);
}

#endif
