// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "CPNGRows.h"

enum { GRAY = 0, RGB = 2, PALETTE = 3, GRAY_ALPHA = 4, RGBA = 6 };

#define INLINE static inline __attribute__((always_inline))

static unsigned channels_of(unsigned color_type) {
  switch (color_type) {
    case RGB: return 3;
    case GRAY_ALPHA: return 2;
    case RGBA: return 4;
    default: return 1;
  }
}

unsigned cpng_stored_bits(const cpng_stored *stored) { return stored->bit_depth * channels_of(stored->color_type); }

INLINE unsigned load16(const uint8_t *bytes) { return (unsigned)bytes[0] << 8 | bytes[1]; }

// 16 bits as 8, rounded as libpng does it.
INLINE uint8_t scaled(unsigned value) { return (uint8_t)((value * 255u + 32895u) >> 16); }

INLINE void put8(uint8_t *pixel, unsigned channels, int is_bgr, uint8_t r, uint8_t g, uint8_t b, uint8_t a) {
  if (channels <= 2) {
    pixel[0] = r;
    if (channels == 2) pixel[1] = a;
    return;
  }
  pixel[0] = is_bgr ? b : r;
  pixel[1] = g;
  pixel[2] = is_bgr ? r : b;
  if (channels == 4) pixel[3] = a;
}

// Pixels of values; the last one alone, because those of three bytes are written as four.
INLINE void look_up(const uint32_t *pixels, unsigned value, uint8_t *pixel, unsigned size) {
  memcpy(pixel, &pixels[value], size);
}

INLINE void look_up_row(const cpng_expansion *expansion, const uint8_t *samples, uint8_t *out, size_t width,
                        unsigned depth, unsigned size) {
  const uint32_t *pixels = expansion->pixels;
  const unsigned mask = (1u << depth) - 1, in_byte = 8 / depth;
  const size_t whole = width - 1;
  for (size_t x = 0; x < whole; x++) {
    const unsigned value = samples[x / in_byte] >> (8 - depth - depth * (x % in_byte)) & mask;
    look_up(pixels, value, out + size * x, size == 3 ? 4 : size);
  }
  look_up(pixels, samples[whole / in_byte] >> (8 - depth - depth * (whole % in_byte)) & mask, out + size * whole, size);
}

INLINE void look_up_depth(const cpng_expansion *expansion, const uint8_t *samples, uint8_t *out, size_t width,
                          unsigned depth) {
  switch (expansion->pixel_bytes) {
    case 1: look_up_row(expansion, samples, out, width, depth, 1); break;
    case 2: look_up_row(expansion, samples, out, width, depth, 2); break;
    case 3: look_up_row(expansion, samples, out, width, depth, 3); break;
    default: look_up_row(expansion, samples, out, width, depth, 4); break;
  }
}

static void expand_values(const cpng_expansion *expansion, const uint8_t *samples, uint8_t *out, size_t width) {
  switch (expansion->bit_depth) {
    case 1: look_up_depth(expansion, samples, out, width, 1); break;
    case 2: look_up_depth(expansion, samples, out, width, 2); break;
    case 4: look_up_depth(expansion, samples, out, width, 4); break;
    default: look_up_depth(expansion, samples, out, width, 8); break;
  }
}

static void expand_gray_alpha(const cpng_expansion *expansion, const uint8_t *samples, uint8_t *out, size_t width) {
  for (size_t x = 0; x < width; x++) {
    const uint8_t gray = samples[2 * x];
    put8(out + 4 * x, 4, 0, gray, gray, gray, samples[2 * x + 1]);
  }
}

