// SPDX-License-Identifier: Apache-2.0
//
// Colour models that are not RGB.

#include <math.h>

#include "rows.h"

static uint8_t clamp(int32_t value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

void colour_ycbcr(const rows_plan *plan, const uint8_t *blocks, uint32_t line, uint32_t columns, uint8_t *rgb) {
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

void colour_palette(const rows_plan *plan, const void *index, uint32_t step, uint32_t columns, uint8_t *rgb) {
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
void colour_cmyk(const rows_plan *plan, const void *const *inks, uint32_t step, uint32_t columns, void *rgb) {
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

static float cube_root_inverse(float t) {
  const float knee = 6.0f / 29;
  return t > knee ? t * t * t : 3 * knee * knee * (t - 4.0f / 29);
}

// CIE 15 §8.2.1 from L*a*b* under D50 to XYZ, then the Bradford-adapted matrix of sRGB (ICC.1:2022 annex E,
// IEC 61966-2-1).
static void linear_of(const ctiff_picture *picture, const float *lab, float *rgb) {
  float l = picture->lab_start[0] + picture->lab_scale[0] * lab[0];
  float a = picture->lab_start[1] + picture->lab_scale[1] * lab[1];
  float b = picture->lab_start[2] + picture->lab_scale[2] * lab[2];
  float fy = (l + 16) / 116;
  float x = 0.96422f * cube_root_inverse(fy + a / 500);
  float y = cube_root_inverse(fy);
  float z = 0.82521f * cube_root_inverse(fy - b / 200);
  rgb[0] = 3.1338561f * x - 1.6168667f * y - 0.4906146f * z;
  rgb[1] = -0.9787684f * x + 1.9161415f * y + 0.0334540f * z;
  rgb[2] = 0.0719453f * x - 0.2289914f * y + 1.4052427f * z;
  for (int i = 0; i < 3; i++) rgb[i] = rgb[i] > 0 ? rgb[i] < 1 ? rgb[i] : 1 : 0;
}

void colour_lab(const rows_plan *plan, const void *const *lab, uint32_t step, uint32_t columns, void *rgb) {
  const ctiff_picture *picture = plan->picture;
  for (uint64_t x = 0; x < columns; x++) {
    float in[3], out[3];
    for (int i = 0; i < 3; i++) {
      uint32_t value = plan->depth == 1 ? ((const uint8_t *)lab[i])[x * step] : ((const uint16_t *)lab[i])[x * step];
      in[i] = (float)(i ? value ^ picture->lab_flip : value);
    }
    linear_of(picture, in, out);
    for (int i = 0; i < 3; i++) {
      float encoded = out[i] <= 0.0031308f ? 12.92f * out[i] : 1.055f * powf(out[i], 1 / 2.4f) - 0.055f;
      if (plan->depth == 1) {
        ((uint8_t *)rgb)[3 * x + i] = (uint8_t)(encoded * 255 + 0.5f);
      } else {
        ((uint16_t *)rgb)[3 * x + i] = (uint16_t)(encoded * 65535 + 0.5f);
      }
    }
  }
}
