// SPDX-License-Identifier: Apache-2.0
//
// Parts of rows, few enough columns to stay in the first cache. Private to the target.

#ifndef CSHAREDPLANES_ROWS_H
#define CSHAREDPLANES_ROWS_H

#include "include/planes.h"

// Columns that are converted at a time. Even, so that only the first part of a row may begin between two chroma samples.
#define PART_COLUMNS 512

// 8-bit samples by weights, in integers. What chroma adds to luma is worked out once for the rows that share it.
typedef struct narrow_chroma {
  int16_t whole[3][PART_COLUMNS];  // steps of 8 bits
  int16_t part[3][PART_COLUMNS];   // limited range: and 14 bits behind the point
} narrow_chroma;

void narrow_chroma_row(const planes_conversion *conversion, const uint8_t *cb, const uint8_t *cr, size_t x,
                       uint32_t shift_x, size_t width, narrow_chroma *chroma);
void narrow_color_row(const planes_conversion *conversion, const uint8_t *luma, const narrow_chroma *chroma,
                      size_t width, uint8_t *const colors[3]);

// Any depth and matrix, in floating point. Chroma from -0.5 to 0.5.
typedef struct wide_chroma {
  float cb[PART_COLUMNS], cr[PART_COLUMNS];
} wide_chroma;

// A row of 16-bit samples of one plane: `row` begins with the picture's first column.
void wide_chroma_row(const planes_picture *picture, const planes_conversion *conversion, int plane, size_t x, size_t y,
                     size_t width, float *chroma);
void wide_color_row(const planes_conversion *conversion, const uint16_t *luma, const wide_chroma *chroma,
                    size_t width, float top, uint32_t *const colors[3]);

// The same by constant luminance.
void constant_color_row(const planes_conversion *conversion, const uint16_t *luma, const wide_chroma *chroma,
                        size_t width, float top, uint32_t *const colors[3]);

// Samples of a row as 16-bit ones, limited to the plane's bits.
void wide_samples(const uint8_t *row, uint32_t bits, size_t x, size_t width, uint16_t *samples);

void pack_bytes(const planes_layout *layout, const uint8_t *const colors[3], size_t width, uint8_t *pixels);

// The same from integers that are in range, of layouts with one or two bytes per channel.
void pack_integers(const planes_layout *layout, const uint32_t *const colors[3], size_t width, uint8_t *pixels);

#endif
