// SPDX-License-Identifier: Apache-2.0
//
// Colours of 10 and 12 bits. libavif converts them one sample at a time; these loops do the same arithmetic on whole
// rows, which the compiler makes into vectors.

#ifndef CAVIFSHIM_H
#define CAVIFSHIM_H

#include <stdint.h>

// How samples become colours: ITU-T H.273 §8.3, matrix coefficients that are not constant luminance.
typedef struct cavif_matrix {
  float kr, kb;
  float luma_black, luma_span;      // of the stored samples
  float chroma_middle, chroma_span;
} cavif_matrix;

// Two rows of a chroma plane: the one that covers the row of pixels, and the next nearest one, which may be the same.
typedef struct cavif_chroma {
  const uint16_t *near, *far;
} cavif_chroma;

// How a row of pixels lies in memory.
enum { CAVIF_RGBA16 = 0, CAVIF_RGBA8 = 1, CAVIF_BGRA8 = 2, CAVIF_RGB8 = 3 };

// Brings a row of chroma to the width of the picture. `halved`: a sample covers two pixels, and values between are
// interpolated with the weights 9, 3, 3 and 1 of 16; else the rows are taken as they are.
//   mask  the largest sample
void cavif_chroma_row(const cavif_matrix *matrix, cavif_chroma rows, uint32_t width, int halved, uint16_t mask,
                      float *result);

// Converts a row. `alpha` may be null: opaque. `alpha_table` says what each alpha sample becomes.
void cavif_color_row(const cavif_matrix *matrix, const uint16_t *luma, const float *cb, const float *cr,
                     const uint16_t *alpha, const uint16_t *alpha_table, uint32_t width, uint16_t mask, int layout,
                     void *result);

#endif
