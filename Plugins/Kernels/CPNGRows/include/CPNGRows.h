// SPDX-License-Identifier: Apache-2.0
//
// Rows of PNG files (PNG Third Edition): filters and undoing them (§9), samples as pixels in memory, and interlaced pictures of
// which passes are missing (§8). No memory is allocated.

#ifndef CPNGROWS_H
#define CPNGROWS_H

#include <stddef.h>
#include <stdint.h>

// Bytes after rows that may be read, and after rows of samples that may be written.
#define CPNG_ROW_SLACK 16u

// Rows of 8-bit RGB or RGBA that become pixels of four bytes at once.
typedef struct cpng_color_rows {
  size_t width;      // pixels, at least 1
  unsigned step;     // bytes of a filtered pixel: 3, to which opaque alpha is added, or 4
  int is_bgr;        // pixels are blue, green, red, alpha
} cpng_color_rows;

// The loops for this processor. Filtered rows have CPNG_ROW_SLACK readable bytes after them.
typedef struct cpng_kernels {
  // Unfilters a row into samples as the file has them. `out` has CPNG_ROW_SLACK bytes after it that are written.
  //   filter  0 to 4
  //   above   the row above, or zeros; with CPNG_ROW_SLACK bytes after it
  //   step    bytes of a pixel, at least 1: 1, 2, 3, 4, 6 or 8
  void (*samples)(unsigned filter, const uint8_t *in, uint8_t *out, const uint8_t *above, size_t length, unsigned step);
  // Unfilters a row into pixels of four bytes. Nothing after them is read or written.
  //   above   the pixels above, in the same order, or zeros
  void (*color)(unsigned filter, const uint8_t *in, uint8_t *out, const uint8_t *above, const cpng_color_rows *rows);
  // Two rows with filter Paeth, of which the second lies below the first.
  void (*color_pair)(const uint8_t *in[2], uint8_t *out[2], const uint8_t *above, const cpng_color_rows *rows);
  // As `samples`, of two rows with filter Paeth and pixels of three bytes.
  void (*triple_pair)(const uint8_t *in[2], uint8_t *out[2], const uint8_t *above, size_t width);
  // Pixels of 16-bit RGB or RGBA as pixels of four bytes, rounded, from the left; the caller does the others.
  //   channels  3 or 4; `samples` has CPNG_ROW_SLACK bytes after it
  //   returns   how many pixels were done
  size_t (*scaled_color)(const uint8_t *samples, uint8_t *pixels, size_t width, unsigned channels, int is_bgr);
  // Pixels of four bytes without their last one, from the left; the caller does the others. `samples` has
  // CPNG_ROW_SLACK bytes after it that are written.
  //   returns   how many pixels were done
  size_t (*without_alpha)(const uint8_t *pixels, uint8_t *samples, size_t width, int is_bgr);
} cpng_kernels;

// What this processor runs fastest.
const cpng_kernels *cpng_best_kernels(void);

#define CPNG_FILTER_ADAPTIVE 0u
#define CPNG_FILTER_NONE 1u

// Filters a row into its type and `length` bytes.
//   choice  CPNG_FILTER_ADAPTIVE, or 1 and the type
//   row     with `step` zeros before it
//   above   the row above, or zeros; with `step` zeros before it
//   step    bytes from a sample to that of the pixel before
//   out     1 + length bytes
void cpng_filter(unsigned choice, const uint8_t *row, const uint8_t *above, size_t length, size_t step, uint8_t *out);

// A picture's IHDR, PLTE and tRNS.
typedef struct cpng_stored {
  uint32_t width, height;
  unsigned bit_depth, color_type, is_interlaced;
  const uint8_t *palette;       // 3 bytes a color
  unsigned palette_count;
  const uint8_t *transparency;  // tRNS, or null
  unsigned transparency_length;
} cpng_stored;

typedef struct cpng_expansion cpng_expansion;

typedef void cpng_expand(const cpng_expansion *expansion, const uint8_t *samples, uint8_t *pixels, size_t width);

// How samples become pixels.
struct cpng_expansion {
  unsigned bit_depth, channels;  // in the file
  unsigned out_channels, pixel_bytes;
  int is_deep, is_bgr;           // in memory: 16 bits, in the machine's order
  int has_key;                   // pixels with the samples `key` are transparent
  uint16_t key[3];
  uint32_t pixels[256];          // of each value of a single sample of at most 8 bits, the first byte lowest in memory
  cpng_expand *expand;           // null: samples are pixels
};

// Bits of a pixel in the file.
unsigned cpng_stored_bits(const cpng_stored *stored);

// Pixels in memory.
typedef struct cpng_layout {
  uint64_t pixel_bytes;
  int is_narrow;  // 16 bits become 8, rounded
  int is_bgr;
} cpng_layout;

// Chooses the loop.
//   returns  whether there is one
int cpng_expansion_begin(cpng_expansion *expansion, const cpng_stored *stored, const cpng_layout *layout);

// A picture in memory.
typedef struct cpng_canvas {
  uint8_t *pixels;
  uint64_t stride;
  uint32_t width, height;
  uint32_t pixel_bytes;  // 1 to 8
} cpng_canvas;

// After the rows that look as pass `pass` (from 0) makes them once `row` rows of the picture have been through it.
uint32_t cpng_rows_of_pass(const cpng_canvas *canvas, uint32_t pass, uint32_t row);

// Gives the pixels of the passes after `pass` the value of the coarser pixel that stands for them (PNG Third Edition
// §8.2), in the rows [start, end). `start` is a row that cpng_rows_of_pass gives for the same or an earlier pass.
void cpng_spread(const cpng_canvas *canvas, uint32_t pass, uint32_t start, uint32_t end);

#endif
