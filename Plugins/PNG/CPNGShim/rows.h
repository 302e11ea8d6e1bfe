// SPDX-License-Identifier: Apache-2.0
//
// Decoding one picture: bytes are inflated into a window of some hundred kilobytes, and rows are unfiltered from there
// to pixels while both are in the cache.

#ifndef CPNG_ROWS_H
#define CPNG_ROWS_H

#include <CDeflate.h>
#include <CPNGRows.h>

#include "image_data.h"

// A pass of an interlaced picture (PNG Third Edition §8), or the whole picture.
typedef struct cpng_pass {
  uint32_t x, y, dx, dy;
  uint32_t width, height;  // in pixels of the pass, may be 0
  size_t row_length;       // of a row in the file, without its filter type
} cpng_pass;

typedef struct cpng_decoder {
  const cpng_picture *picture;
  const imgcoder_sink *sink;
  const imgcoder_host *host;
  cpng_failure *failure;
  cpng_stored stored;
  cpng_expansion expansion;
  const cpng_kernels *kernels;
  cpng_color_rows color;  // of rows that become pixels of four bytes when they are unfiltered
  int is_color;
  unsigned step;          // bytes from a sample to that of the pixel before, at least 1

  cpng_image_data data;
  inflater inflater;
  uint8_t *window, *window_end;  // bytes that rows are made of; INFLATE_SLACK more after them
  const uint8_t *history;
  uint8_t *out;            // in the window: the end of what was inflated
  const uint8_t *next_row; // in the window: of what was inflated, what was not used yet

  uint8_t *lines[3];       // unfiltered rows, which take turns
  const uint8_t *above;    // the last unfiltered row: a line, in the window, or in the sink's memory
  uint8_t *zeros;          // what is above the first row
  uint8_t *spread_line;    // pixels of a row of a pass

  unsigned pass_index;
  cpng_pass pass;
  uint32_t row;            // in the pass: rows done
  imgcoder_rows rows;      // granted, not yet done
  uint32_t rows_start;
  uint32_t rows_done;      // of the granted ones, those that were reported all the same
  uint32_t shown_pass, shown_row;  // rows above this one show the pass, the others what the pass before made of them
} cpng_decoder;

// Makes pixels of the rows that are whole in the window.
//   returns  OK; MALFORMED where a filter type is none; what the sink returned
imgcoder_status cpng_take_rows(cpng_decoder *decoder);

// Whether all rows of all passes are done.
int cpng_has_all_rows(const cpng_decoder *decoder);

// Reports the granted rows that are there before more bytes are waited for. `context` is the decoder.
imgcoder_status cpng_show_rows(void *context);

// Hands out what was decoded before the file turned out to be bad.
//   returns  `failure`, or what the sink returned
imgcoder_status cpng_salvage_rows(cpng_decoder *decoder, imgcoder_status failure);

#endif
