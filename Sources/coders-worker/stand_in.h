// SPDX-License-Identifier: Apache-2.0
//
// Functions that stand before those of the C library. A sanitizer has its own, which stay: in workers of a program that is built
// with one, libraries make no threads.

#ifndef STAND_IN_H
#define STAND_IN_H

#include <pthread.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define pthread_create unused_pthread_create
#define pthread_join unused_pthread_join
#define pthread_detach unused_pthread_detach
#define pthread_key_create unused_pthread_key_create
#define pthread_key_delete unused_pthread_key_delete
int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_detach(pthread_t);
int pthread_key_create(pthread_key_t *, void (*)(void *));
int pthread_key_delete(pthread_key_t);
#endif
#endif

#endif
