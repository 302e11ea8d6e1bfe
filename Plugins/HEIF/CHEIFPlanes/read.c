// SPDX-License-Identifier: Apache-2.0

#include <stdlib.h>
#include <string.h>

#include "planes.h"

// What a chroma sample adds to luma, and a row of three colours, for `capacity` columns.
typedef struct work {
  int16_t *add[3];    // expanded to columns
  int16_t *coarse[3]; // one for each chroma sample
  uint8_t *narrow[3];
  uint16_t *wide[3];
  uint16_t *scale;    // a sample of the picture as one of the layout
  void *memory;
} work;

static int begin(work *work, size_t capacity, uint32_t bits) {
  size_t columns = capacity + 32;
  size_t table = bits > 8 ? (size_t)1 << bits : 0;
  work->memory = malloc(columns * (3 * 2 + 3 * 2 + 3 * 2 + 3) + table * 2);
  if (!work->memory) return 0;
  int16_t *next = work->memory;
  for (int i = 0; i < 3; i++, next += columns) work->add[i] = next;
  for (int i = 0; i < 3; i++, next += columns) work->coarse[i] = next;
  for (int i = 0; i < 3; i++, next += columns) work->wide[i] = (uint16_t *)next;
  work->scale = (uint16_t *)next;
  next += table;
  for (int i = 0; i < 3; i++) work->narrow[i] = (uint8_t *)next + columns * (size_t)i;
  return 1;
}

// Fractional bits of the sums when luma has to be scaled.
#define FRACTION 5

// 8-bit chroma of one row as what it adds to red, green and blue. H.273, equations 41 to 46, turned around.
static void chroma_row(const uint8_t *restrict cb, const uint8_t *restrict cr, size_t count,
                       const heif_colours *colours, int16_t *restrict red, int16_t *restrict green, int16_t *restrict blue) {
  float scale = colours->is_full_range ? 1.0f : 255.0f / 224.0f * (1 << FRACTION);
  float kg = 1 - colours->kr - colours->kb;
  float r_cr = 2 * (1 - colours->kr) * scale, b_cb = 2 * (1 - colours->kb) * scale;
  float g_cb = -2 * colours->kb * (1 - colours->kb) / kg * scale;
  float g_cr = -2 * colours->kr * (1 - colours->kr) / kg * scale;
  // Sums stay above -16384, and the conversion to an integer rounds towards zero: the offset makes it round down.
  const float offset = 16384.5f;
  for (size_t i = 0; i < count; i++) {
    float u = (float)((int)cb[i] - 128), v = (float)((int)cr[i] - 128);
    red[i] = (int16_t)((int)(r_cr * v + offset) - 16384);
    green[i] = (int16_t)((int)(g_cb * u + g_cr * v + offset) - 16384);
    blue[i] = (int16_t)((int)(b_cb * u + offset) - 16384);
  }
}

static void expand(const int16_t *restrict coarse, size_t x, size_t width, int16_t *restrict columns) {
  if (x & 1) {
    *columns++ = *coarse++;
    width--;
  }
  for (size_t i = 0; i < width / 2; i++) {
    columns[2 * i] = coarse[i];
    columns[2 * i + 1] = coarse[i];
  }
  if (width & 1) columns[width - 1] = coarse[width / 2];
}

static void luma_row(const uint8_t *restrict luma, const int16_t *restrict add, size_t width,
                     uint8_t *restrict colour) {
  for (size_t x = 0; x < width; x++) {
    int16_t sum = (int16_t)(luma[x] + add[x]);
    sum = sum < 0 ? 0 : sum;
    colour[x] = (uint8_t)(sum > 255 ? 255 : sum);
  }
}

static void limited_luma_row(const uint8_t *restrict luma, const int16_t *restrict add, size_t width,
                             uint8_t *restrict colour) {
  // 255 / 219 with FRACTION bits, from luma with 7 bits.
  const int32_t factor = (int32_t)(255.0 / 219.0 * (1 << FRACTION) * 512 + 0.5);
  for (size_t x = 0; x < width; x++) {
    int16_t raised = (int16_t)((luma[x] - 16) * 128);
    int16_t scaled = (int16_t)((raised * factor) >> 16);
    // Both together may leave 16 bits: luma and chroma at their ends.
    int32_t sum = (scaled + add[x] + (1 << (FRACTION - 1))) >> FRACTION;
    sum = sum < 0 ? 0 : sum;
    colour[x] = (uint8_t)(sum > 255 ? 255 : sum);
  }
}

