// SPDX-License-Identifier: Apache-2.0
//
// The worker as a part of a program, which starts itself once more to run the coders that are built into it.

#ifndef CWORKER_H
#define CWORKER_H

#include <stdint.h>

#include <imgcoder/imgcoder.h>

#include "thread_calls.h"

// Answers as the entry of a plugin does.
typedef const imgcoder_coder *(*cworker_describe)(const imgcoder_host *host);

// Whether this process was started as a worker by its parent, which is the same program, or one that has loaded the same library.
// One that only has the name of a worker ends.
//   build  of the library that the coders are part of, or null: they are part of the program
int cworker_is_asked(int count, char *const *arguments, const char *build);

// Why no worker of these coders can be started, or null if one can.
//   build  the same
const char *cworker_obstacle(const char *build);

// Runs as a worker, from a process without other threads, with one of the coders, whose number is arguments[1]. Of a library, the
// build comes after the number: another one is refused.
//   build  the same
_Noreturn void cworker_run(char *const *arguments, const cworker_describe *coders, uint64_t count, const char *build);

// The same with a plugin, whose path is arguments[1].
_Noreturn void cworker_run_plugin(char *const *arguments);

#endif
