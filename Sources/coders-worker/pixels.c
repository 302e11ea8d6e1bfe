// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker.h"

// Rows of the row order TOP_DOWN go through two bands, of which the program copies one while the other is filled. For the
// order ANY there is memory for the whole picture, and what is done is told when the program would look at it.
static struct {
  int is_active, is_any, clears;
  uint32_t height, rows_of_band;
  uint64_t row_bytes;
  imgcoder_status refusal;
  // Top-down.
  uint32_t slot, filled, sent, next, granted;
  uint64_t count_sent, count_taken, last_of_slot[2];
  // Any.
  uint8_t *picture;
  uint32_t *passes;  // the pass + 1 of rows that are done and not told yet
  uint8_t *asked;    // whether a row was asked for
  uint32_t most_pass;
} sink;

static uint8_t *band(uint32_t slot) {
  return the_session.shared + ISOLATION_CONTROL_BYTES + (size_t)slot * ISOLATION_BAND_BYTES;
}

static imgcoder_status refuse(const char *format, uint32_t count, uint32_t y) {
  char text[200];
  int length = snprintf(text, sizeof text, format, count, y, sink.height, sink.next);
  imgcoder_string message = {text, (uint64_t)length};
  return the_session.host.fail(&the_session.host, IMGCODER_STATUS_LIBRARY, -1, message);
}

void pixels_taken(imgcoder_status status) {
  sink.count_taken += 1;
  if (status != IMGCODER_STATUS_OK) sink.refusal = status;
}

static void send_band(void) {
  if (sink.filled == sink.sent) return;
  uint32_t count = sink.filled - sink.sent;
  // After the last row nothing is written before the next call.
  const int waits = sink.next < sink.height;
  isolation_message message = {
      .words = {sink.next - count, count, sink.most_pass, sink.slot, sink.sent}, .longs = {(uint64_t)waits}};
  send_message(ISOLATION_BAND, message, NULL, 0);
  sink.sent = sink.filled;
  if (waits) sink.last_of_slot[sink.slot] = ++sink.count_sent;
}

static void send_rows(void) {
  isolation_rows rows[ISOLATION_MAX_PAYLOAD / sizeof(isolation_rows)];
  uint32_t count = 0;
  // Earlier passes first: the program takes the last one that it hears of for the state of the picture.
  for (uint32_t pass = 0; pass <= sink.most_pass; pass++) {
    for (uint32_t y = 0; y < sink.height; y++) {
      if (sink.passes[y] != pass + 1) continue;
      uint32_t first = y;
      while (y < sink.height && sink.passes[y] == pass + 1) sink.passes[y++] = 0;
      rows[count++] = (isolation_rows){first, y - first, pass};
      if (count < sizeof rows / sizeof *rows) continue;
      send_message(ISOLATION_ROWS, (isolation_message){0}, rows, sizeof rows);
      count = 0;
    }
  }
  if (count > 0) send_message(ISOLATION_ROWS, (isolation_message){0}, rows, count * (uint32_t)sizeof *rows);
}

void pixels_flush(void) {
  if (!sink.is_active) return;
  if (sink.is_any) send_rows();
  else send_band();
}

// Waits until the program has copied all of a band.
static void await(uint32_t slot) {
  while (sink.count_taken < sink.last_of_slot[slot] && sink.refusal == IMGCODER_STATUS_OK) {
    isolation_message message;
    int descriptor;
    receive(&message, &descriptor);
    if (message.kind != ISOLATION_TAKEN) _exit(0);
    pixels_taken(message.words[0]);
  }
}

static imgcoder_status rows(const imgcoder_sink *raw, uint32_t y, uint32_t count, imgcoder_rows *granted) {
  (void)raw;
  if (!granted) return IMGCODER_STATUS_INVALID_ARGUMENT;
  if (sink.refusal != IMGCODER_STATUS_OK) return sink.refusal;
  if (the_session.host.is_cancelled(&the_session.host)) return IMGCODER_STATUS_CANCELLED;
  if (count == 0 || y >= sink.height || (sink.is_any ? count > sink.height - y : y != sink.next)) {
    return refuse("the reader asks for %u rows at %u of %u, %u are done", count, y);
  }
  if (sink.is_any) {
    memset(sink.asked + y, 1, count);
    *granted = (imgcoder_rows){sink.picture + y * sink.row_bytes, sink.row_bytes, count, 0};
    return IMGCODER_STATUS_OK;
  }
  if (sink.filled == sink.rows_of_band) {
    sink.slot ^= 1;
    sink.filled = sink.sent = 0;
    await(sink.slot);
    if (sink.refusal != IMGCODER_STATUS_OK) return sink.refusal;
  }
  if (count > sink.height - y) count = sink.height - y;
  if (count > sink.rows_of_band - sink.filled) count = sink.rows_of_band - sink.filled;
  sink.granted = count;
  if (sink.clears) memset(band(sink.slot) + sink.filled * sink.row_bytes, 0, count * sink.row_bytes);
  *granted = (imgcoder_rows){band(sink.slot) + sink.filled * sink.row_bytes, sink.row_bytes, count, 0};
  return IMGCODER_STATUS_OK;
}

