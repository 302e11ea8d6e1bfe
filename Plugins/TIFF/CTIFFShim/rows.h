// SPDX-License-Identifier: Apache-2.0
//
// From coded samples to the host's pixels. Private to the shim.

#ifndef CTIFF_ROWS_H
#define CTIFF_ROWS_H

#include "plan.h"

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

#endif
