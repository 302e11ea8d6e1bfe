// SPDX-License-Identifier: Apache-2.0

#ifndef HOSTILE_H
#define HOSTILE_H

#include <time.h>

#include <imgcoder/imgcoder.h>
#include <protocol.h>

// Rows for which the program waits: a worker tells it of a picture of up to 64 KiB together with all its rows.
enum { WIDTH = 4096, HEIGHT = 6, PREFIX = 8 };

// Of an act whose bands are more than the socket has room for answers.
enum { TALL = 1000 };

// messages.c
// Calls of the program, as this worker counts them: it has seen no other file.
extern uint32_t calls;

void *spin(void *argument);
void rest(time_t seconds);
void send_raw(uint32_t kind, isolation_message message, const void *bytes, size_t length);

// Asks as long as the program answers, and reads none of the answers. An act names the message and the call in which it is
// sent: need-open, band-decode.
void flood(const char *act, const char *call);
// As flood, of a file that is written.
void flood_output(void);
// Leaves as many answers unread as its act says, "full-decode 11", and ends the call all the same: the program's next
// message has no room.
void fill_up(const char *act, const char *call);
// Sends what no honest worker does, while the program waits for the rows of a picture.
void lie(const char *act);

// writer.c
extern const imgcoder_writer_table writer_table;
extern const imgcoder_transcode_table transcode_table;

#endif
