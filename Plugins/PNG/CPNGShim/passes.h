// SPDX-License-Identifier: Apache-2.0
//
// Interlaced pictures of which passes are missing.

#ifndef CPNG_PASSES_H
#define CPNG_PASSES_H

#include <stdint.h>

// Rows of a picture in memory.
typedef struct cpng_rows {
  uint8_t *pixels;
  uint64_t stride;
  uint32_t width, height;
  uint32_t pixel_bytes;  // 1 to 8
} cpng_rows;

// After the rows that look as pass `pass` (from 0) makes them once `row` rows of the picture have been through it.
uint32_t cpng_rows_of_pass(const cpng_rows *rows, uint32_t pass, uint32_t row);

// Gives the pixels of the passes after `pass` the value of the coarser pixel that stands for them (PNG Third Edition
// §8.2), in the rows [start, end). `start` is a row that cpng_rows_of_pass gives for the same or an earlier pass.
void cpng_spread(const cpng_rows *rows, uint32_t pass, uint32_t start, uint32_t end);

#endif
