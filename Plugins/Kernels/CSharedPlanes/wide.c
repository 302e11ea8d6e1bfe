// SPDX-License-Identifier: Apache-2.0
//
// Samples of any depth, in floating point. The order of the operations is libavif's, and so are the last bits.

#include <math.h>
#include <string.h>

#include "rows.h"

#pragma STDC FP_CONTRACT OFF

void wide_samples(const uint8_t *row, uint32_t bits, size_t x, size_t width, uint16_t *restrict samples) {
  if (bits > 8) {
    const uint16_t mask = (uint16_t)((1u << bits) - 1);
    const uint16_t *restrict from = (const uint16_t *)(const void *)row + x;
    for (size_t i = 0; i < width; i++) samples[i] = from[i] & mask;
  } else {
    for (size_t i = 0; i < width; i++) samples[i] = row[x + i];
  }
}

static void centered(const uint16_t *restrict samples, size_t count, float middle, float span, float *restrict chroma) {
  for (size_t i = 0; i < count; i++) chroma[i] = ((float)samples[i] - middle) / span;
}

// Each sample counts for the two columns that it covers.
static void repeated(const float *restrict coarse, size_t x, size_t width, float *restrict chroma) {
  if (x & 1) {
    *chroma++ = *coarse++;
    width--;
  }
  for (size_t i = 0; i < width / 2; i++) {
    chroma[2 * i] = coarse[i];
    chroma[2 * i + 1] = coarse[i];
  }
  if (width & 1) chroma[width - 1] = coarse[width / 2];
}

// Columns 2n - 1 and 2n lie between samples n - 1 and n; `near` and `far` begin with the sample before that of column x.
static void interpolated(const float *restrict near, const float *restrict far, size_t x, size_t width,
                         float *restrict chroma) {
  const float whole = 9.0f / 16.0f, side = 3.0f / 16.0f, corner = 1.0f / 16.0f;
  size_t i = 0;
  if (x & 1) {
    chroma[i++] = near[1] * whole + near[2] * side + far[1] * side + far[2] * corner;
    near++;
    far++;
  }
  // Now near[0] is the sample before that of an even column.
  const size_t pairs = (width - i) / 2;
  float *restrict out = chroma + i;
  for (size_t n = 0; n < pairs; n++) {
    out[2 * n] = near[n + 1] * whole + near[n] * side + far[n + 1] * side + far[n] * corner;
    out[2 * n + 1] = near[n + 1] * whole + near[n + 2] * side + far[n + 1] * side + far[n + 2] * corner;
  }
  if ((width - i) & 1) {
    chroma[width - 1] =
        near[pairs + 1] * whole + near[pairs] * side + far[pairs + 1] * side + far[pairs] * corner;
  }
}

// Samples of a chroma row from the one before that of column x to the one after that of the last column; those outside
// the row are the nearest inside.
static void with_neighbors(const planes_picture *picture, const planes_conversion *conversion, int plane, size_t row,
                           size_t first, size_t count, float *chroma) {
  uint16_t samples[PART_COLUMNS / 2 + 4];
  const size_t columns = (picture->width + 1) / 2;
  const uint8_t *from = picture->plane[plane] + row * picture->stride[plane];
  const size_t before = first ? 1 : 0, after = first + count < columns ? 1 : 0;
  wide_samples(from, picture->bits, first - before, before + count + after, samples + 1 - before);
  if (!before) samples[0] = samples[1];
  if (!after) samples[count + 1] = samples[count];
  centered(samples, count + 2, conversion->chroma_middle, conversion->chroma_span, chroma);
}

void wide_chroma_row(const planes_picture *picture, const planes_conversion *conversion, int plane, size_t x, size_t y,
                     size_t width, float *chroma) {
  const size_t first = x >> picture->shift_x, count = ((x + width - 1) >> picture->shift_x) - first + 1;
  const size_t row = y >> picture->shift_y;
  if (picture->shift_x && conversion->is_interpolated) {
    float near[PART_COLUMNS / 2 + 4], far[PART_COLUMNS / 2 + 4];
    size_t next = row;
    if (picture->shift_y) {
      // The other row of chroma is above even rows and below odd ones, where there is one.
      if (y % 2 == 0) next = row ? row - 1 : 0;
      else if (y + 1 < picture->height) next = row + 1;
    }
    with_neighbors(picture, conversion, plane, row, first, count, near);
    if (next != row) with_neighbors(picture, conversion, plane, next, first, count, far);
    interpolated(near, next == row ? near : far, x, width, chroma);
    return;
  }
  uint16_t samples[PART_COLUMNS];
  wide_samples(picture->plane[plane] + row * picture->stride[plane], picture->bits, first, count, samples);
  if (!picture->shift_x) {
    centered(samples, count, conversion->chroma_middle, conversion->chroma_span, chroma);
  } else {
    float coarse[PART_COLUMNS];
    centered(samples, count, conversion->chroma_middle, conversion->chroma_span, coarse);
    repeated(coarse, x, width, chroma);
  }
}

static inline float clamped(float value) { return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value; }

static inline uint32_t rounded(float value, float top) { return (uint32_t)(int32_t)(0.5f + clamped(value) * top); }

