// SPDX-License-Identifier: Apache-2.0
//
// What libraries keep for each thread, and free when it ends. A thread of a worker does not end after its work: here it is
// freed nonetheless, which GLib's threads wait for.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>

#include "stand_in.h"
#include "worker.h"

// As many as the C library has.
enum { MOST_KEYS = PTHREAD_KEYS_MAX };

typedef void (*destructor)(void *);

static destructor destructors[MOST_KEYS];

int pthread_key_create(pthread_key_t *key, void (*destroy)(void *)) {
  int (*create)(pthread_key_t *, destructor) =
      (int (*)(pthread_key_t *, destructor))dlsym(RTLD_NEXT, "pthread_key_create");
  int problem = create ? create(key, destroy) : EAGAIN;
  if (problem == 0 && *key < MOST_KEYS) __atomic_store_n(&destructors[*key], destroy, __ATOMIC_RELEASE);
  return problem;
}

int pthread_key_delete(pthread_key_t key) {
  int (*delete)(pthread_key_t) = (int (*)(pthread_key_t))dlsym(RTLD_NEXT, "pthread_key_delete");
  if (key < MOST_KEYS) __atomic_store_n(&destructors[key], NULL, __ATOMIC_RELEASE);
  return delete ? delete(key) : EINVAL;
}

void keys_end_thread(void) {
  int again = 1;
  // A destructor may set other values.
  for (int turn = 0; turn < PTHREAD_DESTRUCTOR_ITERATIONS && again; turn++) {
    again = 0;
    for (pthread_key_t key = 0; key < MOST_KEYS; key++) {
      destructor destroy = __atomic_load_n(&destructors[key], __ATOMIC_ACQUIRE);
      void *value = destroy ? pthread_getspecific(key) : NULL;
      if (!value) continue;
      pthread_setspecific(key, NULL);
      destroy(value);
      again = 1;
    }
  }
}
