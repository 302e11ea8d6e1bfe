// SPDX-License-Identifier: Apache-2.0
//
// Memory for a library that writes a whole picture from the top, of which only the rows around the last one are kept: what was
// used moves ahead of the writer. Each page has the zeros, or the rows, of this picture alone.

#ifndef CROLLINGMEMORY_H
#define CROLLINGMEMORY_H

#include <stdint.h>

typedef struct {
  uint8_t *base;  // null when there is no memory
  uint64_t length, used, ahead;
  uint8_t *mapping;
  uint64_t mapped;
} rolling_memory;

// Memory of so many bytes, none of which is there before it is written. Answers 0 when the address space has no room.
int rolling_memory_map(rolling_memory *memory, uint64_t length);

// The bytes before `used` are not needed any more. None was written from `written` on. Answers 0 when there is no memory for
// what is written next.
int rolling_memory_use(rolling_memory *memory, uint64_t used, uint64_t written);

void rolling_memory_unmap(rolling_memory *memory);

#endif
