// SPDX-License-Identifier: Apache-2.0
//
// Strips and tiles of JPEG's lossless process (ITU-T T.81 annex H), which libtiff leaves to libjpeg, and that leaves out.
// Private to the shim.

#ifndef CTIFF_LOSSLESS_H
#define CTIFF_LOSSLESS_H

#include "plan.h"

// What is kept between strips or tiles. Begins with zeros.
typedef struct lossless_room {
  struct lossless_tables *tables;
  uint16_t *samples;
  uint64_t bytes;  // of the samples
} lossless_room;

void lossless_close(lossless_room *room);

// Bytes of a room.
uint64_t lossless_memory(const rows_plan *plan);

// Decodes the first rows of a strip or tile of one plane, as the file would have them without compression.
//   message  of 200 bytes: why fewer rows are right
//   returns  how many of them are right, from the top
uint32_t lossless_read(const rows_plan *plan, const uint8_t *bytes, uint64_t length, uint32_t rows, uint8_t *out,
                       lossless_room *room, char *message);

#endif
