// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "temporaries.h"

#include <stddef.h>
#include <unistd.h>

// A lock could be held by the thread that a signal handler interrupts, so there is none. The order of the accesses
// below keeps a path from being freed while it is read, and a file from being made after the others were removed.
enum { PLACES = 256 };
static const char *paths[PLACES];
static int is_ending;

int chostsystem_add_temporary(const char *path) {
  int place = 0;
  while (place < PLACES) {
    const char *nothing = NULL;
    if (__atomic_compare_exchange_n(&paths[place], &nothing, path, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) break;
    place++;
  }
  while (__atomic_load_n(&is_ending, __ATOMIC_SEQ_CST)) pause();
  return place < PLACES ? place : -1;
}

int chostsystem_drop_temporary(int place) {
  if (place < 0) return 1;
  __atomic_store_n(&paths[place], NULL, __ATOMIC_SEQ_CST);
  return !__atomic_load_n(&is_ending, __ATOMIC_SEQ_CST);
}

void chostsystem_remove_temporaries(void) {
  __atomic_store_n(&is_ending, 1, __ATOMIC_SEQ_CST);
  for (int place = 0; place < PLACES; place++) {
    const char *path = __atomic_load_n(&paths[place], __ATOMIC_SEQ_CST);
    if (path) unlink(path);
  }
}
