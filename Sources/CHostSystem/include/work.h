// SPDX-License-Identifier: Apache-2.0
//
// What each thread is working on. The library only writes it; a program that catches crashes reads it in a signal
// handler, to name the file and the plugin. All strings live as long as the process.

#ifndef CHOSTSYSTEM_WORK_H
#define CHOSTSYSTEM_WORK_H

// A kind of call into a plugin. Lives as long as the process.
typedef struct chostsystem_plugin {
  const char *coder;    // the coder's identifier
  const char *library;  // the path of the library while it is loaded and describes itself; null for later calls
  int writes;           // whether the call writes the output; otherwise it reads the input
} chostsystem_plugin;

// What a thread is working on.
typedef struct chostsystem_work {
  const chostsystem_plugin *plugin;  // the plugin whose code the thread runs, or null
  const char *input;                 // the file that is read, as messages call it, or null
  const char *output;                // the file that is written, as messages call it, or null
  int is_inherited;                  // whether the thread was started by a plugin, whose work this is
} chostsystem_work;

// The calling thread's work. Other threads may read its fields until the thread ends.
//   safety   async-signal-safe
const chostsystem_work *chostsystem_this_work(void);

// Replaces the calling thread's work.
void chostsystem_set_work(chostsystem_work work);

// Sets the names of the files that the calling thread works on.
void chostsystem_set_files(const char *input, const char *output);

// Notes that the calling thread goes into a plugin's code.
//   returns  what to give to chostsystem_leave
const chostsystem_plugin *chostsystem_enter(const chostsystem_plugin *plugin);

// Notes that the calling thread is back from a plugin's code.
void chostsystem_leave(const chostsystem_plugin *outer);

#endif
