// SPDX-License-Identifier: Apache-2.0

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker.h"

int parcel_open(parcel *parcel, const isolation_message *request, int memory) {
  *parcel = (struct parcel){payload(), request->length, NULL, 0};
  if (request->words[4] == 0) return 1;
  void *map = mmap(NULL, request->longs[0], PROT_READ, MAP_SHARED, memory, 0);
  close(memory);
  if (map == MAP_FAILED) return 0;
  *parcel = (struct parcel){map, request->longs[0], map, request->longs[0]};
  return 1;
}

void parcel_close(parcel *parcel) {
  if (parcel->map) munmap(parcel->map, parcel->size);
  parcel->map = NULL;
}

static const uint8_t *skip(parcel *parcel, uint64_t size) {
  const uint8_t *start = parcel->next;
  // The program does not send this.
  if (size > parcel->left) _exit(0);
  parcel->next += size;
  parcel->left -= size;
  return start;
}

void parcel_take(parcel *parcel, void *to, size_t size) { memcpy(to, skip(parcel, size), size); }

imgcoder_block parcel_block(parcel *parcel) {
  imgcoder_block block;
  parcel_take(parcel, &block.length, sizeof block.length);
  block.bytes = skip(parcel, block.length);
  return block;
}

imgcoder_string parcel_text(parcel *parcel) {
  imgcoder_block block = parcel_block(parcel);
  return (imgcoder_string){(const char *)block.bytes, block.length};
}
