// SPDX-License-Identifier: Apache-2.0
//
// The terminal while a program draws in it: what it answers is read and not echoed, and it is given back as it was,
// whatever ends or stops the process. One terminal at a time, by one thread.
//
// While a terminal is held, SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGTSTP give it back before they do what they did
// before. SIGCONT takes it again, in the foreground.

#ifndef CHOSTSYSTEM_TERMINAL_H
#define CHOSTSYSTEM_TERMINAL_H

#include <stddef.h>

// The most bytes of an ending.
enum { CHOSTSYSTEM_TERMINAL_ENDING = 512 };

// What is done before the terminal is given back, so that no answer reaches the program that reads next.
typedef enum {
  CHOSTSYSTEM_TERMINAL_SILENT,   // nothing: it was asked nothing
  CHOSTSYSTEM_TERMINAL_ANSWERS,  // it is asked CSI c, and all answers before that one are read, for a second at most
  CHOSTSYSTEM_TERMINAL_LATE,     // it was asked CSI c and has not answered: the same without asking again, for half a second
} chostsystem_terminal_drain;

// Whether a descriptor is the terminal that controls this process, and the process is in its foreground.
int chostsystem_terminal_is_ours(int descriptor);

// Takes the controlling terminal: it is read byte by byte, without echo; keys still make signals.
//   returns  1, or 0 if there is none, the process is in its background, or it is taken already
int chostsystem_terminal_take(void);

// What is written before the terminal is given back: in a signal handler, too.
//   bytes    is copied
//   count    at most CHOSTSYSTEM_TERMINAL_ENDING; longer ones are ignored
//   drain    a chostsystem_terminal_drain
void chostsystem_terminal_set_ending(const void *bytes, size_t count, int drain);

// Writes all bytes. Signals come in between only where the terminal is waited for.
//   returns  1, or 0 if the terminal was given back or cannot be written to; the rest of the bytes is not written then
int chostsystem_terminal_write(const void *bytes, size_t count);

// Reads what the terminal has answered.
//   milliseconds  how long to wait for it
//   returns       the number of bytes; 0 if none came in this time, a signal came, or the terminal was given back
size_t chostsystem_terminal_read(void *bytes, size_t count, int milliseconds);

// How often the terminal was taken. Another number than before: what was drawn is gone, or is elsewhere.
//   returns  0 while it is not taken; in the foreground it is taken again, unless the process is about to end
unsigned chostsystem_terminal_turn(void);

// The size in characters and, if the terminal knows it, in pixels; otherwise those are 0.
//   returns  1, or 0 if it is not known
int chostsystem_terminal_size(int *columns, int *rows, int *width, int *height);

// Writes the ending and gives the terminal back for good.
void chostsystem_terminal_give_back(void);

// Gives the terminal back because the process is about to end. Nothing if it is not taken.
//   safety   async-signal-safe
void chostsystem_terminal_restore(void);

#endif
