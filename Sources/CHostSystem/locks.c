// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CHostSystem.h"

void chostsystem_make_lock(pthread_mutex_t *lock) {
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
  pthread_mutexattr_t attributes;
  if (pthread_mutexattr_init(&attributes) == 0) {
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return;
  }
#endif
  pthread_mutex_init(lock, NULL);
}
