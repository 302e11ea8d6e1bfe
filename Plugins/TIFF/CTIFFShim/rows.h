// SPDX-License-Identifier: Apache-2.0
//
// From coded samples to the host's pixels. Private to the shim.

#ifndef CTIFF_ROWS_H
#define CTIFF_ROWS_H

#include <CSharedPlanes.h>

#include "CTIFFShim.h"

// Prepared once for a picture, and only read after that.
typedef struct rows_plan {
  const ctiff_picture *picture;
  uint32_t depth;          // bytes of a sample between unpacking and the host: 1, 2 or 4 (float)
  uint32_t channels;       // samples in one plane's pixel
  uint32_t planes;         // 1, or the samples when they are planar
  uint32_t pixel_bytes;    // of the host's
  uint64_t plane_row_bytes, strile_bytes;  // of one plane; a row is a row of blocks for CTIFF_YCBCR
  int is_direct;           // a decoded row is a row of the host's
  int is_packed;           // RGB of whole bytes goes to four channels
  int is_ready;            // decoded bytes are samples
  uint32_t gray_mask;      // flips gray samples
  uint8_t scale[256];      // up to 8 bits to the full range
  uint8_t octets[256][8];  // bytes of 1-bit samples, each as 8 full-range samples
  int32_t ycc[4][256];     // in 1/65536: what Cr adds to red, Cb to green, Cr to green, Cb to blue
  int32_t luma[256];       // Y with ReferenceBlackWhite
  float lab_curve[LAB_CURVE_COUNT];  // of CTIFF_LAB
} rows_plan;

// Whether the numbers of a picture fit together, and its arrays have as many elements as decoding reads. What is wrong
// otherwise.
const char *rows_refuse(const ctiff_picture *picture);

// For a picture whose `output`, `bits` and `kind` are in range.
void rows_prepare(rows_plan *plan, const ctiff_picture *picture);

// Bytes of memory that `rows_convert` needs for itself.
uint64_t rows_scratch(const rows_plan *plan);

// Converts `count` rows from row `y` of a strip or tile: `planes` are the first bytes of each plane's decoded data,
// `columns` how many of its pixels are shown.
void rows_convert(const rows_plan *plan, const uint8_t *const *planes, uint32_t y, uint32_t count, uint32_t columns,
                  uint8_t *pixels, uint64_t stride, uint8_t *scratch);

// One row of samples at the depth of the plan.
void samples_unpack(const rows_plan *plan, const uint8_t *bytes, uint64_t count, void *samples);

// One row of blocks of CTIFF_YCBCR: row `line` of it as RGB.
void color_ycbcr(const rows_plan *plan, const uint8_t *blocks, uint32_t line, uint32_t columns, uint8_t *rgb);

// One row of channels as RGB; `steps` samples from one pixel to the next.
void color_palette(const rows_plan *plan, const void *index, uint32_t step, uint32_t columns, uint8_t *rgb);
void color_cmyk(const rows_plan *plan, const void *const *inks, uint32_t step, uint32_t columns, void *rgb);
void color_lab(const rows_plan *plan, const void *const *lab, uint32_t step, uint32_t columns, void *rgb);

#endif
