// SPDX-License-Identifier: Apache-2.0
//
// The command `coders` of libimagecoders, which has the coders inside. The library starts it, too, to run a coder in a worker.

#define _GNU_SOURCE
#include <dlfcn.h>

#include "imagecoders.h"
#include "thread_calls.h"

// A worker fills this. A library such as OpenMP's calls the following functions, as this program's come first.
cworker_thread_calls coders_thread_calls;

#define CALL(member, name, ...)                                               \
  __typeof__(coders_thread_calls.member) call = coders_thread_calls.member;   \
  if (!call) call = (__typeof__(call))dlsym(RTLD_NEXT, name);                 \
  return call(__VA_ARGS__)

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument) {
  CALL(create, "pthread_create", thread, attributes, work, argument);
}

int pthread_join(pthread_t thread, void **result) { CALL(join, "pthread_join", thread, result); }

int pthread_detach(pthread_t thread) { CALL(detach, "pthread_detach", thread); }

int pthread_key_create(pthread_key_t *key, void (*destroy)(void *)) { CALL(key_create, "pthread_key_create", key, destroy); }

int pthread_key_delete(pthread_key_t key) { CALL(key_delete, "pthread_key_delete", key); }

int main(int count, char **arguments) { return ic_command(count, arguments); }
