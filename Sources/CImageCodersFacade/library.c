// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "library.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 32 };

static char build[2 * MOST_BYTES + 1];
static char *path;
static pthread_once_t looked = PTHREAD_ONCE_INIT;

static void take_build(const uint8_t *notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, notes, sizeof note);
    size_t name = (note.n_namesz + 3) & ~(size_t)3, bytes = (note.n_descsz + 3) & ~(size_t)3;
    const uint8_t *text = notes + sizeof note;
    if (size - sizeof note < name + bytes) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(text, "GNU", 4) == 0 && note.n_descsz <= MOST_BYTES) {
      for (size_t index = 0; index < note.n_descsz; index++) sprintf(build + 2 * index, "%02x", text[name + index]);
      return;
    }
    notes = text + name + bytes;
    size -= sizeof note + name + bytes;
  }
}

static int look(struct dl_phdr_info *object, size_t size, void *nothing) {
  const uintptr_t own = (uintptr_t)&look;
  int is_own = 0;
  (void)size;
  (void)nothing;
  for (unsigned index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
    const uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && own >= start && own - start < segment->p_memsz) is_own = 1;
  }
  for (unsigned index = 0; is_own && index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
    if (segment->p_type == PT_NOTE && !*build) take_build((const uint8_t *)(object->dlpi_addr + segment->p_vaddr), segment->p_memsz);
  }
  return is_own;
}

static void look_once(void) {
  Dl_info own;
  dl_iterate_phdr(look, NULL);
  // As soon as it is asked for: the name may begin at a folder that the process leaves.
  if (dladdr((const void *)&look, &own) && own.dli_fname) path = realpath(own.dli_fname, NULL);
}

const char *library_path(void) {
  pthread_once(&looked, look_once);
  return path;
}

const char *library_build(void) {
  pthread_once(&looked, look_once);
  return build;
}
