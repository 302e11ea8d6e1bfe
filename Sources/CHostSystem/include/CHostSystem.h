// SPDX-License-Identifier: Apache-2.0
//
// Calls of the C library that its Swift module does not show.

#ifndef CHOSTSYSTEM_H
#define CHOSTSYSTEM_H

#include <semaphore.h>

// A variable of the environment, or null when it is unset or the program runs with raised privileges (AT_SECURE).
// The text belongs to the environment.
const char *chostsystem_secure_getenv(const char *name);

// Waits for a semaphore.
//   nanoseconds  how long at most, below a second
//   returns      1 when it was given, 0 when the time is over
int chostsystem_wait(sem_t *semaphore, long nanoseconds);

#endif
