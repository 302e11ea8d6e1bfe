// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CIsolation.h>
#include <imgcoder/imgcoder.h>

#include "peer.h"

enum { WIDTH = 8, HEIGHT = 6 };

int peer_memory(void) { return isolation_memory(ISOLATION_SHARED_BYTES, 0); }

int peer_pair(int ends[2]) { return isolation_pair(ends); }

static int say(int socket, isolation_message message, uint32_t kind, const void *bytes, uint32_t length) {
  message.kind = kind;
  message.length = length;
  return isolation_send(socket, message, bytes, -1) == 1;
}

static void say_hello(int control) {
  struct {
    isolation_description description;
    char texts[19];
  } hello = {.texts = "org.example.liar"
                      "1"
                      "2"};
  hello.description = (isolation_description){
      .protocol = ISOLATION_PROTOCOL, .size = sizeof hello.description, .reads = 1, .writes = 1, .recognizes = 1,
      .adds_metadata = 1, .id = 16, .version = 1, .library = 1};
  say(control, (isolation_message){.longs = {ISOLATION_ALL_LAYERS}}, ISOLATION_HELLO, &hello, sizeof hello);
}

// What an honest worker says of two pages with a profile.
static uint32_t describe_page(uint8_t *bytes) {
  static const char format[] = "org.example.liar";
  imgcoder_info info = {.struct_size = sizeof info, .flags = IMGCODER_INFO_HAS_ICC, .width = WIDTH, .height = HEIGHT,
                        .pixel_format = IMGCODER_PIXEL_RGB8, .bits_per_channel = 8, .frame_count = 1, .page_count = 2};
  uint32_t lengths[2] = {sizeof format - 1, 0};
  memcpy(bytes, &info, sizeof info);
  memcpy(bytes + sizeof info, &lengths[0], 4);
  memcpy(bytes + sizeof info + 4, format, lengths[0]);
  memcpy(bytes + sizeof info + 4 + lengths[0], &lengths[1], 4);
  return (uint32_t)sizeof info + 8 + lengths[0];
}

static uint32_t results(uint32_t request, uint8_t *bytes) {
  const uint32_t layout[2] = {IMGCODER_PIXEL_RGBA8, IMGCODER_ALPHA_STRAIGHT};
  imgcoder_offer offer = {.struct_size = sizeof offer, .width = WIDTH, .height = HEIGHT, .pixel_format = IMGCODER_PIXEL_RGB8,
                          .row_order = IMGCODER_ROWS_TOP_DOWN};
  imgcoder_frame_info frame = {.struct_size = sizeof frame, .width = WIDTH, .height = HEIGHT, .depends_on = UINT32_MAX};
  switch (request) {
    case ISOLATION_OPEN:
    case ISOLATION_INFO: return describe_page(bytes);
    case ISOLATION_FRAME: memcpy(bytes, &frame, sizeof frame); return sizeof frame;
    case ISOLATION_NEGOTIATE: memcpy(bytes, &offer, sizeof offer); return sizeof offer;
    case ISOLATION_METADATA: return 8;
    case ISOLATION_WRITER_LAYOUT: memcpy(bytes, layout, sizeof layout); return sizeof layout;
    default: return 0;
  }
}

// The program closes its end when it is done with a worker.
static void wait_for_end(int socket) {
  struct pollfd end = {.fd = socket};
  while (poll(&end, 1, 60000) > 0 && !(end.revents & (POLLHUP | POLLERR))) {
  }
}

static void act(const peer_plan *plan, uint32_t call) {
  const isolation_message message = {.call = call};
  if (plan->act == PEER_SAYS) say(plan->socket, message, plan->kind, NULL, 0);
  while (plan->act == PEER_FLOODS && say(plan->socket, message, plan->kind, NULL, 0)) {
  }
  wait_for_end(plan->socket);
}

static void run(const peer_plan *plan) {
  static _Thread_local uint8_t payload[ISOLATION_MAX_PAYLOAD];
  uint8_t bytes[1024];
  uint32_t state = ISOLATION_STATE_STARTING, call = 0;
  say_hello(plan->control);
  if (plan->act != PEER_IS_HONEST && plan->state == state) return act(plan, call);
  // It is ready, and the file before is closed. Both come at once: the program does not wait long for the second.
  const isolation_message first[2] = {{.kind = ISOLATION_READY, .longs = {ISOLATION_ALL_LAYERS}}, {.kind = ISOLATION_REPLY}};
  if (send(plan->socket, first, sizeof first, MSG_NOSIGNAL) != sizeof first) return;
  state = ISOLATION_STATE_IDLE;
  while (1) {
    if (plan->act != PEER_IS_HONEST && plan->state == state) return act(plan, call);
    isolation_message request;
    int memory;
    if (isolation_receive(plan->socket, &request, payload, &memory) != 1) return;
    if (memory >= 0) close(memory);
    const isolation_rule *rule = isolation_rule_of(state, ISOLATION_PROGRAM, request.kind);
    if (!rule) return;
    state = rule->next;
    call = request.call;
    if (plan->act != PEER_IS_HONEST && plan->state == state) return act(plan, call);
    memset(bytes, 0, sizeof bytes);
    uint32_t length = results(request.kind, bytes);
    isolation_message band = {.call = call, .words = {0, HEIGHT}}, reply = {.call = call, .words = {0, 0, length}};
    if (request.kind == ISOLATION_DECODE && !say(plan->socket, band, ISOLATION_BAND, NULL, 0)) return;
    if (!say(plan->socket, reply, ISOLATION_REPLY, bytes, length)) return;
    state = isolation_rule_of(state, ISOLATION_WORKER, ISOLATION_REPLY)->next;
  }
}

void peer_run(peer_plan plan) {
  run(&plan);
  close(plan.socket);
  close(plan.control);
}
