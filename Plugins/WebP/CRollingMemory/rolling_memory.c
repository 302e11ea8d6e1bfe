// SPDX-License-Identifier: Apache-2.0

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CRollingMemory.h"

#include <string.h>
#include <sys/mman.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

// A huge page: its bytes move by one entry of a table, and it is cleared once.
enum { PART = 2 << 20 };

static uint64_t rounded_up(uint64_t bytes) { return (bytes + PART - 1) / PART * PART; }

int rolling_memory_map(rolling_memory *memory, uint64_t length) {
  memset(memory, 0, sizeof *memory);
  memory->length = rounded_up(length);
  memory->mapped = memory->length + PART;
  void *mapping = mmap(NULL, memory->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return 0;
  memory->mapping = mapping;
  memory->base = (uint8_t *)mapping + (PART - (uintptr_t)mapping % PART) % PART;
  // Of a small picture, most of a huge page would be cleared in vain.
  if (length >= 2 * PART) madvise(memory->base, memory->length, MADV_HUGEPAGE);
  return 1;
}

// Moves the pages of one part to another place, where nothing was written. The old place has no pages afterwards.
static int move(rolling_memory *memory, uint64_t from, uint64_t to) {
  void *moved = mremap(memory->base + from, PART, PART, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, memory->base + to);
  if (moved != MAP_FAILED) return 1;
  // Where there is no such call, or no memory for a table, the place is as it was, or is not there any more.
  void *place = mmap(memory->base + to, PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return place != MAP_FAILED ? 0 : -1;
}

int rolling_memory_use(rolling_memory *memory, uint64_t used, uint64_t written) {
  for (; memory->used + PART <= used && memory->used + PART <= memory->length; memory->used += PART) {
    if (memory->ahead < rounded_up(written)) memory->ahead = rounded_up(written);
    const int moved = memory->ahead + PART <= memory->length ? move(memory, memory->used, memory->ahead) : 0;
    if (moved < 0) return 0;
    if (moved) memory->ahead += PART;
    else madvise(memory->base + memory->used, PART, MADV_DONTNEED);
  }
  return 1;
}

void rolling_memory_unmap(rolling_memory *memory) {
  if (memory->mapping) munmap(memory->mapping, memory->mapped);
  memset(memory, 0, sizeof *memory);
}
