// SPDX-License-Identifier: Apache-2.0
//
// Strips and tiles, and what the threads that decode them use. Private to the shim.

#ifndef CTIFF_STRILE_H
#define CTIFF_STRILE_H

#include "handle.h"
#include "jpeg.h"
#include "lossless.h"
#include "plan.h"

// What one thread at a time uses. Taken when the worker gets its first strip or tile.
typedef struct worker {
  handle handle;
  int is_open;
  uint8_t *striles;  // decoded planes, one after the other
  uint8_t *turned;   // coded bytes with their bits turned
  uint64_t turned_capacity;
  uint8_t *scratch;
  jpeg_room jpeg;
  lossless_room lossless;
} worker;

// What became of a strip or tile, with all its planes.
typedef struct outcome {
  uint32_t rows;  // that are right, from its top
  imgcoder_status status;
  int64_t offset;
  char message[200];
} outcome;

// Bytes of a strip or tile in memory.
typedef struct coded {
  const uint8_t *bytes;
  uint64_t offset, length, missing;  // bytes there, and how many the file lacks
  int is_blank;                      // the file leaves it out: all samples are 0
} coded;

// Decodes one strip or tile into the worker's memory, or shows it where it is: `planes` are set to what there is.
void strile_decode(const rows_plan *plan, worker *worker, const coded *coded, uint32_t index, uint32_t per_plane,
                   uint32_t rows, uint8_t *direct, const uint8_t **planes, outcome *outcome);

void worker_close(worker *worker);

#endif
