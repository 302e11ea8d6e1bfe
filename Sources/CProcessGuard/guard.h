// SPDX-License-Identifier: Apache-2.0

#ifndef PROCESSGUARD_GUARD_H
#define PROCESSGUARD_GUARD_H

#include <stddef.h>

// Alternate signal stacks, without which a stack that is full leaves no room for a handler. The kernel's part of a frame
// alone may be 11 KiB on processors with large registers.
enum { PROCESSGUARD_STACK = 32 << 10 };

// Makes memory the calling thread's alternate signal stack.
void processguard_use_stack(void *memory, size_t size);

// Whether this is the process that processguard_start was called in, and not a child of it that a plugin has forked.
int processguard_is_own_process(void);

// Whether the calling thread runs a plugin's code in this process.
int processguard_is_in_plugin(void);

// Ends the process at once, without handlers of exit(), for what the calling thread's plugin did.
//   what     a phrase: "called abort()"
_Noreturn void processguard_blame(const char *what);

// The same for a call with a number: "called exit(" and 0.
_Noreturn void processguard_blame_call(const char *what, long number);

// Whether the process is ending by processguard_exit; then *status is its status.
int processguard_is_exiting(int *status);

// Adds the calling thread to the list of threads, and takes it out.
int processguard_enlist(void);
void processguard_delist(int place);

#endif