static int32_t sample(const heif_planes *planes, int plane, size_t x, size_t y) {
  const uint8_t *row = planes->plane[plane] + y * planes->stride[plane];
  return planes->bits > 8 ? ((const uint16_t *)row)[x] : row[x];
}

static uint16_t clamp(float value, int32_t top) {
  int32_t rounded = (int32_t)(value + 0.5f);
  return (uint16_t)(value < 0 ? 0 : rounded > top ? top : rounded);
}

// Any depth and matrix, one pixel after the other.
static void general_row(const heif_planes *planes, const heif_colours *colours, size_t x, size_t y, size_t width,
                        work *work) {
  int32_t top = (1 << planes->bits) - 1, middle = 1 << (planes->bits - 1), unit = 1 << (planes->bits - 8);
  float luma_scale = 1, chroma_scale = 1, black = 0;
  if (!colours->is_full_range) {
    black = (float)(16 * unit);
    luma_scale = (float)top / (float)(219 * unit);
    chroma_scale = (float)top / (float)(224 * unit);
  }
  float kg = 1 - colours->kr - colours->kb;
  float r_cr = 2 * (1 - colours->kr), b_cb = 2 * (1 - colours->kb);
  float g_cb = -2 * colours->kb * (1 - colours->kb) / kg, g_cr = -2 * colours->kr * (1 - colours->kr) / kg;
  for (size_t i = 0; i < width; i++) {
    size_t cx = (x + i) >> planes->shift_x, cy = y >> planes->shift_y;
    float luma = ((float)sample(planes, 0, x + i, y) - black) * luma_scale;
    int32_t first = sample(planes, 1, cx, cy), second = sample(planes, 2, cx, cy);
    float u = (float)(first - middle) * chroma_scale, v = (float)(second - middle) * chroma_scale;
    float red, green, blue;
    switch (colours->matrix) {
      case HEIF_MATRIX_IDENTITY:
        green = luma;
        blue = ((float)first - black) * luma_scale;
        red = ((float)second - black) * luma_scale;
        break;
      case HEIF_MATRIX_YCGCO:
        green = luma + u;
        blue = luma - u - v;
        red = luma - u + v;
        break;
      default:
        red = luma + r_cr * v;
        green = luma + g_cb * u + g_cr * v;
        blue = luma + b_cb * u;
    }
    work->wide[0][i] = clamp(red, top);
    work->wide[1][i] = clamp(green, top);
    work->wide[2][i] = clamp(blue, top);
  }
}

static void luma_only_row(const heif_planes *planes, size_t x, size_t y, size_t width, uint16_t *restrict wide) {
  const uint8_t *row = planes->plane[0] + y * planes->stride[0];
  if (planes->bits > 8) {
    memcpy(wide, (const uint16_t *)row + x, width * 2);
  } else {
    for (size_t i = 0; i < width; i++) wide[i] = row[x + i];
  }
}

// Samples of the picture's depth as samples of the layout, to the nearest.
static uint32_t scaled(uint32_t value, uint32_t top, uint32_t layout_top) {
  uint32_t limited = value > top ? top : value;
  return (limited * layout_top + top / 2) / top;
}

static void pack_narrow(const heif_layout *layout, uint8_t *const colour[3], size_t width, uint8_t *restrict out) {
  const uint8_t *restrict first = colour[layout->is_bgr ? 2 : 0];
  const uint8_t *restrict second = colour[1];
  const uint8_t *restrict third = colour[layout->is_bgr ? 0 : 2];
  switch (layout->channels) {
    case 1: memcpy(out, first, width); break;
    case 2:
      for (size_t i = 0; i < width; i++) {
        out[2 * i] = first[i];
        out[2 * i + 1] = 255;
      }
      break;
    case 3:
      for (size_t i = 0; i < width; i++) {
        out[3 * i] = first[i];
        out[3 * i + 1] = second[i];
        out[3 * i + 2] = third[i];
      }
      break;
    default:
      for (size_t i = 0; i < width; i++) {
        uint32_t pixel = first[i] | (uint32_t)second[i] << 8 | (uint32_t)third[i] << 16 | 0xff000000u;
        memcpy(out + 4 * i, &pixel, 4);
      }
  }
}

static void pack_wide(const heif_layout *layout, uint16_t *const colour[3], size_t width, uint16_t *restrict out) {
  const uint32_t channels = layout->channels;
  for (size_t i = 0; i < width; i++) {
    uint16_t *pixel = out + i * channels;
    pixel[0] = colour[0][i];
    if (channels >= 3) {
      pixel[1] = colour[1][i];
      pixel[2] = colour[2][i];
    }
    if (channels == 2 || channels == 4) pixel[channels - 1] = 65535;
  }
}

