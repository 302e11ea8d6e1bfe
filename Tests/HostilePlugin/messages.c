// SPDX-License-Identifier: Apache-2.0
//
// What a plugin that has been taken over sends to the program.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "hostile.h"

uint32_t calls;

void *spin(void *argument) {
  for (volatile int turn = 0;; turn++) {
  }
  return argument;
}

void rest(time_t seconds) { clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){seconds, 0}, NULL); }

void send_raw(uint32_t kind, isolation_message message, const void *bytes, size_t length) {
  static char buffer[sizeof message + 65536];
  message.kind = kind;
  if (message.call == 0) message.call = calls;
  memcpy(buffer, &message, sizeof message);
  if (length > 0) memcpy(buffer + sizeof message, bytes, length);
  // The program is gone.
  if (sendto(3, buffer, sizeof message + length, 0, NULL, 0) < 0) _exit(0);
}

void flood(const char *act, const char *call) {
  char name[64];
  snprintf(name, sizeof name, "need-%s", call);
  while (strcmp(act, name) == 0) send_raw(ISOLATION_NEED, (isolation_message){.longs = {0, 1, 1}}, NULL, 0);
  snprintf(name, sizeof name, "band-%s", call);
  if (strcmp(act, name) != 0) return;
  for (uint32_t y = 0; y < TALL; y++) {
    send_raw(ISOLATION_BAND, (isolation_message){.words = {y, 1, 0, 0, 0}, .longs = {1}}, NULL, 0);
  }
  rest(3600);
}

void flood_output(void) {
  while (1) send_raw(ISOLATION_OUTPUT, (isolation_message){.longs = {1}}, NULL, 0);
}

void fill_up(const char *act, const char *call) {
  char name[64];
  int length = snprintf(name, sizeof name, "full-%s ", call);
  if (strncmp(act, name, (size_t)length) != 0) return;
  for (int count = atoi(act + length); count > 0; count--) {
    send_raw(ISOLATION_NEED, (isolation_message){.longs = {0, 1, 1}}, NULL, 0);
  }
  send_raw(ISOLATION_REPLY, (isolation_message){0}, NULL, 0);
  rest(3600);
}

void lie(const char *act) {
  static char junk[40000];
  isolation_rows rows[2] = {{0, 3, 0}, {HEIGHT, 1, 0}};
  memset(junk, 0x1B, sizeof junk);
#define SEND(name, kind, ...) \
  if (strcmp(act, name) == 0) send_raw(kind, (isolation_message){__VA_ARGS__}, junk, 0);
  SEND("band-too-long", ISOLATION_BAND, .words = {0, HEIGHT + 1, 0, 0, 0})
  SEND("band-of-32-bits", ISOLATION_BAND, .words = {0, UINT32_MAX, 0, 0, 0})
  SEND("band-later", ISOLATION_BAND, .words = {2, 1, 0, 0, 0})
  SEND("band-of-slot-2", ISOLATION_BAND, .words = {0, 1, 0, 2, 0})
  SEND("band-behind-the-end", ISOLATION_BAND, .words = {0, 1, 0, 0, UINT32_MAX})
  SEND("band-empty", ISOLATION_BAND, .words = {0, 0, 0, 0, 0})
  SEND("other-call", ISOLATION_BAND, .call = 99, .words = {0, 1})
  SEND("unknown-kind", 4242, .words = {0})
  SEND("unasked-chunk", ISOLATION_CHUNK, .words = {0})
  SEND("unasked-file", ISOLATION_OPEN, .words = {0})
  SEND("reason-too-long", ISOLATION_REPLY, .words = {0x12, UINT32_MAX, 1})
  SEND("reason-that-is-not-there", ISOLATION_REPLY, .words = {0x12, 400, 0})
  SEND("inflates", ISOLATION_REPLY, .inflated = UINT64_MAX)
  SEND("length-that-lies", ISOLATION_REPLY, .length = 77)
  if (strcmp(act, "rows-outside") == 0) send_raw(ISOLATION_ROWS, (isolation_message){.length = 24}, rows, 24);
  if (strcmp(act, "rows-twice") == 0) {
    rows[0] = rows[1] = (isolation_rows){0, HEIGHT, 0};
    send_raw(ISOLATION_ROWS, (isolation_message){.length = 24}, rows, 24);
  }
  if (strcmp(act, "too-long") == 0) send_raw(ISOLATION_CHUNK, (isolation_message){.length = 40000}, junk, 40000);
  if (strcmp(act, "short") == 0) sendto(3, junk, 10, 0, NULL, 0);
  if (strcmp(act, "band-twice") == 0) {
    send_raw(ISOLATION_BAND, (isolation_message){.words = {0, 1, 0, 0, 0}}, junk, 0);
    send_raw(ISOLATION_BAND, (isolation_message){.words = {0, 1, 0, 0, 0}}, junk, 0);
  }
  if (strcmp(act, "flood") == 0) {
    for (int line = 0; line < 3000; line++) send_raw(ISOLATION_LOG, (isolation_message){.length = 3}, junk, 3);
  }
  if (strcmp(act, "escapes") == 0) {
    send_raw(ISOLATION_REPLY, (isolation_message){.length = 8, .words = {0x12, 8, 0, 0x12}}, "\x1B[2J\xFF\xC2\x9Bx", 8);
  }
  if (strcmp(act, "unknown-status") == 0) send_raw(ISOLATION_REPLY, (isolation_message){.words = {0xFFFFFFFF}}, junk, 0);
}
