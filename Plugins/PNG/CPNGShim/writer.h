// SPDX-License-Identifier: Apache-2.0
//
// What writing image data works on: rows are made of pixels (`pack.c`) and filtered, parts of them compressed (`parts.c`), and
// the parts written one after the other (`write.c`).

#ifndef CPNG_WRITER_H
#define CPNG_WRITER_H

#include <CDeflate.h>
#include <stddef.h>

#include "CPNGShim.h"

// Not an option: Up where a row is as the one above, otherwise none. Rows of few colors compress best so.
#define CPNG_FILTER_FLAT 6u

// The highest level that only our own compression serves. Those above it try libdeflate's too.
#define CPNG_OWN_LEVEL 6u

// Pixels of a picture that is tried as a whole where it takes little time.
#define CPNG_SMALL_PIXELS (1u << 18)

// Zeros before and after a row.
#define CPNG_ROW_MARGIN 16u

// A pass of an interlaced picture (PNG Third Edition §8), or the whole picture.
typedef struct cpng_written_pass {
  uint32_t x, y, dx, dy;
  uint32_t width, height;  // in pixels of the pass
} cpng_written_pass;

// How rows become bytes of a stream.
typedef struct cpng_strategy {
  unsigned filter;      // of cpng_image, or CPNG_FILTER_FLAT
  unsigned libdeflate;  // its level, or 0 for our own compression
  deflate_effort effort;   // of our own
} cpng_strategy;

// Rows that are compressed together.
typedef struct cpng_part {
  uint64_t first, last;  // rows of all passes, counted through
  size_t length;         // bytes of the filtered rows
  uint64_t history_first;
  size_t history;        // bytes of the filtered rows from `history_first` to `first`
  uint8_t *bytes;        // compressed: a room of a workshop
  size_t byte_count;
  uint32_t adler;
  imgcoder_status status;
} cpng_part;

// Memory that a part needs while it is compressed, and room for what parts become.
typedef struct cpng_workshop {
  uint8_t *memory;  // of the host, or null
  uint8_t *lines;   // two rows
  size_t line_size;
  deflater *deflater;
  uint8_t *filtered;
  uint8_t *rooms;   // one after the other
  size_t room;      // bytes of each
} cpng_workshop;

typedef struct cpng_writer {
  cpng_image *image;
  cpng_failure *failure;
  cpng_written_pass passes[7];
  unsigned pass_count;
  size_t stored_bits;   // of a pixel in the file
  size_t stored_pixel;  // bytes of it, at least 1
  uint64_t rows;        // of all passes
  size_t longest_row;   // of all passes, with its filter type
  cpng_strategy strategy;
  uint64_t least;       // bytes that the bands take with it
} cpng_writer;

#endif
