// SPDX-License-Identifier: Apache-2.0
//
// Drawings of librsvg through a few calls without GLib's types, and gzip.

#ifndef CSVG_SHIM_H
#define CSVG_SHIM_H

#include <imgcoder/imgcoder.h>
#include <stddef.h>
#include <stdint.h>

// Why a call failed.
typedef struct csvg_failure {
  imgcoder_status status;
  char message[240];
} csvg_failure;

// A parsed document, which holds no pixels.
typedef struct csvg_drawing csvg_drawing;

// Parses a whole document. It has no address, so that nothing outside of it is loaded: no file, no picture of another site, no
// included text. Limits of libxml2 and librsvg on depth, names and elements stay on.
//   ownership  `bytes` live during the call only
//   returns    null for what is no document, with the reason
csvg_drawing *csvg_open(const uint8_t *bytes, size_t length, csvg_failure *failure);
void csvg_close(csvg_drawing *drawing);

// The size that a document states, in pixels of 1/96 inch.
typedef struct csvg_dimensions {
  double width, height;
  uint32_t states_width, states_height;  // 0: it takes a share of the place that it is put in
  uint32_t has_view_box;
  double box_width, box_height;
} csvg_dimensions;

csvg_dimensions csvg_measure(csvg_drawing *drawing);

// A part of a drawing in pixels.
typedef struct csvg_area {
  double width, height;      // of the drawing, in its own pixels
  double across, down;       // how many pixels one of these becomes
  uint32_t x, y;             // of the part, in pixels
  uint32_t columns, rows;    // at most CSVG_LARGEST_SIDE
  uint32_t background;       // what it is drawn over, 0xAARRGGBB, premultiplied; 0: nothing
} csvg_area;

// cairo's largest surface.
#define CSVG_LARGEST_SIDE 32767

// Draws a part as premultiplied RGBA, over a background.
//   pixels    `rows` × `stride` bytes, aligned to 4; stride is a multiple of 4, at least 4 × `columns`
//   returns   OK; OUT_OF_MEMORY; UNSUPPORTED if a limit of librsvg ends the drawing; LIBRARY
imgcoder_status csvg_draw(csvg_drawing *drawing, const csvg_area *area, uint8_t *pixels, size_t stride,
                          csvg_failure *failure);

// "2.54.7"
const char *csvg_version(void);

// Reads the configuration of fonts and the list of picture loaders, if the environment asks for all that is loaded later.
void csvg_load_if_asked(void);

// Decodes Base64 (RFC 4648 §4) where it stands. What is none of its letters is left out.
//   text      `length` characters, and room for one more
//   returns   the bytes at the start of `text`
size_t csvg_base64_decode(uint8_t *text, size_t length);

// Whether the file of a font can be opened. The list of fonts is read with the first call.
int csvg_has_fonts(void);

// gzip (RFC 1952), one member.
typedef struct csvg_gzip csvg_gzip;

csvg_gzip *csvg_gzip_begin(const uint8_t *bytes, size_t length);
void csvg_gzip_end(csvg_gzip *gzip);

enum {
  CSVG_GZIP_MORE = 0,       // the room is full
  CSVG_GZIP_DONE = 1,
  CSVG_GZIP_TRUNCATED = 2,  // the bytes end early
  CSVG_GZIP_DAMAGED = 3
};

// Inflates into `to`.
//   written  bytes that came out
//   returns  CSVG_GZIP_*
int csvg_gzip_inflate(csvg_gzip *gzip, uint8_t *to, size_t room, size_t *written);

#endif
