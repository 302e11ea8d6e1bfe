// SPDX-License-Identifier: Apache-2.0
//
// CIELab under D50 becomes sRGB.

#ifndef CSHAREDPLANES_LAB_H
#define CSHAREDPLANES_LAB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Entries of the table of sRGB's curve.
#define LAB_CURVE_COUNT 4098

typedef struct lab_conversion {
  float start[3], scale[3];  // L*, a* and b* = start + scale × sample
  const float *curve;        // LAB_CURVE_COUNT entries by lab_prepare_curve
} lab_conversion;

// Fills the table of sRGB's curve: by the square root of light, times `top`, the largest sample that comes out.
void lab_prepare_curve(uint32_t top, float *curve);

// Converts a row. Samples outside sRGB are clamped; colors are rounded to the nearest, and at 16 bits within 0.6 of the
// exact value. The result may be the same memory as the samples.
void lab_read(const lab_conversion *conversion, const int32_t *const samples[3], size_t count,
              int32_t *const colors[3]);

#ifdef __cplusplus
}
#endif

#endif
