// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker.h"

// A file beside the source: a copy that the program has made, until the source is closed.
typedef struct sibling {
  imgcoder_source source;
  const uint8_t *bytes;
  struct sibling *next;
} sibling;

static sibling *first;

static imgcoder_status view_available(const imgcoder_source *source, uint64_t offset, uint64_t least, uint64_t most,
                                      const uint8_t **bytes, uint64_t *length) {
  (void)least;
  const sibling *file = source->context;
  int is_inside = offset < source->size;
  *bytes = is_inside && most > 0 ? file->bytes + offset : NULL;
  *length = !is_inside ? 0 : most < source->size - offset ? most : source->size - offset;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status view(const imgcoder_source *source, uint64_t offset, uint64_t wanted, const uint8_t **bytes,
                            uint64_t *length) {
  return view_available(source, offset, wanted, wanted, bytes, length);
}

static imgcoder_status keep(int memory, uint64_t size, const imgcoder_source **source) {
  sibling *file = calloc(1, sizeof *file);
  if (!file) return IMGCODER_STATUS_OUT_OF_MEMORY;
  if (size > 0) {
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, memory, 0);
    if (map == MAP_FAILED) {
      free(file);
      return IMGCODER_STATUS_OUT_OF_MEMORY;
    }
    file->bytes = map;
  }
  file->source = (imgcoder_source){.struct_size = sizeof file->source, .context = file, .size = size};
  file->source.view = view;
  file->source.view_available = view_available;
  file->next = first;
  first = file;
  *source = &file->source;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status ask(const imgcoder_host *host, imgcoder_string name, const imgcoder_source **source) {
  (void)host;
  *source = NULL;
  uint64_t length = name.bytes ? name.length : 0;
  pixels_flush();
  // The program refuses what is longer than any name.
  send_message(ISOLATION_SIBLING, (isolation_message){0}, name.bytes,
               length < ISOLATION_MAX_NAME ? (uint32_t)length : ISOLATION_MAX_NAME);
  isolation_message message;
  int memory = bytes_wait(ISOLATION_OPENED, &message);
  imgcoder_status status = message.words[0];
  if (memory < 0) return status == IMGCODER_STATUS_OK ? IMGCODER_STATUS_IO : status;
  status = keep(memory, message.longs[0], source);
  close(memory);
  return status;
}

static const void *get_extension(const imgcoder_host *host, imgcoder_string id) {
  (void)host;
  static const imgcoder_siblings_table table = {.struct_size = sizeof table, .open = ask};
  static const char name[] = IMGCODER_EXTENSION_SIBLINGS;
  return id.length == sizeof name - 1 && !memcmp(id.bytes, name, sizeof name - 1) ? &table : NULL;
}

void siblings_begin(void) { the_session.host.get_extension = get_extension; }

void siblings_end(void) {
  while (first) {
    sibling *file = first;
    first = file->next;
    if (file->bytes) munmap((void *)file->bytes, file->source.size);
    free(file);
  }
}
