// SPDX-License-Identifier: Apache-2.0
//
// Calls of the C library that its Swift module does not show, and what a signal handler of the program may read.

#ifndef CHOSTSYSTEM_H
#define CHOSTSYSTEM_H

#include <semaphore.h>

#include "colors.h"
#include "processors.h"
#include "temporaries.h"
#include "terminal.h"
#include "work.h"

// A variable of the environment, or null when it is unset or the program runs with raised privileges (AT_SECURE).
// The text belongs to the environment.
const char *chostsystem_secure_getenv(const char *name);

// The variables of the environment, "NAME=value", with a null pointer at the end. Not to be changed meanwhile.
char *const *chostsystem_environment(void);

// Makes a pipe whose ends are closed when a program is executed: ends[0] is read, ends[1] written.
//   returns  1, or 0 with errno set
int chostsystem_pipe(int ends[2]);

// Waits until what was written to the file system of an open file is on its disk.
void chostsystem_sync_file_system(int descriptor);

// Waits for a semaphore.
//   nanoseconds  how long at most, below a second
//   returns      1 when it was given, 0 when the time is over
int chostsystem_wait(sem_t *semaphore, long nanoseconds);

// The file of the shared library that defines a symbol for this process, or null. The text belongs to the loader.
const char *chostsystem_library_of(const char *symbol);

// Gives memory back to the system that was freed and that the C library keeps for later.
void chostsystem_give_memory_back(void);

#endif