static void finish_wide(const heif_planes *planes, const heif_layout *layout, work *work, int colours, size_t width,
                        uint8_t *out) {
  for (int c = 0; c < colours; c++) {
    uint16_t *wide = work->wide[c];
    if (planes->bits > 8) {
      const uint32_t mask = (1u << planes->bits) - 1;
      for (size_t i = 0; i < width; i++) wide[i] = work->scale[wide[i] & mask];
    } else if (layout->bytes_per_channel == 2) {
      for (size_t i = 0; i < width; i++) wide[i] = (uint16_t)(wide[i] * 257);
    }
    if (layout->bytes_per_channel == 1) {
      for (size_t i = 0; i < width; i++) work->narrow[c][i] = (uint8_t)wide[i];
    }
  }
  for (int c = colours; c < 3; c++) {
    memcpy(work->wide[c], work->wide[0], width * 2);
    memcpy(work->narrow[c], work->narrow[0], width);
  }
  if (layout->bytes_per_channel == 2) {
    pack_wide(layout, work->wide, width, (uint16_t *)(void *)out);
  } else {
    pack_narrow(layout, work->narrow, width, out);
  }
}

int heif_read_rows(const heif_planes *planes, const heif_colours *colours, size_t x, size_t y, size_t width,
                   size_t height, const heif_layout *layout, uint8_t *pixels, size_t stride) {
  work work;
  if (!begin(&work, width, planes->bits)) return 0;
  if (planes->bits > 8) {
    uint32_t top = (1u << planes->bits) - 1;
    for (uint32_t v = 0; v <= top; v++)
      work.scale[v] = (uint16_t)scaled(v, top, layout->bytes_per_channel == 2 ? 65535 : 255);
  }
  const int is_gray = !planes->has_chroma || layout->channels <= 2;
  const int is_fast =
      !is_gray && planes->bits == 8 && layout->bytes_per_channel == 1 && colours->matrix == HEIF_MATRIX_LUMA;
  const size_t chroma_x = x >> planes->shift_x;
  const size_t chroma_width = ((x + width - 1) >> planes->shift_x) - chroma_x + 1;
  size_t converted = SIZE_MAX;
  for (size_t row = y; row < y + height; row++, pixels += stride) {
    if (is_gray) {
      luma_only_row(planes, x, row, width, work.wide[0]);
      finish_wide(planes, layout, &work, 1, width, pixels);
      continue;
    }
    if (!is_fast) {
      general_row(planes, colours, x, row, width, &work);
      finish_wide(planes, layout, &work, 3, width, pixels);
      continue;
    }
    size_t chroma_y = row >> planes->shift_y;
    if (chroma_y != converted) {
      int16_t **target = planes->shift_x ? work.coarse : work.add;
      chroma_row(planes->plane[1] + chroma_y * planes->stride[1] + chroma_x,
                 planes->plane[2] + chroma_y * planes->stride[2] + chroma_x, chroma_width, colours, target[0],
                 target[1], target[2]);
      if (planes->shift_x)
        for (int c = 0; c < 3; c++) expand(work.coarse[c], x, width, work.add[c]);
      converted = chroma_y;
    }
    const uint8_t *luma = planes->plane[0] + row * planes->stride[0] + x;
    for (int c = 0; c < 3; c++) {
      if (colours->is_full_range) {
        luma_row(luma, work.add[c], width, work.narrow[c]);
      } else {
        limited_luma_row(luma, work.add[c], width, work.narrow[c]);
      }
    }
    pack_narrow(layout, work.narrow, width, pixels);
  }
  free(work.memory);
  return 1;
}

void heif_read_alpha(const heif_planes *planes, size_t x, size_t y, size_t width, size_t height,
                     const heif_layout *layout, uint8_t *pixels, size_t stride) {
  const uint32_t top = (1u << planes->bits) - 1;
  const uint32_t channels = layout->channels;
  for (size_t row = y; row < y + height; row++, pixels += stride) {
    for (size_t i = 0; i < width; i++) {
      uint32_t value = (uint32_t)sample(planes, 0, x + i, row);
      if (layout->bytes_per_channel == 2) {
        ((uint16_t *)(void *)pixels)[i * channels + channels - 1] = (uint16_t)scaled(value, top, 65535);
      } else {
        pixels[i * channels + channels - 1] = (uint8_t)(planes->bits == 8 ? value : scaled(value, top, 255));
      }
    }
  }
}
