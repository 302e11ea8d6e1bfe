// SPDX-License-Identifier: Apache-2.0
//
// Undoing the filters of rows (PNG Third Edition §9).

#ifndef CPNG_UNFILTER_H
#define CPNG_UNFILTER_H

#include <stddef.h>
#include <stdint.h>

// Bytes behind rows that may be read, and behind rows of samples that may be written.
#define CPNG_ROW_SLACK 16u

// Rows of 8-bit RGB or RGBA that become pixels of four bytes at once.
typedef struct cpng_color_rows {
  size_t width;      // pixels, at least 1
  unsigned step;     // bytes of a filtered pixel: 3, to which opaque alpha is added, or 4
  int is_bgr;        // pixels are blue, green, red, alpha
} cpng_color_rows;

// The loops for this processor. Filtered rows have CPNG_ROW_SLACK readable bytes behind them.
typedef struct cpng_kernels {
  // Unfilters a row into samples as the file has them. `out` has CPNG_ROW_SLACK bytes behind it that are written.
  //   filter  0 to 4
  //   above   the row above, or zeros; with CPNG_ROW_SLACK bytes behind it
  //   step    bytes of a pixel, at least 1: 1, 2, 3, 4, 6 or 8
  void (*samples)(unsigned filter, const uint8_t *in, uint8_t *out, const uint8_t *above, size_t length, unsigned step);
  // Unfilters a row into pixels of four bytes. Nothing behind them is read or written.
  //   above   the pixels above, in the same order, or zeros
  void (*color)(unsigned filter, const uint8_t *in, uint8_t *out, const uint8_t *above, const cpng_color_rows *rows);
  // Two rows with filter Paeth, of which the second lies below the first.
  void (*color_pair)(const uint8_t *in[2], uint8_t *out[2], const uint8_t *above, const cpng_color_rows *rows);
  // As `samples`, of two rows with filter Paeth and pixels of three bytes.
  void (*triple_pair)(const uint8_t *in[2], uint8_t *out[2], const uint8_t *above, size_t width);
  // Pixels of 16-bit RGB or RGBA as pixels of four bytes, rounded, from the left; the caller does the others.
  //   channels  3 or 4; `samples` has CPNG_ROW_SLACK bytes behind it
  //   returns   how many pixels were done
  size_t (*scaled_color)(const uint8_t *samples, uint8_t *pixels, size_t width, unsigned channels, int is_bgr);
  // Pixels of four bytes without their last one, from the left; the caller does the others. `samples` has
  // CPNG_ROW_SLACK bytes behind it that are written.
  //   returns   how many pixels were done
  size_t (*without_alpha)(const uint8_t *pixels, uint8_t *samples, size_t width, int is_bgr);
} cpng_kernels;

// What this processor runs fastest.
const cpng_kernels *cpng_best_kernels(void);

// The same in plain C.
extern const cpng_kernels cpng_plain_kernels;

// With SSE4.1; null where the compiler makes no x86 code or the processor has none.
const cpng_kernels *cpng_sse41_kernels(void);

// The predictor of filter Paeth (§9.4).
static inline uint8_t cpng_paeth(int left, int above, int corner) {
  const int by_left = above - corner, by_above = left - corner, by_corner = by_left + by_above;
  const int a = by_left < 0 ? -by_left : by_left, b = by_above < 0 ? -by_above : by_above;
  const int c = by_corner < 0 ? -by_corner : by_corner;
  return (uint8_t)(a <= b && a <= c ? left : b <= c ? above : corner);
}

#endif
