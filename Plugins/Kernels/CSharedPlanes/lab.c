// SPDX-License-Identifier: Apache-2.0

#include "include/lab.h"

#include <math.h>

#pragma STDC FP_CONTRACT OFF

// Columns that are converted at a time.
#define PART_COLUMNS 256

#define STEPS (LAB_CURVE_COUNT - 2)

void lab_prepare_curve(uint32_t top, float *curve) {
  // IEC 61966-2-1, section 5.2. By the square root the curve is so even that straight lines between the steps are less
  // than 0.02 of 65,535 away from it.
  for (int step = 0; step < LAB_CURVE_COUNT; step++) {
    double root = step < STEPS ? (double)step / STEPS : 1;
    double light = root * root;
    double value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055;
    curve[step] = (float)(value * top);
  }
}

// The inverse of the function of CIE 15, section 8.2.1.
static inline float inverse(float value) {
  const float knee = 6.0f / 29, slope = 3 * (6.0f / 29) * (6.0f / 29);
  return value > knee ? value * value * value : slope * (value - 4.0f / 29);
}

// From 0 to 1; what is not a number, which ranges of 32 bits can lead to, is 0.
static inline float clamped(float value) { return value > 0 ? value < 1 ? value : 1 : 0; }

// The square root of light, in steps of the curve.
static inline float place_of(float light) { return __builtin_elementwise_sqrt(clamped(light)) * STEPS; }

// CIELab relative to D50 as the ICC's profile connection space has it (ICC.1:2022, section 7.2.16: X 0.9642, Z 0.8249),
// then linear sRGB (IEC 61966-2-1) adapted to that white by Bradford's matrix. The white is multiplied into the matrix,
// whose rows add up to 1: L* of 100 is white.
static void light_row(const lab_conversion *conversion, const int32_t *const samples[3], size_t first, size_t count,
                      float places[3][PART_COLUMNS]) {
  const int32_t *lightness = samples[0] + first, *red = samples[1] + first, *yellow = samples[2] + first;
  const float *start = conversion->start, *scale = conversion->scale;
  const float start_l = start[0], start_a = start[1], start_b = start[2];
  const float scale_l = scale[0], scale_a = scale[1], scale_b = scale[2];
  for (size_t i = 0; i < count; i++) {
    float l = start_l + scale_l * (float)lightness[i];
    float a = start_a + scale_a * (float)red[i];
    float b = start_b + scale_b * (float)yellow[i];
    float f = (l + 16) / 116;
    float x = inverse(f + a / 500), y = inverse(f), z = inverse(f - b / 200);
    places[0][i] = place_of(3.021982492f * x - 1.617208959f * y - 0.404773533f * z);
    places[1][i] = place_of(-0.943709308f * x + 1.916130097f * y + 0.027579211f * z);
    places[2][i] = place_of(0.069387619f * x - 0.228993873f * y + 1.159606254f * z);
  }
}

void lab_read(const lab_conversion *conversion, const int32_t *const samples[3], size_t count,
              int32_t *const colors[3]) {
  for (size_t first = 0; first < count; first += PART_COLUMNS) {
    const size_t columns = count - first < PART_COLUMNS ? count - first : PART_COLUMNS;
    float places[3][PART_COLUMNS];
    light_row(conversion, samples, first, columns, places);
    for (int c = 0; c < 3; c++) {
      int32_t *color = colors[c] + first;
      for (size_t i = 0; i < columns; i++) {
        const int32_t step = (int32_t)places[c][i];
        const float low = conversion->curve[step], high = conversion->curve[step + 1];
        color[i] = (int32_t)(low + (high - low) * (places[c][i] - (float)step) + 0.5f);
      }
    }
  }
}
