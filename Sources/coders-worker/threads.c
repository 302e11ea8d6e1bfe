// SPDX-License-Identifier: Apache-2.0
//
// Threads of a worker. They are made before its filter, which lets no thread or process be made, and wait until a library
// asks for one: these functions stand before those of the C library, whatever the library is.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "stand_in.h"
#include "worker.h"

// PATIENCE is in seconds.
enum { MOST_THREADS = 8, FEWEST_THREADS = 2, PATIENCE = 2 };

typedef int (*create_call)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int (*join_call)(pthread_t, void **);
typedef int (*detach_call)(pthread_t);

static create_call create;
static join_call join;
static detach_call detach;

// Those of the C library. A program that is its own worker calls them through these functions, too, perhaps from several threads
// at once: all find the same.
static void find_calls(void) {
  if (__atomic_load_n(&create, __ATOMIC_ACQUIRE)) return;
  join = (join_call)dlsym(RTLD_NEXT, "pthread_join");
  detach = (detach_call)dlsym(RTLD_NEXT, "pthread_detach");
  __atomic_store_n(&create, (create_call)dlsym(RTLD_NEXT, "pthread_create"), __ATOMIC_RELEASE);
}

static struct thread {
  pthread_t self;
  enum { FREE, RUNS, IS_DONE } state;
  int is_detached;
  void *(*work)(void *);
  void *argument, *result;
} threads[MOST_THREADS];
static unsigned count, ready, helpers;
static int waits_for_one;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait_for_work(void *argument) {
  struct thread *own = argument;
  pthread_mutex_lock(&guard);
  ready += 1;
  pthread_cond_broadcast(&changed);
  while (1) {
    while (own->state != RUNS) pthread_cond_wait(&changed, &guard);
    pthread_mutex_unlock(&guard);
    void *result = own->work(own->argument);
    keys_end_thread();
    pthread_mutex_lock(&guard);
    own->result = result;
    own->state = own->is_detached ? FREE : IS_DONE;
    pthread_cond_broadcast(&changed);
  }
  return NULL;
}

void threads_prepare(void) {
  find_calls();
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  helpers = processors > MOST_THREADS ? MOST_THREADS : processors > 1 ? (unsigned)processors - 1 : 0;
  // An arena for each thread would reserve 64 MiB of the address space that the worker may have.
  mallopt(M_ARENA_MAX, 1);
}

uint64_t threads_memory(void) {
  pthread_attr_t attributes;
  size_t stack = 8 << 20;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &stack);
    pthread_attr_destroy(&attributes);
  }
  return (uint64_t)MOST_THREADS * (stack + (64 << 10));
}

void threads_begin(int makes_many) {
  unsigned wanted = makes_many ? MOST_THREADS : helpers < FEWEST_THREADS ? FEWEST_THREADS : helpers;
  waits_for_one = makes_many;
  pthread_mutex_lock(&guard);
  while (count < wanted && create && create(&threads[count].self, NULL, wait_for_work, &threads[count]) == 0) count += 1;
  // What a thread does when it starts, the filter does not allow.
  while (ready < count) pthread_cond_wait(&changed, &guard);
  pthread_mutex_unlock(&guard);
}

unsigned threads_helpers(void) { return helpers < count ? helpers : count; }

static struct thread *find(pthread_t thread) {
  for (unsigned index = 0; index < count; index++) {
    if (pthread_equal(threads[index].self, thread)) return &threads[index];
  }
  return NULL;
}

static struct thread *find_free(void) {
  for (unsigned index = 0; index < count; index++) {
    if (threads[index].state == FREE) return &threads[index];
  }
  return NULL;
}

// Waits until a thread is free, with the lock held. Not for ever: the others may wait for the one that is asked for.
static struct thread *wait_for_free(void) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += PATIENCE;
  struct thread *free = find_free();
  while (!free && pthread_cond_timedwait(&changed, &guard, &end) == 0) free = find_free();
  return free;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument) {
  find_calls();
  // Before there is a file, a library may have threads of its own in the server.
  if (count == 0) return create ? create(thread, attributes, work, argument) : EAGAIN;
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes) pthread_attr_getdetachstate(attributes, &state);
  pthread_mutex_lock(&guard);
  struct thread *free = waits_for_one ? wait_for_free() : find_free();
  if (free) {
    *thread = free->self;
    free->is_detached = state == PTHREAD_CREATE_DETACHED;
    free->work = work;
    free->argument = argument;
    free->state = RUNS;
  }
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&guard);
  return free ? 0 : EAGAIN;
}

int pthread_join(pthread_t thread, void **result) {
  find_calls();
  struct thread *own = find(thread);
  if (!own) return join ? join(thread, result) : ESRCH;
  pthread_mutex_lock(&guard);
  while (own->state == RUNS) pthread_cond_wait(&changed, &guard);
  if (result) *result = own->result;
  own->state = FREE;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&guard);
  return 0;
}

int pthread_detach(pthread_t thread) {
  find_calls();
  struct thread *own = find(thread);
  if (!own) return detach ? detach(thread) : ESRCH;
  pthread_mutex_lock(&guard);
  own->is_detached = 1;
  if (own->state == IS_DONE) own->state = FREE;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&guard);
  return 0;
}
