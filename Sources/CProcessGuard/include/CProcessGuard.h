// SPDX-License-Identifier: Apache-2.0
//
// What the command's process does about a plugin that crashes, ends the process, does not stop, or prints.
//
// Only the command has this: it takes over signals, which is the program's decision, and where CProcessCalls is linked, functions
// of the C library. A call that a plugin may not make is recognized by chostsystem_this_work(), which the library keeps.
//
// A plugin that crashes, or with CProcessCalls ends the process: one line on standard error, temporary files removed, exit status 5. The same
// call or signal outside of a plugin does what it always did; temporary files are removed if it ends the process.
//
// Not recognized: a plugin that calls the kernel itself (exit_group), is linked with its own C library, replaces the
// process (exec) or its signal handlers, or is killed by SIGKILL.

#ifndef CPROCESSGUARD_H
#define CPROCESSGUARD_H

// Starts to watch. Called once, by the main thread, before it makes threads.
void processguard_start(void);

// Moves standard output to a descriptor that no plugin knows, and points standard output at standard error: what a
// plugin prints does not get among the results.
//   returns  the descriptor, which is closed in programs that this one starts; -1 if standard output is closed
int processguard_take_output(void);

// Notes a request to stop. A second one, or two seconds without an end, ends the process: it removes temporary files,
// prints a line for each plugin that does not stop, and exits with 128 + signal.
//   signal   SIGINT, SIGTERM or SIGHUP
//   safety   async-signal-safe
void processguard_stop(int signal);

// Ends the process as exit() does. What a plugin does in handlers of exit() does not change the status.
_Noreturn void processguard_exit(int status);

#endif
