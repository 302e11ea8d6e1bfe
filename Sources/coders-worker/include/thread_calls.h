// SPDX-License-Identifier: Apache-2.0
//
// How a program lends its worker's threads to libraries that find no functions of the worker, since these are part of a library that
// shows none: the program has functions of the C library's names, which call what the worker puts here.

#ifndef THREAD_CALLS_H
#define THREAD_CALLS_H

#include <pthread.h>

// Null: those of the C library.
typedef struct cworker_thread_calls {
  int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  int (*join)(pthread_t, void **);
  int (*detach)(pthread_t);
  int (*key_create)(pthread_key_t *, void (*)(void *));
  int (*key_delete)(pthread_key_t);
} cworker_thread_calls;

// The name by which the worker looks for them in the program.
#define CWORKER_THREAD_CALLS "coders_thread_calls"

#endif
