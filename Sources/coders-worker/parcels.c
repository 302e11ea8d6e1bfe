// SPDX-License-Identifier: Apache-2.0

#include <stdlib.h>
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

parcel_bytes parcel_block(parcel *parcel) {
  parcel_bytes block;
  parcel_take(parcel, &block.length, sizeof block.length);
  block.bytes = skip(parcel, block.length);
  return block;
}

imgcoder_string parcel_text(parcel *parcel) {
  parcel_bytes text = parcel_block(parcel);
  return (imgcoder_string){(const char *)text.bytes, text.length};
}

// Pointers to structs, and the structs after them.
static void *list(parcel *parcel, uint64_t *count, size_t size) {
  uint32_t items;
  parcel_take(parcel, &items, sizeof items);
  *count = items;
  // An item takes more bytes than one.
  if (items > parcel->left) _exit(0);
  char *memory = calloc((size_t)items + 1, sizeof(void *) + size);
  if (!memory) return NULL;
  char *structs = memory + ((size_t)items + 1) * sizeof(void *);
  for (uint32_t index = 0; index < items; index++) ((void **)memory)[index] = structs + index * size;
  return memory;
}

const imgcoder_option_value *const *parcel_values(parcel *parcel, uint64_t *count) {
  imgcoder_option_value **values = list(parcel, count, sizeof **values);
  for (uint64_t index = 0; values && index < *count; index++) {
    imgcoder_option_value *value = values[index];
    value->struct_size = sizeof *value;
    parcel_take(parcel, &value->type, sizeof value->type);
    parcel_take(parcel, &value->number, sizeof value->number);
    value->name = parcel_text(parcel);
    value->text = parcel_text(parcel);
  }
  return (const imgcoder_option_value *const *)values;
}

const imgcoder_block *const *parcel_blocks(parcel *parcel, uint64_t *count) {
  imgcoder_block **blocks = list(parcel, count, sizeof **blocks);
  for (uint64_t index = 0; blocks && index < *count; index++) {
    imgcoder_block *block = blocks[index];
    block->struct_size = sizeof *block;
    block->name = parcel_text(parcel);
    parcel_bytes bytes = parcel_block(parcel);
    block->bytes = bytes.bytes;
    block->length = bytes.length;
  }
  return (const imgcoder_block *const *)blocks;
}
