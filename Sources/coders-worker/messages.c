// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "worker.h"

static uint8_t received[ISOLATION_MAX_PAYLOAD];

uint8_t *payload(void) { return received; }

// Threads of a plugin may write to the log.
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;

// Where the talk with the program is, and how many answers of each kind are to come.
static uint32_t state = ISOLATION_STATE_STARTING;
static uint32_t unanswered[ISOLATION_OPENED + 1];

// Takes note of what has come, which is an answer or a request.
//   returns  0 if it may not come now
static int note_received(uint32_t kind) {
  if (kind <= ISOLATION_OPENED && unanswered[kind] > 0) {
    unanswered[kind] -= 1;
    return 1;
  }
  const isolation_rule *rule = isolation_rule_of(state, ISOLATION_PROGRAM, kind);
  if (rule) state = rule->next;
  return rule != NULL;
}

// Takes note of what is sent. What may not be, the program judges.
static void note_sent(const isolation_message *message) {
  const isolation_rule *rule = isolation_rule_of(state, ISOLATION_WORKER, message->kind);
  if (!rule) return;
  int waits = message->kind != ISOLATION_BAND || message->longs[0] != 0;
  if (rule->answer != 0 && waits) unanswered[rule->answer] += 1;
  state = rule->ahead != 0 && message->words[4] != 0 ? rule->ahead : rule->next;
}

void receive(isolation_message *message, int *descriptor) {
  *descriptor = -1;
  messages_hold(0);
  int got;
  for (int is_less = 0; (got = isolation_receive(ISOLATION_SOCKET, message, received, descriptor)) == -2; is_less = 1) {
    if (!is_less) code_give_back();
  }
  // The program is gone, or ends this worker by closing its socket.
  if (got != 1) _exit(0);
  pthread_mutex_lock(&sending);
  int may_come = note_received(message->kind);
  pthread_mutex_unlock(&sending);
  if (!may_come) _exit(0);
}

static uint8_t unsent[sizeof(isolation_message) + ISOLATION_MAX_PAYLOAD];
static size_t unsent_length;
static int is_holding;

// One call that takes a buffer and no descriptors: the filter allows no other.
static void send_unsent(void) {
  ssize_t sent = 0;
  if (unsent_length == 0) return;
  do {
    sent = sendto(ISOLATION_SOCKET, unsent, unsent_length, MSG_NOSIGNAL, NULL, 0);
  } while (sent < 0 && errno == EINTR);
  unsent_length = 0;
  if (sent < 0) _exit(0);
}

void messages_hold(int holds) {
  pthread_mutex_lock(&sending);
  is_holding = holds;
  if (!holds) send_unsent();
  pthread_mutex_unlock(&sending);
}

void send_message(uint32_t kind, isolation_message message, const void *bytes, uint32_t length) {
  pthread_mutex_lock(&sending);
  // What nobody asked for is dropped where it may not come: a plugin says it while it closes a file, or on a thread that it left.
  int is_remark = kind == ISOLATION_LOG || kind == ISOLATION_PROGRESS;
  if (is_remark && !isolation_rule_of(state, ISOLATION_WORKER, kind)) {
    pthread_mutex_unlock(&sending);
    return;
  }
  if (unsent_length + sizeof message + length > sizeof unsent) send_unsent();
  message.kind = kind;
  note_sent(&message);
  message.call = the_session.call;
  message.length = length;
  memcpy(unsent + unsent_length, &message, sizeof message);
  unsent_length += sizeof message;
  if (length > 0) memcpy(unsent + unsent_length, bytes, length);
  unsent_length += length;
  if (!is_holding) send_unsent();
  pthread_mutex_unlock(&sending);
}

void send_chunks(uint32_t kind, const uint8_t *bytes, uint64_t length) {
  while (length > 0) {
    uint32_t part = length < ISOLATION_MAX_PAYLOAD ? (uint32_t)length : ISOLATION_MAX_PAYLOAD;
    send_message(kind, (isolation_message){0}, bytes, part);
    bytes += part;
    length -= part;
  }
}

void reply(imgcoder_status status, const void *results, uint32_t length) {
  reply_with_output(status, results, length, 0, 0);
}

void reply_with_output(imgcoder_status status, const void *results, uint32_t length, uint32_t slot, uint64_t bytes) {
  static uint8_t buffer[ISOLATION_MAX_PAYLOAD];
  session *s = &the_session;
  isolation_message message = {0};
  uint32_t reason = s->failure_length;
  // A reason belongs to the status that it was given for, as in the program itself.
  message.words[0] = status;
  message.words[1] = reason | s->failure_limit << 16;
  message.words[2] = length;
  message.words[3] = s->failure;
  message.words[4] = slot;
  message.longs[0] = (uint64_t)s->failure_offset;
  message.longs[1] = bytes;
  message.longs[2] = s->failure_found;
  message.longs[3] = s->failure_allowed;
  message.inflated = __atomic_load_n(&s->inflated, __ATOMIC_RELAXED);
  memcpy(buffer, s->failure_text, reason);
  if (length > 0) memcpy(buffer + reason, results, length);
  send_message(ISOLATION_REPLY, message, buffer, reason + length);
  s->failure = 0;
  s->failure_length = 0;
  s->failure_offset = -1;
  s->failure_limit = 0;
  s->failure_found = 0;
  s->failure_allowed = 0;
  // A call that goes on by itself has what is left.
  s->may_inflate = message.inflated < s->may_inflate ? s->may_inflate - message.inflated : 0;
  __atomic_store_n(&s->inflated, 0, __ATOMIC_RELAXED);
}
