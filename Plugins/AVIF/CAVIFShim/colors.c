// SPDX-License-Identifier: Apache-2.0

#include "CAVIFShim.h"

#include <stddef.h>

void cavif_chroma_row(const cavif_matrix *matrix, cavif_chroma rows, uint32_t width, int halved, uint16_t mask,
                      float *result) {
  const float middle = matrix->chroma_middle, span = matrix->chroma_span;
  const uint16_t *near = rows.near, *far = rows.far;
  if (!halved) {
    for (uint32_t x = 0; x < width; x++) result[x] = ((float)(near[x] & mask) - middle) / span;
    return;
  }
  const float whole = 9.0f / 16.0f, side = 3.0f / 16.0f, corner = 1.0f / 16.0f;
  uint32_t count = (width + 1) / 2;
  float near0 = ((float)(near[0] & mask) - middle) / span, far0 = ((float)(far[0] & mask) - middle) / span;
  result[0] = near0 * whole + near0 * side + far0 * side + far0 * corner;
  // Pixels 2n - 1 and 2n lie between samples n - 1 and n.
  for (uint32_t n = 1; n < count; n++) {
    float a = ((float)(near[n - 1] & mask) - middle) / span, b = ((float)(near[n] & mask) - middle) / span;
    float c = ((float)(far[n - 1] & mask) - middle) / span, d = ((float)(far[n] & mask) - middle) / span;
    result[2 * n - 1] = a * whole + b * side + c * side + d * corner;
    result[2 * n] = b * whole + a * side + d * side + c * corner;
  }
  if (width % 2 == 0) {
    float a = ((float)(near[count - 1] & mask) - middle) / span, c = ((float)(far[count - 1] & mask) - middle) / span;
    result[width - 1] = a * whole + a * side + c * side + c * corner;
  }
}

static inline float clamped(float value) { return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value; }

// The three colours of pixel x, scaled to `top` and rounded.
#define COLORS(top)                                                                       \
  float y = ((float)(luma[x] & mask) - matrix->luma_black) / matrix->luma_span;           \
  float red = clamped(y + red_weight * cr[x]);                                            \
  float blue = clamped(y + blue_weight * cb[x]);                                          \
  float green = clamped(y - (2 * ((kr * (1 - kr) * cr[x]) + (kb * (1 - kb) * cb[x]))) / kg); \
  int32_t r = (int32_t)(0.5f + red * (top)), g = (int32_t)(0.5f + green * (top)), b = (int32_t)(0.5f + blue * (top))

void cavif_color_row(const cavif_matrix *matrix, const uint16_t *luma, const float *cb, const float *cr,
                     const uint16_t *alpha, const uint16_t *alpha_table, uint32_t width, uint16_t mask, int layout,
                     void *result) {
  const float kr = matrix->kr, kb = matrix->kb, kg = 1.0f - kr - kb;
  const float red_weight = 2 * (1 - kr), blue_weight = 2 * (1 - kb);
  uint8_t *bytes = result;
  if (layout == CAVIF_RGBA16) {
    uint16_t *samples = result;
    for (uint32_t x = 0; x < width; x++) {
      COLORS(65535.0f);
      samples[4 * x] = (uint16_t)r;
      samples[4 * x + 1] = (uint16_t)g;
      samples[4 * x + 2] = (uint16_t)b;
      samples[4 * x + 3] = 65535;
    }
    for (uint32_t x = 0; alpha && x < width; x++) samples[4 * x + 3] = alpha_table[alpha[x] & mask];
    return;
  }
  if (layout == CAVIF_RGB8) {
    for (uint32_t x = 0; x < width; x++) {
      COLORS(255.0f);
      bytes[3 * x] = (uint8_t)r;
      bytes[3 * x + 1] = (uint8_t)g;
      bytes[3 * x + 2] = (uint8_t)b;
    }
    return;
  }
  const size_t first = layout == CAVIF_BGRA8 ? 2 : 0;
  for (uint32_t x = 0; x < width; x++) {
    COLORS(255.0f);
    bytes[4 * x + first] = (uint8_t)r;
    bytes[4 * x + 1] = (uint8_t)g;
    bytes[4 * x + 2 - first] = (uint8_t)b;
    bytes[4 * x + 3] = 255;
  }
  for (uint32_t x = 0; alpha && x < width; x++) bytes[4 * x + 3] = (uint8_t)alpha_table[alpha[x] & mask];
}