INLINE void expand_color_row(const cpng_expansion *expansion, const uint8_t *samples, uint8_t *out, size_t width,
                             unsigned in_channels, int is_bgr) {
  const uint8_t r = (uint8_t)expansion->key[0], g = (uint8_t)expansion->key[1], b = (uint8_t)expansion->key[2];
  for (size_t x = 0; x < width; x++) {
    const uint8_t *from = samples + in_channels * x;
    const int is_key = expansion->has_key && from[0] == r && from[1] == g && from[2] == b;
    put8(out + 4 * x, 4, is_bgr, from[0], from[1], from[2], in_channels == 4 ? from[3] : is_key ? 0 : 0xFF);
  }
}

static void expand_color(const cpng_expansion *expansion, const uint8_t *samples, uint8_t *out, size_t width) {
  if (expansion->channels == 4) expand_color_row(expansion, samples, out, width, 4, expansion->is_bgr);
  else expand_color_row(expansion, samples, out, width, 3, expansion->is_bgr);
}

// Pixels of 16-bit samples.
INLINE void expand_wide_row(const cpng_expansion *expansion, const uint8_t *samples, uint8_t *out, size_t width,
                            unsigned in_channels, unsigned out_channels, int is_deep) {
  const unsigned colors = in_channels < 3 ? 1 : 3;
  const int is_bgr = expansion->is_bgr, has_key = expansion->has_key;
  for (size_t x = 0; x < width; x++) {
    const uint8_t *from = samples + 2 * in_channels * x;
    unsigned color[3], alpha = 0xFFFF;
    for (unsigned i = 0; i < 3; i++) color[i] = load16(from + 2 * (i < colors ? i : 0));
    if (in_channels != colors) {
      alpha = load16(from + 2 * colors);
    } else if (has_key) {
      int is_key = 1;
      for (unsigned i = 0; i < colors; i++) is_key &= color[i] == expansion->key[i];
      if (is_key) alpha = 0;
    }
    if (is_deep) {
      uint16_t wide[4] = {(uint16_t)color[0], (uint16_t)color[1], (uint16_t)color[2], (uint16_t)alpha};
      if (out_channels == 2) wide[1] = wide[3];
      memcpy(out + 2 * out_channels * x, wide, 2 * out_channels);
    } else {
      put8(out + out_channels * x, out_channels, is_bgr, scaled(color[0]), scaled(color[1]), scaled(color[2]),
           scaled(alpha));
    }
  }
}

#define WIDE(in, out, deep)                                                                                       \
  static void expand_wide_##in##out##deep(const cpng_expansion *e, const uint8_t *from, uint8_t *to, size_t n) { \
    expand_wide_row(e, from, to, n, in, out, deep);                                                              \
  }
WIDE(1, 1, 0) WIDE(1, 2, 0) WIDE(1, 3, 0) WIDE(1, 4, 0) WIDE(2, 2, 0) WIDE(2, 4, 0) WIDE(3, 3, 0) WIDE(3, 4, 0)
WIDE(4, 4, 0) WIDE(1, 1, 1) WIDE(1, 2, 1) WIDE(1, 3, 1) WIDE(1, 4, 1) WIDE(2, 2, 1) WIDE(2, 4, 1) WIDE(3, 3, 1)
WIDE(3, 4, 1) WIDE(4, 4, 1)

static cpng_expand *wide_loop(const cpng_expansion *expansion) {
  switch (expansion->channels * 100 + expansion->out_channels * 10 + (unsigned)expansion->is_deep) {
    case 110: return expand_wide_110;
    case 120: return expand_wide_120;
    case 130: return expand_wide_130;
    case 140: return expand_wide_140;
    case 220: return expand_wide_220;
    case 240: return expand_wide_240;
    case 330: return expand_wide_330;
    case 340: return expand_wide_340;
    case 440: return expand_wide_440;
    case 111: return expand_wide_111;
    case 121: return expand_wide_121;
    case 131: return expand_wide_131;
    case 141: return expand_wide_141;
    case 221: return expand_wide_221;
    case 241: return expand_wide_241;
    case 331: return expand_wide_331;
    case 341: return expand_wide_341;
    case 441: return expand_wide_441;
    default: return NULL;
  }
}