static void weights_row(const planes_conversion *conversion, const uint16_t *restrict luma,
                        const float *restrict cb, const float *restrict cr, size_t width, float top,
                        uint32_t *restrict red, uint32_t *restrict green, uint32_t *restrict blue) {
  const float kr = conversion->kr, kb = conversion->kb, kg = 1.0f - kr - kb;
  const float red_weight = 2 * (1 - kr), blue_weight = 2 * (1 - kb);
  const float black = conversion->luma_black, span = conversion->luma_span;
  for (size_t i = 0; i < width; i++) {
    float y = ((float)luma[i] - black) / span;
    red[i] = rounded(y + red_weight * cr[i], top);
    blue[i] = rounded(y + blue_weight * cb[i], top);
    green[i] = rounded(y - (2 * ((kr * (1 - kr) * cr[i]) + (kb * (1 - kb) * cb[i]))) / kg, top);
  }
}

// Cb holds Cg, and Cr holds Co: H.273, equations 54 to 57.
static void ycgco_row(const planes_conversion *conversion, const uint16_t *restrict luma, const float *restrict cg,
                      const float *restrict co, size_t width, float top, uint32_t *restrict red,
                      uint32_t *restrict green, uint32_t *restrict blue) {
  const float black = conversion->luma_black, span = conversion->luma_span;
  for (size_t i = 0; i < width; i++) {
    float y = ((float)luma[i] - black) / span;
    float t = y - cg[i];
    green[i] = rounded(y + cg[i], top);
    blue[i] = rounded(t - co[i], top);
    red[i] = rounded(t + co[i], top);
  }
}

// YCgCo-Re and YCgCo-Ro in integers (H.273, equations 58 to 65). Colors have `extra_bits` less than the planes.
static void ycgco_r_row(const planes_conversion *conversion, const uint16_t *restrict luma, const float *restrict cg,
                        const float *restrict co, size_t width, float top, uint32_t *restrict red,
                        uint32_t *restrict green, uint32_t *restrict blue) {
  const int32_t largest = (int32_t)(conversion->chroma_middle * 2) / (1 << conversion->extra_bits) - 1;
  const float span = conversion->chroma_span, scale = 1.0f / (float)largest;
  for (size_t i = 0; i < width; i++) {
    int32_t u = (int32_t)lrintf(cg[i] * span), v = (int32_t)lrintf(co[i] * span);
    int32_t t = (int32_t)luma[i] - (u >> 1);
    int32_t g = t + u, b = t - (v >> 1);
    int32_t r = b + v;
    red[i] = rounded((float)r * scale, top);
    green[i] = rounded((float)g * scale, top);
    blue[i] = rounded((float)b * scale, top);
  }
}

void wide_color_row(const planes_conversion *conversion, const uint16_t *luma, const wide_chroma *chroma, size_t width,
                    float top, uint32_t *const colors[3]) {
  uint32_t *red = colors[0], *green = colors[1], *blue = colors[2];
  switch (conversion->kind) {
    case PLANES_YCGCO: ycgco_row(conversion, luma, chroma->cb, chroma->cr, width, top, red, green, blue); break;
    case PLANES_CONSTANT: constant_color_row(conversion, luma, chroma, width, top, colors); break;
    case PLANES_YCGCO_R: ycgco_r_row(conversion, luma, chroma->cb, chroma->cr, width, top, red, green, blue); break;
    default: weights_row(conversion, luma, chroma->cb, chroma->cr, width, top, red, green, blue);
  }
}

// Rounds down. Samples of a damaged codestream may be any integers, and sums of them more than one holds.
static inline int32_t floored(float value) {
  const float limit = 1 << 30;
  value = value > -limit ? value < limit ? value : limit : -limit;
  int32_t integer = (int32_t)value;
  return integer - ((float)integer > value);
}

void planes_read_integers(const planes_conversion *conversion, const int32_t *const samples[3], size_t count, float top,
                          int32_t *const colors[3]) {
  const float kr = conversion->kr, kb = conversion->kb, kg = 1 - kr - kb;
  const float luma_scale = top / conversion->luma_span, chroma_scale = top / conversion->chroma_span;
  const float red_cr = 2 * (1 - kr) * chroma_scale, blue_cb = 2 * (1 - kb) * chroma_scale;
  const float green_cb = -2 * kb * (1 - kb) / kg * chroma_scale, green_cr = -2 * kr * (1 - kr) / kg * chroma_scale;
  const float black = conversion->luma_black, middle = conversion->chroma_middle;
  const int32_t *luma = samples[0], *cb = samples[1], *cr = samples[2];
  int32_t *red = colors[0], *green = colors[1], *blue = colors[2];
  // Rows that are the same memory are so sample by sample, and all three are loaded before one is stored.
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; i++) {
    float y = ((float)luma[i] - black) * luma_scale + 0.5f;
    float u = (float)cb[i] - middle, v = (float)cr[i] - middle;
    red[i] = floored(y + red_cr * v);
    green[i] = floored(y + (green_cb * u + green_cr * v));
    blue[i] = floored(y + blue_cb * u);
  }
}
