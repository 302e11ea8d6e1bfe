// SPDX-License-Identifier: Apache-2.0

#ifndef VP8L_PREMULTIPLIED_H
#define VP8L_PREMULTIPLIED_H

#include <stdint.h>

// Of the host's rows, which begin anywhere.
typedef uint32_t __attribute__((aligned(1), may_alias)) stored_pixel;

// Each color times alpha, divided by 255 as libwebp does it.
static inline uint32_t premultiplied(uint32_t pixel) {
  const uint32_t scale = (pixel >> 24) * 32897u;
  const uint32_t first = (pixel & 0xff) * scale >> 23, second = (pixel >> 8 & 0xff) * scale >> 23;
  return (pixel & 0xff000000) | ((pixel >> 16 & 0xff) * scale >> 23) << 16 | second << 8 | first;
}

#endif
