// SPDX-License-Identifier: Apache-2.0
//
// A lock for short sections that many threads enter.

#ifndef CHOSTSYSTEM_LOCKS_H
#define CHOSTSYSTEM_LOCKS_H

#include <pthread.h>

// Makes a lock for which a thread spins a little before it sleeps. It knows no priorities: one that does is a call of the
// system for each thread that waits. It is taken and given back with pthread_mutex_lock and pthread_mutex_unlock.
void chostsystem_make_lock(pthread_mutex_t *lock);

#endif
