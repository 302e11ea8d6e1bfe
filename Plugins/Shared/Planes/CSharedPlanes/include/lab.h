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

// Steps of the table of sRGB's curve.
#define LAB_CURVE_STEPS 4096

// Prepared once, and only read after that.
typedef struct lab_conversion {
  float start[3], scale[3];  // L*, a* and b* = start + scale × sample
  float top;                 // the largest sample that comes out
  float curve[LAB_CURVE_STEPS + 2];  // by the square root of light, times top
} lab_conversion;

// The encoding of samples, and the largest that comes out.
void lab_prepare(lab_conversion *conversion, const double start[3], const double scale[3], uint32_t top);

// Converts a row. Samples outside sRGB are clamped; colors are rounded to the nearest. The result may be the same memory
// as the samples.
void lab_read(const lab_conversion *conversion, const int32_t *const samples[3], size_t count,
              int32_t *const colors[3]);

#ifdef __cplusplus
}
#endif

#endif
