// SPDX-License-Identifier: Apache-2.0
//
// The steps of writing image data: rows are filtered, parts of them deflated each on its own, and the parts joined.

#ifndef CPNG_WRITE_H
#define CPNG_WRITE_H

#include <stddef.h>

#include "CPNGShim.h"

#define CPNG_FILTER_ADAPTIVE 0u
// Not an option: Up where a row is as the one above, otherwise none. Rows of few colors compress best so.
#define CPNG_FILTER_FLAT 6u

// Filters a row into its type and `length` bytes.
//   choice  cpng_image.filter, or CPNG_FILTER_FLAT
//   above   the row above, or zeros
//   step    bytes from a sample to that of the pixel before
//   out     1 + length bytes
//   spare   length bytes
void cpng_filter(unsigned choice, const uint8_t *row, const uint8_t *above, size_t length, size_t step, uint8_t *out,
                 uint8_t *spare);

// Bytes after a deflate stream that cpng_leave_open needs.
#define CPNG_OPEN_ROOM 16u

// Turns a whole deflate stream (RFC 1951) into one that goes on: its last block no longer says that it is the last, and
// an empty stored block brings the end to a whole byte.
//   bytes    the stream, and CPNG_OPEN_ROOM bytes more
//   returns  the new length, or 0 when the bytes are no such stream
size_t cpng_leave_open(uint8_t *bytes, size_t length);

#endif
