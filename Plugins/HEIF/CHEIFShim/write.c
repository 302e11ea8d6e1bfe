// SPDX-License-Identifier: Apache-2.0

#include <stdlib.h>

#include "planes.h"

static float load(const heif_layout *layout, const uint8_t *row, size_t x, uint32_t channel) {
  size_t index = x * layout->channels + channel;
  return layout->bytes_per_channel == 2 ? (float)((const uint16_t *)(const void *)row)[index] : (float)row[index];
}

static void store(const heif_planes *planes, int plane, size_t x, size_t y, float value) {
  int32_t top = (1 << planes->bits) - 1;
  int32_t rounded = value <= 0 ? 0 : (int32_t)(value + 0.5f);
  if (rounded > top) rounded = top;
  uint8_t *row = planes->plane[plane] + y * planes->stride[plane];
  if (planes->bits > 8) {
    ((uint16_t *)(void *)row)[x] = (uint16_t)rounded;
  } else {
    row[x] = (uint8_t)rounded;
  }
}

int heif_write_planes(const heif_planes *planes, const heif_colors *colors, size_t width, size_t height,
                      const heif_layout *layout, const uint8_t *pixels, size_t stride) {
  const float top = (float)((1 << planes->bits) - 1);
  const float unit = (float)(1 << (planes->bits - 8));
  const float middle = (float)(1 << (planes->bits - 1));
  const float scale = top / (layout->bytes_per_channel == 2 ? 65535.0f : 255.0f);
  const float black = colors->is_full_range ? 0 : 16 * unit;
  const float luma_scale = colors->is_full_range ? 1 : 219 * unit / top;
  const float chroma_scale = colors->is_full_range ? 1 : 224 * unit / top;
  const float kr = colors->kr, kb = colors->kb, kg = 1 - kr - kb;
  const size_t step_x = (size_t)1 << planes->shift_x, step_y = (size_t)1 << planes->shift_y;
  const size_t columns = (width + step_x - 1) / step_x;
  float *sums = planes->has_chroma ? malloc(columns * 2 * sizeof *sums) : NULL;
  if (planes->has_chroma && !sums) return 0;
  for (size_t first = 0; first < height; first += step_y) {
    size_t rows = height - first < step_y ? height - first : step_y;
    for (size_t i = 0; planes->has_chroma && i < columns * 2; i++) sums[i] = 0;
    for (size_t y = first; y < first + rows; y++) {
      const uint8_t *row = pixels + y * stride;
      for (size_t x = 0; x < width; x++) {
        if (!planes->has_chroma || layout->channels <= 2) {
          store(planes, 0, x, y, load(layout, row, x, 0) * scale);
          continue;
        }
        float red = load(layout, row, x, layout->is_bgr ? 2 : 0) * scale, green = load(layout, row, x, 1) * scale;
        float blue = load(layout, row, x, layout->is_bgr ? 0 : 2) * scale;
        float *sum = sums + (x >> planes->shift_x) * 2;
        if (colors->matrix == HEIF_MATRIX_IDENTITY) {
          store(planes, 0, x, y, green * luma_scale + black);
          sum[0] += blue * luma_scale + black;
          sum[1] += red * luma_scale + black;
        } else {
          float luma = kr * red + kg * green + kb * blue;
          store(planes, 0, x, y, luma * luma_scale + black);
          sum[0] += (blue - luma) / (2 * (1 - kb)) * chroma_scale + middle;
          sum[1] += (red - luma) / (2 * (1 - kr)) * chroma_scale + middle;
        }
      }
    }
    if (!planes->has_chroma) continue;
    for (size_t i = 0; i < columns; i++) {
      size_t wide = width - i * step_x < step_x ? width - i * step_x : step_x;
      float count = layout->channels <= 2 ? 1 : (float)(wide * rows);
      for (int c = 0; c < 2; c++) {
        float value = layout->channels <= 2 ? middle : sums[i * 2 + (size_t)c] / count;
        store(planes, 1 + c, i, first >> planes->shift_y, value);
      }
    }
  }
  free(sums);
  return 1;
}

void heif_write_alpha(const heif_planes *planes, size_t width, size_t height, const heif_layout *layout,
                      const uint8_t *pixels, size_t stride) {
  const float top = (float)((1 << planes->bits) - 1);
  const float scale = top / (layout->bytes_per_channel == 2 ? 65535.0f : 255.0f);
  for (size_t y = 0; y < height; y++) {
    for (size_t x = 0; x < width; x++)
      store(planes, 0, x, y, load(layout, pixels + y * stride, x, layout->channels - 1) * scale);
  }
}
