// SPDX-License-Identifier: Apache-2.0
//
// Locks for short sections that many threads enter, which are whole in a child of fork().
//
// fork() waits until nobody is in a section, a second at most, so that what a lock guards is whole in the child. There all
// locks are free: the threads that wait for them, and one that was in a section for too long, are not in the child. Swift's
// Mutex is none of this, and ends a child in which two threads meet at one: it keeps the number of the thread that forked.

#ifndef CLOCKS_H
#define CLOCKS_H

#include <pthread.h>
#include <stdint.h>

// A lock. It may not move, and is for these functions alone.
typedef struct clocks_lock {
  pthread_mutex_t mutex;
  struct clocks_lock *previous, *next;
  int is_taken;  // by a fork
} clocks_lock;

// Makes a lock for which a thread spins a little before it sleeps. It knows no priorities: one that does is a call of the
// system for each thread that waits.
void clocks_make(clocks_lock *lock);

// Ends a lock that nobody holds.
void clocks_remove(clocks_lock *lock);

static inline void clocks_take(clocks_lock *lock) { (void)pthread_mutex_lock(&lock->mutex); }

static inline void clocks_give(clocks_lock *lock) { (void)pthread_mutex_unlock(&lock->mutex); }

// How often a process forked on the way to this one, since it made its first lock. Threads, processes and connections that
// are noted under another number are not this process's own.
uint32_t clocks_generation(void);

#endif
