// SPDX-License-Identifier: Apache-2.0
//
// Strips and tiles of JPEG at a half, a quarter or an eighth of their size. libjpeg makes the smaller picture from fewer
// coefficients; libtiff has no way to ask for it. Private to the shim.

#ifndef CTIFF_JPEG_H
#define CTIFF_JPEG_H

#include "CTIFFShim.h"

// What is kept between strips or tiles, which often have the same tables. Begins with zeros.
typedef struct jpeg_room {
  void *memory;
  uint64_t bytes;
  int was_made;
} jpeg_room;

void jpeg_close(jpeg_room *room);

// Decodes the first rows of a strip or tile, of `row_bytes` each.
//   message  of 200 bytes: why fewer rows are right
//   returns  how many of them are right, from the top
uint32_t jpeg_read(const ctiff_picture *picture, const uint8_t *bytes, uint64_t length, uint32_t rows,
                   uint64_t row_bytes, uint8_t *out, jpeg_room *room, char *message);

#endif
