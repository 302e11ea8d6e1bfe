/* SPDX-License-Identifier: Apache-2.0
 *
 * Bitmaps of 24 and 32 bits that are not compressed: no library, a loop over each row, with SSSE3 where it is. */
#include "floor.h"

#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <tmmintrin.h>
#endif

static uint32_t number(const uint8_t *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Where rows are. */
struct bitmap {
  const uint8_t *pixels;
  size_t width, height, stride, bytes;
  int bottom_up;
};

static int open_bitmap(struct input input, struct bitmap *bitmap) {
  if (input.size < 54 || number(input.bytes + 14) < 40) return 0;
  unsigned bits = input.bytes[28], compression = input.bytes[30];
  if ((bits != 24 && bits != 32) || compression != 0) return 0;
  int32_t height = (int32_t)number(input.bytes + 22);
  bitmap->bottom_up = height > 0;
  bitmap->height = (size_t)(height > 0 ? height : -(int64_t)height);
  bitmap->width = number(input.bytes + 18);
  bitmap->bytes = bits / 8;
  bitmap->stride = (bitmap->width * bitmap->bytes + 3) & ~(size_t)3;
  size_t offset = number(input.bytes + 10);
  bitmap->pixels = input.bytes + offset;
  return offset < input.size && bitmap->stride * bitmap->height <= input.size - offset;
}

static const uint8_t *row_of(const struct bitmap *bitmap, size_t y) {
  return bitmap->pixels + (bitmap->bottom_up ? bitmap->height - 1 - y : y) * bitmap->stride;
}

#if defined(__x86_64__)
__attribute__((target("ssse3"))) static size_t swizzle16(const uint8_t *in, uint8_t *out, size_t width) {
  const __m128i order = _mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1);
  const __m128i alpha = _mm_set1_epi32((int)0xFF000000);
  size_t x = 0;
  for (; x + 16 <= width; x += 16) {
    __m128i a = _mm_loadu_si128((const __m128i *)(in + 3 * x));
    __m128i b = _mm_loadu_si128((const __m128i *)(in + 3 * x + 16));
    __m128i c = _mm_loadu_si128((const __m128i *)(in + 3 * x + 32));
    __m128i *to = (__m128i *)(out + 4 * x);
    _mm_storeu_si128(to, _mm_or_si128(_mm_shuffle_epi8(a, order), alpha));
    _mm_storeu_si128(to + 1, _mm_or_si128(_mm_shuffle_epi8(_mm_alignr_epi8(b, a, 12), order), alpha));
    _mm_storeu_si128(to + 2, _mm_or_si128(_mm_shuffle_epi8(_mm_alignr_epi8(c, b, 8), order), alpha));
    _mm_storeu_si128(to + 3, _mm_or_si128(_mm_shuffle_epi8(_mm_srli_si128(c, 4), order), alpha));
  }
  return x;
}
#else
static size_t swizzle16(const uint8_t *in, uint8_t *out, size_t width) { return (void)in, (void)out, (void)width, 0; }
#endif

static void swizzle(const struct bitmap *bitmap, const uint8_t *in, uint8_t *out) {
  size_t x = bitmap->bytes == 3 ? swizzle16(in, out, bitmap->width) : 0;
  for (; x < bitmap->width; x++) {
    const uint8_t *p = in + bitmap->bytes * x;
    out[4 * x] = p[2], out[4 * x + 1] = p[1], out[4 * x + 2] = p[0], out[4 * x + 3] = 255;
  }
}

static int matches(struct input input) { return input.size > 2 && input.bytes[0] == 'B' && input.bytes[1] == 'M'; }

static int full(struct input input, struct picture *picture) {
  struct bitmap bitmap;
  if (!open_bitmap(input, &bitmap)) return 0;
  picture->width = bitmap.width;
  picture->height = bitmap.height;
  picture->pixels = malloc(bitmap.width * bitmap.height * 4);
  if (!picture->pixels) return 0;
  for (size_t y = 0; y < bitmap.height; y++) {
    swizzle(&bitmap, row_of(&bitmap, y), picture->pixels + y * bitmap.width * 4);
  }
  return 1;
}

static int thumbnail(struct input input, struct picture *picture) {
  struct bitmap bitmap;
  if (!open_bitmap(input, &bitmap)) return 0;
  uint8_t *row = malloc(bitmap.width * 4);
  if (!row) return 0;
  struct cells cells;
  cells_begin(&cells, bitmap.width, bitmap.height, THUMBNAIL);
  for (size_t y = 0; y < bitmap.height; y++) {
    swizzle(&bitmap, row_of(&bitmap, y), row);
    cells_add(&cells, row);
  }
  free(row);
  *picture = cells_end(&cells);
  return 1;
}

const struct floor_format bmp_floor = {.matches = matches, .full = full, .thumbnail = thumbnail, .all = NULL};
