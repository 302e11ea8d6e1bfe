// SPDX-License-Identifier: Apache-2.0

#include "vectors.h"
#include "transforms.h"

// RFC 9649 §3.5.2: a product of two bytes with signs, shifted.
static inline uint32_t delta(uint32_t multiplier, uint32_t channel) {
  return (uint32_t)(((int32_t)(int8_t)multiplier * (int8_t)channel) >> 5);
}

// Pixels of a tile, whose multipliers are, from the lowest byte on: green to red, green to blue, red to blue.
static void undo_color(uint32_t multipliers, const uint32_t *row, uint32_t count, uint32_t *out) {
  uint32_t x = 0;
#if defined(VECTORS) && !defined(VP8L_PLAIN)
  // Bytes with signs in the upper halves of 16 bits, and multipliers 8 times as large: the upper half of a product is shifted by 5.
  const short green_to_red = (short)((int8_t)multipliers * 8), green_to_blue = (short)((int8_t)(multipliers >> 8) * 8);
  const short red_to_blue = (short)((int8_t)(multipliers >> 16) * 8);
  const __m128i of_green = _mm_set_epi16(
      green_to_red, green_to_blue, green_to_red, green_to_blue, green_to_red, green_to_blue, green_to_red, green_to_blue);
  const __m128i of_red = _mm_set_epi16(red_to_blue, 0, red_to_blue, 0, red_to_blue, 0, red_to_blue, 0);
  const __m128i green_mask = _mm_set1_epi32((int)0xff00ff00), low_bytes = _mm_set1_epi16(0xff);
  for (; x + 4 <= count; x += 4) {
    const __m128i pixels = _mm_loadu_si128((const __m128i *)(row + x));
    const __m128i kept = _mm_and_si128(pixels, green_mask);
    // Green above each of red and blue.
    const __m128i green = _mm_shufflehi_epi16(_mm_shufflelo_epi16(kept, 0xa0), 0xa0);
    const __m128i once = _mm_add_epi8(pixels, _mm_and_si128(_mm_mulhi_epi16(green, of_green), low_bytes));
    const __m128i red = _mm_slli_epi16(once, 8);
    const __m128i more = _mm_srli_epi32(_mm_mulhi_epi16(red, of_red), 16);
    const __m128i twice = _mm_add_epi8(once, _mm_and_si128(more, low_bytes));
    _mm_storeu_si128((__m128i *)(out + x), _mm_or_si128(_mm_and_si128(twice, low_bytes), kept));
  }
#endif
  for (; x < count; x++) {
    const uint32_t pixel = row[x], green = pixel >> 8;
    const uint32_t red = (pixel >> 16) + delta(multipliers, green);
    const uint32_t blue = pixel + delta(multipliers >> 8, green) + delta(multipliers >> 16, red);
    out[x] = (pixel & 0xff00ff00) | (red & 0xff) << 16 | (blue & 0xff);
  }
}

void vp8l_undo_cross_color(const transform *transform, uint32_t y, const uint32_t *row, uint32_t *out) {
  const uint32_t *tiles = transform->data + (size_t)(y >> transform->bits) * transform->tiles_in_row;
  const uint32_t side = 1u << transform->bits;
  for (uint32_t x = 0; x < transform->width; x += side) {
    const uint32_t left = transform->width - x;
    undo_color(tiles[x >> transform->bits], row + x, left < side ? left : side, out + x);
  }
}

void vp8l_undo_subtract_green(const uint32_t *row, uint32_t width, uint32_t *out) {
  for (uint32_t x = 0; x < width; x++) {
    const uint32_t green = row[x] >> 8 & 0xff;
    out[x] = (row[x] & 0xff00ff00) | (((row[x] & 0x00ff00ff) + (green << 16 | green)) & 0x00ff00ff);
  }
}

// `index_bits` is a constant of the caller.
static inline __attribute__((always_inline)) void colors_of(
    uint32_t index_bits, const uint32_t *colors, const uint32_t *row, uint32_t width, uint32_t *out) {
  const uint32_t in_pixel = 8 / index_bits, mask = (1u << index_bits) - 1;
  uint32_t x = 0;
  for (; width - x >= in_pixel; x += in_pixel, row++) {
    const uint32_t indexes = *row >> 8;
    for (uint32_t place = 0; place < in_pixel; place++) out[x + place] = colors[indexes >> place * index_bits & mask];
  }
  for (uint32_t indexes = x < width ? *row >> 8 : 0; x < width; x++, indexes >>= index_bits) out[x] = colors[indexes & mask];
}

void vp8l_undo_color_indexing(const transform *transform, const uint32_t *row, uint32_t *out) {
  const uint32_t *colors = transform->data, width = transform->width;
  switch (transform->bits) {
    case 0: colors_of(8, colors, row, width, out); break;
    case 1: colors_of(4, colors, row, width, out); break;
    case 2: colors_of(2, colors, row, width, out); break;
    default: colors_of(1, colors, row, width, out); break;
  }
}
