// SPDX-License-Identifier: Apache-2.0
//
// The steps of writing image data: rows are made of pixels and filtered, parts of them compressed, and the parts joined.

#ifndef CPNG_WRITE_H
#define CPNG_WRITE_H

#include <stddef.h>

#include "CPNGShim.h"
#include "deflate.h"

#define CPNG_FILTER_ADAPTIVE 0u
#define CPNG_FILTER_NONE 1u
// Not an option: Up where a row is as the one above, otherwise none. Rows of few colors compress best so.
#define CPNG_FILTER_FLAT 6u

// The highest level that only our own compression serves. Those above it try libdeflate's too.
#define CPNG_OWN_LEVEL 6u

// Pixels of a picture that is tried as a whole where it takes little time.
#define CPNG_SMALL_PIXELS (1u << 18)

// Zeros before and behind a row.
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
  cpng_effort effort;   // of our own
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
  cpng_deflater *deflater;
  uint8_t *filtered;
  uint8_t *rooms;   // one behind the other
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

// Finds the passes.
void cpng_find_passes(cpng_writer *writer);

// Bytes of a row of a pass in the file, without its filter type.
size_t cpng_written_row(const cpng_writer *writer, const cpng_written_pass *pass);

// The pass of a row, and the row's number in it.
const cpng_written_pass *cpng_pass_of_row(const cpng_writer *writer, uint64_t row, uint32_t *y);

// Makes a row of a pass of the pixels.
//   out  the length of the row and CPNG_ROW_MARGIN more bytes, which may be written
void cpng_pack_row(const cpng_writer *writer, const cpng_written_pass *pass, uint32_t y, uint8_t *out);

// Takes rows from `first` on, until they have at least `most` bytes or there are no more.
cpng_part cpng_plan_part(const cpng_writer *writer, uint64_t first, size_t most);

// Gives a part the rows before it whose bytes its matches may refer to.
void cpng_plan_history(const cpng_writer *writer, cpng_part *part);

// Allocates what parts of up to `length` filtered bytes need, with `history` bytes before them, and `rooms` rooms for their
// results.
//   returns  whether there is as much memory
int cpng_open_workshop(const cpng_writer *writer, cpng_workshop *workshop, size_t history, size_t length, unsigned rooms);
void cpng_close_workshop(const cpng_writer *writer, cpng_workshop *workshop);

// Filters and compresses the rows of a part into `part->bytes`.
//   returns  OK; OUT_OF_MEMORY; LIBRARY when libdeflate makes no stream
imgcoder_status cpng_compress_part(const cpng_writer *writer, const cpng_strategy *strategy, cpng_workshop *workshop,
                                   cpng_part *part);

// Chooses the strategy: what makes some bands of rows smallest.
imgcoder_status cpng_choose_strategy(cpng_writer *writer);

// Filters a row into its type and `length` bytes.
//   choice  cpng_image.filter
//   row     with `step` zeros before it
//   above   the row above, or zeros; with `step` zeros before it
//   step    bytes from a sample to that of the pixel before
//   out     1 + length bytes
void cpng_filter(unsigned choice, const uint8_t *row, const uint8_t *above, size_t length, size_t step, uint8_t *out);

// Bytes after a deflate stream that cpng_leave_open needs.
#define CPNG_OPEN_ROOM 16u

// Turns a whole deflate stream (RFC 1951) into one that goes on: its last block no longer says that it is the last, and
// an empty stored block brings the end to a whole byte.
//   bytes    the stream, and CPNG_OPEN_ROOM bytes more
//   returns  the new length, or 0 when the bytes are no such stream
size_t cpng_leave_open(uint8_t *bytes, size_t length);

#endif
