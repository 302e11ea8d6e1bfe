// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CLocks.h"

#include <time.h>

static pthread_once_t is_watching = PTHREAD_ONCE_INIT;
static uint32_t generation;

// All locks. Nobody waits for one of them while holding this one.
static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;
static clocks_lock *first;

// How long a fork waits for those that are in sections, in nanoseconds, and between two looks.
static const int64_t patience = 1000000000;
static const struct timespec pause_time = {0, 20000};

static void make(pthread_mutex_t *mutex) {
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
  pthread_mutexattr_t attributes;
  if (pthread_mutexattr_init(&attributes) == 0) {
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return;
  }
#endif
  pthread_mutex_init(mutex, NULL);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void give_all(void) {
  for (clocks_lock *lock = first; lock; lock = lock->next) {
    if (lock->is_taken) clocks_give(lock);
    lock->is_taken = 0;
  }
}

// Takes all locks, none of which it waits for while it holds others: the order in which sections nest is not known here.
static void before_fork(void) {
  int64_t end = now() + patience;
  while (1) {
    pthread_mutex_lock(&list);
    int is_whole = 1, is_over = now() > end;
    for (clocks_lock *lock = first; lock && (is_whole || is_over); lock = lock->next) {
      lock->is_taken = pthread_mutex_trylock(&lock->mutex) == 0;
      if (!lock->is_taken) is_whole = 0;
    }
    if (is_whole || is_over) return;
    give_all();
    pthread_mutex_unlock(&list);
    nanosleep(&pause_time, NULL);
  }
}

static void in_parent(void) {
  give_all();
  pthread_mutex_unlock(&list);
}

static void in_child(void) {
  generation += 1;
  for (clocks_lock *lock = first; lock; lock = lock->next) {
    lock->is_taken = 0;
    make(&lock->mutex);
  }
  pthread_mutex_init(&list, NULL);
}

static void watch(void) { (void)pthread_atfork(before_fork, in_parent, in_child); }

void clocks_make(clocks_lock *lock) {
  pthread_once(&is_watching, watch);
  make(&lock->mutex);
  lock->is_taken = 0;
  lock->previous = NULL;
  pthread_mutex_lock(&list);
  lock->next = first;
  if (first) first->previous = lock;
  first = lock;
  pthread_mutex_unlock(&list);
}

void clocks_remove(clocks_lock *lock) {
  pthread_mutex_lock(&list);
  if (lock->previous) lock->previous->next = lock->next;
  else first = lock->next;
  if (lock->next) lock->next->previous = lock->previous;
  pthread_mutex_unlock(&list);
  pthread_mutex_destroy(&lock->mutex);
}

uint32_t clocks_generation(void) { return generation; }
