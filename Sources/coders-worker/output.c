// SPDX-License-Identifier: Apache-2.0

#include <string.h>
#include <unistd.h>

#include "worker.h"

// Two slots, of which the program takes one while the other is filled. What is left at the end of a call goes with the
// answer.
static struct {
  int is_open;
  imgcoder_status refusal;
  uint32_t slot, filled;
  uint64_t before;  // bytes of the file before those of the slot
  uint64_t count_sent, count_taken, last_of_slot[2];
} output;

static uint8_t *slot_bytes(void) {
  return the_session.shared + ISOLATION_OUTPUT_START + (size_t)output.slot * ISOLATION_OUTPUT_BYTES;
}

int output_is_open(void) { return output.is_open; }

void output_taken(imgcoder_status status) {
  output.count_taken += 1;
  if (status != IMGCODER_STATUS_OK && output.refusal == IMGCODER_STATUS_OK) output.refusal = status;
}

static void await(uint64_t count) {
  while (output.count_taken < count) {
    isolation_message message;
    int descriptor;
    receive(&message, &descriptor);
    if (message.kind != ISOLATION_TAKEN) _exit(0);
    output_taken(message.words[0]);
  }
}

// Sends what is in the slot, and turns to the other one as soon as it is free.
static void send_slot(int replaces, uint64_t offset) {
  if (output.filled == 0) return;
  isolation_message message = {.words = {output.slot, (uint32_t)replaces}, .longs = {output.filled, offset}};
  send_message(ISOLATION_OUTPUT, message, NULL, 0);
  output.last_of_slot[output.slot] = ++output.count_sent;
  if (!replaces) output.before += output.filled;
  output.filled = 0;
  output.slot ^= 1;
  await(output.last_of_slot[output.slot]);
}

static uint64_t fill(const uint8_t *bytes, uint64_t length) {
  uint64_t part = length < ISOLATION_OUTPUT_BYTES - output.filled ? length : ISOLATION_OUTPUT_BYTES - output.filled;
  memcpy(slot_bytes() + output.filled, bytes, part);
  output.filled += (uint32_t)part;
  return part;
}

static imgcoder_status problem(const uint8_t *bytes, uint64_t length) {
  if (!output.is_open) return IMGCODER_STATUS_OUT_OF_ORDER;
  if (!bytes && length > 0) return IMGCODER_STATUS_INVALID_ARGUMENT;
  if (the_session.host.is_cancelled(&the_session.host)) return IMGCODER_STATUS_CANCELLED;
  return output.refusal;
}

static imgcoder_status put(const imgcoder_output *raw, const uint8_t *bytes, uint64_t length) {
  (void)raw;
  imgcoder_status status = problem(bytes, length);
  while (length > 0 && status == IMGCODER_STATUS_OK) {
    uint64_t part = fill(bytes, length);
    bytes += part;
    length -= part;
    if (output.filled == ISOLATION_OUTPUT_BYTES) send_slot(0, 0);
    status = output.refusal;
  }
  return status;
}

static imgcoder_status patch(const imgcoder_output *raw, uint64_t offset, const uint8_t *bytes, uint64_t length) {
  (void)raw;
  imgcoder_status status = problem(bytes, length);
  if (status != IMGCODER_STATUS_OK || length == 0) return status;
  if (offset >= output.before && offset - output.before <= output.filled &&
      length <= output.filled - (offset - output.before)) {
    memcpy(slot_bytes() + (offset - output.before), bytes, length);
    return status;
  }
  send_slot(0, 0);
  while (length > 0 && output.refusal == IMGCODER_STATUS_OK) {
    uint64_t part = fill(bytes, length);
    send_slot(1, offset);
    bytes += part;
    length -= part;
    offset += part;
  }
  // Whether the bytes are there is for the program to say, before the plugin goes on.
  await(output.count_sent);
  return output.refusal;
}

imgcoder_output the_output;

void output_begin(void) {
  memset(&output, 0, sizeof output);
  output.is_open = 1;
  the_output = (imgcoder_output){.struct_size = sizeof the_output, .context = &output, .write = put, .patch = patch};
}

void output_end(void) { output.is_open = 0; }

void output_reply(imgcoder_status status, const void *results, uint32_t length) {
  await(output.count_sent);
  if (status == IMGCODER_STATUS_OK) status = output.refusal;
  uint32_t filled = output.filled;
  output.before += filled;
  output.filled = 0;
  reply_with_output(status, results, length, output.slot, filled);
}
