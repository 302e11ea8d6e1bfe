// SPDX-License-Identifier: Apache-2.0

#include "CProcessing.h"
#include "wide.h"

enum { BITS = 14, HALF = 1 << (BITS - 1) };

INLINE uint8_t level(int32_t sum) {
  sum >>= BITS;
  return (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
}

INLINE void scale_bytes(const uint8_t *restrict from, uint8_t *restrict to, size_t count, int32_t scale) {
  for (size_t i = 0; i < count; i++) to[i] = level(from[i] * scale + HALF);
}

INLINE void mix(const uint8_t *restrict from, uint8_t *restrict to, size_t count, int32_t scale, const int32_t luma[3]) {
  const int32_t red_share = luma[0], green_share = luma[1], blue_share = luma[2];
  for (size_t i = 0; i < count; i++) {
    const int32_t red = from[3 * i], green = from[3 * i + 1], blue = from[3 * i + 2];
    const int32_t gray = red * red_share + green * green_share + blue * blue_share + HALF;
    to[3 * i] = level(red * scale + gray);
    to[3 * i + 1] = level(green * scale + gray);
    to[3 * i + 2] = level(blue * scale + gray);
  }
}

// x / 65535 to the nearest, for x up to 65535².
INLINE uint8_t whole(uint32_t x) {
  x += 32768;
  return (uint8_t)((x + (x >> 16)) >> 16);
}

INLINE void flatten4(const uint8_t *restrict from, uint8_t *restrict to, size_t count, const uint16_t *color, int is_multiplied) {
  const uint32_t red = color[0], green = color[1], blue = color[2];
  if (is_multiplied) {
    for (size_t i = 0; i < count; i++) {
      const uint32_t rest = 255u - from[4 * i + 3];
      to[3 * i] = whole(from[4 * i] * 65535u + rest * red);
      to[3 * i + 1] = whole(from[4 * i + 1] * 65535u + rest * green);
      to[3 * i + 2] = whole(from[4 * i + 2] * 65535u + rest * blue);
    }
    return;
  }
  for (size_t i = 0; i < count; i++) {
    const uint32_t alpha = from[4 * i + 3] * 257u, rest = 255u - from[4 * i + 3];
    to[3 * i] = whole(from[4 * i] * alpha + rest * red);
    to[3 * i + 1] = whole(from[4 * i + 1] * alpha + rest * green);
    to[3 * i + 2] = whole(from[4 * i + 2] * alpha + rest * blue);
  }
}

INLINE void flatten2(const uint8_t *restrict from, uint8_t *restrict to, size_t count, uint32_t gray, int is_multiplied) {
  for (size_t i = 0; i < count; i++) {
    const uint32_t alpha = from[2 * i + 1];
    to[i] = whole(from[2 * i] * (is_multiplied ? 65535u : alpha * 257u) + (255u - alpha) * gray);
  }
}

#define MAKE(suffix, attribute) \
  attribute static void scale_bytes_##suffix(const uint8_t *from, uint8_t *to, size_t n, int32_t scale) { scale_bytes(from, to, n, scale); } \
  attribute static void mix_##suffix(const uint8_t *from, uint8_t *to, size_t n, int32_t scale, const int32_t luma[3]) { mix(from, to, n, scale, luma); } \
  attribute static void flatten4_##suffix(const uint8_t *from, uint8_t *to, size_t n, const uint16_t *color, int multiplied) { flatten4(from, to, n, color, multiplied); } \
  attribute static void flatten2_##suffix(const uint8_t *from, uint8_t *to, size_t n, uint32_t gray, int multiplied) { flatten2(from, to, n, gray, multiplied); }

MAKE(narrow, )
#ifdef HAS_WIDE
MAKE(wide, WIDE)
#endif

void processing_mix3(const uint8_t *pixels, uint8_t *out, size_t count, int32_t scale, const int32_t luma[3]) {
  if (luma[0] == 0 && luma[1] == 0 && luma[2] == 0) {
    CHOSEN(scale_bytes, pixels, out, 3 * count, scale);
  } else {
    CHOSEN(mix, pixels, out, count, scale, luma);
  }
}

void processing_flatten(const uint8_t *pixels, uint8_t *out, size_t count, uint32_t channels, const uint16_t color[3],
                        int is_multiplied) {
  if (channels == 4) {
    CHOSEN(flatten4, pixels, out, count, color, is_multiplied);
  } else {
    CHOSEN(flatten2, pixels, out, count, color[0], is_multiplied);
  }
}
