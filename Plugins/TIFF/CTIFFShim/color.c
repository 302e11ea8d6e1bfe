// SPDX-License-Identifier: Apache-2.0
//
// Color models that are not RGB.

#include "color.h"

#include <string.h>

static uint8_t clamp(int32_t value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

void color_ycbcr(const rows_plan *plan, const uint8_t *blocks, uint32_t line, uint32_t columns, uint8_t *rgb) {
  uint32_t across = plan->picture->horizontal, luma = across * plan->picture->vertical;
  const uint8_t *row = blocks + line * across;
  for (uint32_t x = 0; x < columns; row += luma + 2) {
    const uint8_t *chroma = row - line * across + luma;
    int32_t red = plan->ycc[0][chroma[1]], blue = plan->ycc[3][chroma[0]];
    int32_t green = plan->ycc[1][chroma[0]] + plan->ycc[2][chroma[1]];
    for (uint32_t i = 0; i < across && x < columns; i++, x++) {
      int32_t y = plan->luma[row[i]];
      rgb[0] = clamp(y + (red >> 16));
      rgb[1] = clamp(y + (green >> 16));
      rgb[2] = clamp(y + (blue >> 16));
      rgb += 3;
    }
  }
}

void color_palette(const rows_plan *plan, const void *index, uint32_t step, uint32_t columns, uint8_t *rgb) {
  const uint8_t *palette = plan->picture->palette, *narrow = index;
  const uint16_t *wide = index;
  for (uint32_t x = 0; x < columns; x++, rgb += 3) {
    const uint8_t *entry = palette + 3 * (plan->depth == 1 ? narrow[(uint64_t)x * step] : wide[(uint64_t)x * step]);
    rgb[0] = entry[0];
    rgb[1] = entry[1];
    rgb[2] = entry[2];
  }
}

// TIFF 6.0 §16 leaves the conversion open. Ink and black each let a part of the light pass.
void color_cmyk(const rows_plan *plan, const void *const *inks, uint32_t step, uint32_t columns, void *rgb) {
  if (plan->depth == 1) {
    const uint8_t *const *ink = (const uint8_t *const *)inks;
    uint8_t *out = rgb;
    for (uint64_t x = 0; x < columns; x++, out += 3) {
      uint32_t light = 255u - ink[3][x * step];
      for (int i = 0; i < 3; i++) out[i] = (uint8_t)(((255u - ink[i][x * step]) * light + 127) / 255);
    }
  } else {
    const uint16_t *const *ink = (const uint16_t *const *)inks;
    uint16_t *out = rgb;
    for (uint64_t x = 0; x < columns; x++, out += 3) {
      uint32_t light = 65535u - ink[3][x * step];
      for (int i = 0; i < 3; i++) out[i] = (uint16_t)(((65535u - ink[i][x * step]) * light + 32767) / 65535);
    }
  }
}

#define LAB_COLUMNS 256

void color_lab(const rows_plan *plan, const void *const *lab, uint32_t step, uint32_t columns, void *rgb) {
  const ctiff_picture *picture = plan->picture;
  lab_conversion conversion = {.curve = plan->lab_curve};
  memcpy(conversion.start, picture->lab_start, sizeof conversion.start);
  memcpy(conversion.scale, picture->lab_scale, sizeof conversion.scale);
  int32_t part[3][LAB_COLUMNS];
  int32_t *const rows[3] = {part[0], part[1], part[2]};
  for (uint64_t first = 0; first < columns; first += LAB_COLUMNS) {
    const uint64_t count = columns - first < LAB_COLUMNS ? columns - first : LAB_COLUMNS;
    for (int i = 0; i < 3; i++) {
      const uint32_t flip = i ? picture->lab_flip : 0;
      const uint8_t *narrow = lab[i];
      const uint16_t *wide = lab[i];
      for (uint64_t x = 0; x < count; x++) {
        const uint64_t place = (first + x) * step;
        part[i][x] = (int32_t)((plan->depth == 1 ? narrow[place] : wide[place]) ^ flip);
      }
    }
    lab_read(&conversion, (const int32_t *const *)rows, count, rows);
    for (int i = 0; i < 3; i++) {
      uint8_t *narrow = (uint8_t *)rgb + 3 * first + i;
      uint16_t *wide = (uint16_t *)rgb + 3 * first + i;
      for (uint64_t x = 0; x < count; x++) {
        if (plan->depth == 1) narrow[3 * x] = (uint8_t)part[i][x];
        else wide[3 * x] = (uint16_t)part[i][x];
      }
    }
  }
}
