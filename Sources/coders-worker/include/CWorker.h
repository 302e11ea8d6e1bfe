// SPDX-License-Identifier: Apache-2.0
//
// The worker as a part of a program, which starts itself once more to run the coders that are built into it.

#ifndef CWORKER_H
#define CWORKER_H

#include <stdint.h>

#include <imgcoder/imgcoder.h>

// Answers as the entry of a plugin does.
typedef const imgcoder_coder *(*cworker_describe)(const imgcoder_host *host);

// Whether this process was started as a worker by its parent, which is the same program. One that only has the name of a worker
// ends.
int cworker_is_asked(int count, char *const *arguments);

// Why this program cannot start itself as a worker, or null if it can.
const char *cworker_obstacle(void);

// Runs as a worker, from a process without other threads, with one of the program's coders, whose number is arguments[1].
_Noreturn void cworker_run(char *const *arguments, const cworker_describe *coders, uint64_t count);

// The same with a plugin, whose path is arguments[1].
_Noreturn void cworker_run_plugin(char *const *arguments);

#endif