static imgcoder_status done(const imgcoder_sink *raw, uint32_t y, uint32_t count, uint32_t pass) {
  (void)raw;
  if (sink.refusal != IMGCODER_STATUS_OK) return sink.refusal;
  if (the_session.host.is_cancelled(&the_session.host)) return IMGCODER_STATUS_CANCELLED;
  if (count == 0 || y >= sink.height || count > sink.height - y || (!sink.is_any && y != sink.next)) {
    return refuse("the reader reports %u rows at %u of %u, %u are done", count, y);
  }
  if (sink.is_any) {
    if (memchr(sink.asked + y, 0, count)) {
      return refuse("the reader reports %u rows at %u of %u, which it did not ask for", count, y);
    }
    if (pass > 65535) pass = 65535;
    if (pass > sink.most_pass) sink.most_pass = pass;
    for (uint32_t row = y; row < y + count; row++) sink.passes[row] = pass + 1;
    return IMGCODER_STATUS_OK;
  }
  if (count > sink.granted) {
    return refuse("the reader reports %u rows at %u of %u, which it did not ask for", count, y);
  }
  sink.most_pass = pass;
  sink.granted -= count;
  sink.filled += count;
  sink.next += count;
  if (sink.filled == sink.rows_of_band || sink.next == sink.height) send_band();
  return IMGCODER_STATUS_OK;
}

uint64_t pixels_row_bytes(const imgcoder_offer *offer) {
  static const uint8_t bytes[] = {0, 1, 2, 2, 4, 3, 4, 4, 8, 8, 16, 6, 6, 12, 4, 4, 8};
  return offer->pixel_format < sizeof bytes ? (uint64_t)bytes[offer->pixel_format] * offer->width : 0;
}

uint32_t pixels_rows_of_band(const imgcoder_offer *offer) {
  uint64_t bytes = pixels_row_bytes(offer);
  if (offer->row_order != IMGCODER_ROWS_TOP_DOWN || bytes == 0 || bytes > ISOLATION_BAND_BYTES) return 0;
  uint64_t rows = ISOLATION_COPIED_BYTES / bytes;
  if (rows < ISOLATION_FEWEST_ROWS) rows = ISOLATION_FEWEST_ROWS;
  if (rows > ISOLATION_BAND_BYTES / bytes) rows = ISOLATION_BAND_BYTES / bytes;
  return rows < offer->height ? (uint32_t)rows : offer->height;
}

imgcoder_status pixels_decode(const isolation_message *request, const imgcoder_offer *offer, int memory) {
  memset(&sink, 0, sizeof sink);
  sink.is_any = offer->row_order == IMGCODER_ROWS_ANY;
  sink.height = offer->height;
  sink.rows_of_band = request->words[0];
  sink.row_bytes = request->longs[0];
  sink.clears = request->words[1] != 0;
  void *map = MAP_FAILED;
  if (sink.is_any) {
    map = mmap(NULL, request->longs[1], PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    sink.passes = calloc(sink.height, sizeof *sink.passes);
    sink.asked = calloc(sink.height, 1);
    if (map == MAP_FAILED || !sink.passes || !sink.asked) {
      if (map != MAP_FAILED) munmap(map, request->longs[1]);
      free(sink.passes);
      free(sink.asked);
      return IMGCODER_STATUS_OUT_OF_MEMORY;
    }
    sink.picture = map;
  }
  sink.is_active = 1;
  imgcoder_sink raw = {.struct_size = sizeof raw, .context = &sink, .rows = rows, .done = done};
  imgcoder_status status = the_session.reader.decode(the_session.file, offer, &raw);
  pixels_flush();
  sink.is_active = 0;
  // All bands are taken before the answer, so that the next call begins with an empty queue.
  if (!sink.is_any) {
    await(0);
    await(1);
    while (sink.count_taken < sink.count_sent) {
      isolation_message message;
      int descriptor;
      receive(&message, &descriptor);
      if (message.kind != ISOLATION_TAKEN) _exit(0);
      pixels_taken(message.words[0]);
    }
  } else {
    munmap(map, request->longs[1]);
    free(sink.passes);
    free(sink.asked);
  }
  return status;
}