static void expand_scaled_color(const cpng_expansion *expansion, const uint8_t *samples, uint8_t *out, size_t width) {
  const size_t done = cpng_best_kernels()->scaled_color(samples, out, width, expansion->channels, expansion->is_bgr);
  wide_loop(expansion)(expansion, samples + 2 * expansion->channels * done, out + 4 * done, width - done);
}

// What each value of a single sample of at most 8 bits is in memory.
static void make_pixels(cpng_expansion *expansion, const cpng_stored *stored) {
  const unsigned values = 1u << stored->bit_depth;
  for (unsigned value = 0; value < values; value++) {
    uint8_t r, g, b, a = 0xFF, pixel[4] = {0};
    if (stored->color_type == PALETTE) {
      // Beyond the end of the palette is black.
      const uint8_t black[3] = {0};
      const uint8_t *color = value < stored->palette_count ? stored->palette + 3 * value : black;
      r = color[0];
      g = color[1];
      b = color[2];
      if (value < stored->palette_count && value < stored->transparency_length) a = stored->transparency[value];
    } else {
      r = g = b = (uint8_t)(value * (255u / (values - 1)));
      if (expansion->has_key && value == (expansion->key[0] & (values - 1))) a = 0;
    }
    put8(pixel, expansion->pixel_bytes, expansion->is_bgr, r, g, b, a);
    memcpy(&expansion->pixels[value], pixel, 4);
  }
}

static cpng_expand *narrow_loop(cpng_expansion *expansion, const cpng_stored *stored) {
  const unsigned in = expansion->channels, out = expansion->out_channels;
  if (in == 1) {
    if (stored->color_type == PALETTE && out < 3) return NULL;
    make_pixels(expansion, stored);
    return expand_values;
  }
  if (in == 2) return out == 4 ? expand_gray_alpha : NULL;
  return out == 4 ? expand_color : NULL;
}

int cpng_expansion_begin(cpng_expansion *expansion, const cpng_stored *stored, const cpng_layout *layout) {
  const uint64_t pixel_bytes = layout->pixel_bytes;
  expansion->bit_depth = stored->bit_depth;
  expansion->channels = channels_of(stored->color_type);
  expansion->is_deep = stored->bit_depth == 16 && !layout->is_narrow;
  expansion->is_bgr = layout->is_bgr;
  if (pixel_bytes == 0 || pixel_bytes > 8 || (expansion->is_deep && pixel_bytes % 2 != 0)) return 0;
  expansion->pixel_bytes = (unsigned)pixel_bytes;
  expansion->out_channels = expansion->pixel_bytes / (expansion->is_deep ? 2 : 1);
  if (expansion->out_channels > 4 || (expansion->is_bgr && (expansion->is_deep || expansion->out_channels < 3))) return 0;
  const unsigned keys = stored->color_type == GRAY ? 1 : stored->color_type == RGB ? 3 : 0;
  expansion->has_key = keys > 0 && stored->transparency && stored->transparency_length >= 2 * keys;
  for (unsigned i = 0; expansion->has_key && i < keys; i++) expansion->key[i] = (uint16_t)load16(stored->transparency + 2 * i);
  if (stored->bit_depth == 16) {
    expansion->expand = wide_loop(expansion);
    const int is_plain = expansion->channels >= 3 && !expansion->is_deep && expansion->out_channels == 4;
    if (expansion->expand && is_plain && !expansion->has_key) expansion->expand = expand_scaled_color;
    return expansion->expand != NULL;
  }
  const int is_same = stored->bit_depth == 8 && stored->color_type != PALETTE && !expansion->has_key &&
                      expansion->channels == expansion->out_channels && !expansion->is_bgr;
  expansion->expand = is_same ? NULL : narrow_loop(expansion, stored);
  return is_same || expansion->expand != NULL;
}
