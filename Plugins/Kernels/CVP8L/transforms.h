// SPDX-License-Identifier: Apache-2.0
//
// What an encoder did to the pixels before it coded them, undone for a row at a time (RFC 9649 §3.5).

#ifndef VP8L_TRANSFORMS_H
#define VP8L_TRANSFORMS_H

#include "pixels.h"

typedef enum { PREDICTOR, CROSS_COLOR, SUBTRACT_GREEN, COLOR_INDEXING } transform_kind;

typedef struct {
  transform_kind kind;
  uint32_t width;           // of the rows that come out
  uint32_t bits;            // of a tile's side; or how many times two indexes are in a pixel, from 0 to 3
  uint32_t tiles_in_row;
  uint32_t *data;           // of each tile; or the colors of 256, 16, 4 or 2 indexes
} transform;

// A row of a picture and the one above it, which have room for one pixel more at their end. `above` is NULL for the first row.
void vp8l_undo_predictor(const transform *transform, uint32_t y, const uint32_t *row, uint32_t *above, uint32_t *out);

// `out` may be `row`.
void vp8l_undo_cross_color(const transform *transform, uint32_t y, const uint32_t *row, uint32_t *out);
void vp8l_undo_subtract_green(const uint32_t *row, uint32_t width, uint32_t *out);

// `out` must not be `row`.
void vp8l_undo_color_indexing(const transform *transform, const uint32_t *row, uint32_t *out);

#endif
