// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker.h"

// The program fills the memory from the front, as far as it is asked to, or as the bytes arrive.
static const uint8_t *base;
static uint64_t mapped, available;
static int memory = -1;

static uint64_t pages(uint64_t bytes) { return (bytes + 4095) & ~(uint64_t)4095; }

// Maps what is there. A view lives until the next one, so the map may move; after the last byte it does not.
static int cover(void) {
  uint64_t wanted = pages(available);
  if (wanted <= mapped) return 1;
  void *map = base ? mremap((void *)base, mapped, wanted, MREMAP_MAYMOVE)
                   : mmap(NULL, wanted, PROT_READ, MAP_SHARED, memory, 0);
  if (map == MAP_FAILED) return 0;
  base = map;
  mapped = wanted;
  return 1;
}

int bytes_wait(uint32_t kind, isolation_message *message) {
  int descriptor;
  do {
    receive(message, &descriptor);
    if (message->kind != ISOLATION_TAKEN) continue;
    if (output_is_open()) output_taken(message->words[0]);
    else pixels_taken(message->words[0]);
  } while (message->kind == ISOLATION_TAKEN);
  if (message->kind != kind) _exit(0);
  return descriptor;
}

static imgcoder_status view_available(const imgcoder_source *source, uint64_t offset, uint64_t least, uint64_t most,
                                      const uint8_t **bytes, uint64_t *length) {
  session *s = &the_session;
  (void)source;
  *bytes = NULL;
  *length = 0;
  // With all bytes there, both functions do the same.
  if (s->source.size != UINT64_MAX || least > most) least = most;
  if (offset >= s->source.size || most == 0) return IMGCODER_STATUS_OK;
  uint64_t end = least > UINT64_MAX - offset ? UINT64_MAX : offset + least;
  if (end > s->source.size) end = s->source.size;
  if (end > available) {
    pixels_flush();
    isolation_message message = {.longs = {offset, least, most}};
    send_message(ISOLATION_NEED, message, NULL, 0);
    bytes_wait(ISOLATION_AVAILABLE, &message);
    bytes_update(message.longs[0], message.longs[1]);
    if (message.words[0] != IMGCODER_STATUS_OK) return message.words[0];
  }
  if (!cover()) return IMGCODER_STATUS_OUT_OF_MEMORY;
  if (offset >= available) return IMGCODER_STATUS_OK;
  *bytes = base + offset;
  *length = most < available - offset ? most : available - offset;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status view(const imgcoder_source *source, uint64_t offset, uint64_t wanted, const uint8_t **bytes,
                            uint64_t *length) {
  return view_available(source, offset, wanted, wanted, bytes, length);
}

int bytes_begin(int descriptor, uint64_t bytes, uint64_t size) {
  session *s = &the_session;
  bytes_end();
  memory = descriptor;
  available = bytes;
  memset(&s->source, 0, sizeof s->source);
  s->source.struct_size = sizeof s->source;
  s->source.context = s;
  s->source.size = size;
  s->source.view = view;
  s->source.view_available = view_available;
  return cover();
}

int bytes_begin_small(const uint8_t *bytes, uint32_t length) {
  static uint8_t small[ISOLATION_MAX_PAYLOAD];
  if (length > sizeof small) return 0;
  bytes_begin(-1, 0, length);
  memcpy(small, bytes, length);
  base = small;
  available = length;
  mapped = sizeof small;
  return 1;
}

void bytes_update(uint64_t bytes, uint64_t size) {
  if (bytes > available) available = bytes;
  the_session.source.size = size;
}

const uint8_t *bytes_all(uint64_t *length) {
  *length = available;
  return base;
}

void bytes_end(void) {
  if (memory >= 0) {
    if (base) munmap((void *)base, mapped);
    close(memory);
  }
  base = NULL;
  mapped = available = 0;
  memory = -1;
}
