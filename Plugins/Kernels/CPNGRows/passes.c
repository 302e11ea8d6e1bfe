// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "CPNGRows.h"

// What a pixel of each pass stands for until later passes have come.
static const uint32_t widths[] = {8, 4, 4, 2, 2, 1, 1}, heights[] = {8, 8, 4, 4, 2, 2, 1};

uint32_t cpng_rows_of_pass(const cpng_canvas *canvas, uint32_t pass, uint32_t row) {
  uint64_t end = ((uint64_t)row + heights[pass] - 1) & ~(uint64_t)(heights[pass] - 1);
  return end < canvas->height ? (uint32_t)end : canvas->height;
}

// Copies every pixel whose column is a multiple of `step` to those that follow it. The size is a constant where this is
// called, so that a pixel is a load and stores.
static inline __attribute__((always_inline)) void spread_row(uint8_t *row, uint32_t width, uint32_t step, size_t size) {
  for (uint32_t x = 0; x < width; x += step) {
    uint32_t end = width - x < step ? width - x : step;
    uint8_t pixel[8];
    memcpy(pixel, row + x * size, size);
    for (uint32_t i = 1; i < end; i++) memcpy(row + (x + i) * size, pixel, size);
  }
}

static void spread(uint8_t *row, uint32_t width, uint32_t step, uint32_t size) {
  switch (size) {
    case 1: spread_row(row, width, step, 1); break;
    case 2: spread_row(row, width, step, 2); break;
    case 3: spread_row(row, width, step, 3); break;
    case 4: spread_row(row, width, step, 4); break;
    case 6: spread_row(row, width, step, 6); break;
    case 8: spread_row(row, width, step, 8); break;
    default: break;
  }
}

void cpng_spread(const cpng_canvas *canvas, uint32_t pass, uint32_t start, uint32_t end) {
  for (uint32_t y = start; y < end; y++) {
    uint8_t *row = canvas->pixels + y * canvas->stride;
    uint32_t above = y & ~(heights[pass] - 1);
    if (above != y) {
      memcpy(row, canvas->pixels + above * canvas->stride, (size_t)canvas->width * canvas->pixel_bytes);
    } else if (widths[pass] > 1) {
      spread(row, canvas->width, widths[pass], canvas->pixel_bytes);
    }
  }
}
