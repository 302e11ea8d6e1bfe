// SPDX-License-Identifier: Apache-2.0
//
// Pixels become planes of luma and chroma. Nothing here looks at a file; the caller has checked sizes.

#ifndef CHEIF_PLANES_H
#define CHEIF_PLANES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A decoded or encodable picture. Samples of more than 8 bits take two bytes in the machine's order.
typedef struct heif_planes {
  uint8_t *plane[3];   // Y, Cb, Cr; the last two unused when there is no chroma
  size_t stride[3];    // bytes
  uint32_t bits;       // of a sample: 8 to 16
  uint32_t has_chroma;
  uint32_t shift_x;    // 1: one chroma sample for two columns
  uint32_t shift_y;    // 1: one chroma sample for two rows
} heif_planes;

enum {
  HEIF_MATRIX_LUMA = 0,      // by the coefficients
  HEIF_MATRIX_IDENTITY = 1   // planes are green, blue, red
};

// How red, green and blue become planes: ITU-T H.273, section 8.3.
typedef struct heif_colors {
  uint32_t matrix;  // HEIF_MATRIX_*
  uint32_t is_full_range;
  float kr, kb;     // of HEIF_MATRIX_LUMA
} heif_colors;

// How pixels lie in memory.
typedef struct heif_layout {
  uint32_t channels;          // 1 to 4: gray, gray and alpha, RGB, RGB and alpha
  uint32_t bytes_per_channel; // 1 or 2
  uint32_t is_bgr;            // blue first
} heif_layout;

// Fills planes from pixels; chroma samples are means of the pixels that they stand for.
//   returns  1, or 0 when there is no memory for a row
int heif_write_planes(const heif_planes *planes, const heif_colors *colors, size_t width, size_t height,
                      const heif_layout *layout, const uint8_t *pixels, size_t stride);

// Fills the luma plane from the alpha channel of pixels.
void heif_write_alpha(const heif_planes *planes, size_t width, size_t height, const heif_layout *layout,
                      const uint8_t *pixels, size_t stride);

#ifdef __cplusplus
}
#endif

#endif
