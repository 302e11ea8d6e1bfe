// SPDX-License-Identifier: Apache-2.0

#include "rules.h"

#define ON(state, side, kind, next, answer) \
  {ISOLATION_STATE_##state, ISOLATION_##side, ISOLATION_##kind, ISOLATION_STATE_##next, answer, 0},
// A request, which begins a call.
#define ASK(state, kind, call) ON(state, PROGRAM, kind, call, ISOLATION_REPLY)
// The answer that ends a call, and perhaps begins the next one.
#define END(call, next) ON(call, WORKER, REPLY, next, 0)
#define END_OR_GO_ON(call, next, ahead) \
  {ISOLATION_STATE_##call, ISOLATION_WORKER, ISOLATION_REPLY, ISOLATION_STATE_##next, 0, ISOLATION_STATE_##ahead},
// What a worker says in a call without ending it.
#define SAY(call, kind) ON(call, WORKER, kind, call, 0)
#define WAIT(call, kind, answer) ON(call, WORKER, kind, call, ISOLATION_##answer)

#define SAYS_MUCH(call) SAY(call, LOG) SAY(call, PROGRESS)
#define NEEDS_BYTES(call) SAYS_MUCH(call) WAIT(call, NEED, AVAILABLE) WAIT(call, SIBLING, OPENED)
#define WRITES_BYTES(call) SAYS_MUCH(call) WAIT(call, OUTPUT, TAKEN)

static const isolation_rule rules[] = {
    ON(STARTING, WORKER, READY, IDLE, 0)

    ASK(IDLE, OPEN, OPENING)
    ASK(IDLE, RECOGNIZE, RECOGNIZING)
    ASK(IDLE, WRITER_OPEN, WRITING)
    ASK(IDLE, SOURCE, TAKING)
    ASK(IDLE, CLOSE, CLOSING)

    ASK(READER, INFO, LOOKING)
    ASK(READER, FRAME, LOOKING)
    ASK(READER, NEGOTIATE, NEGOTIATING)
    ASK(READER, DECODE, DECODING)
    ASK(READER, METADATA, COLLECTING)
    ASK(READER, PROPERTIES, COLLECTING)
    ASK(READER, COLOR, COLLECTING)
    ASK(READER, CLOSE, CLOSING)

    ASK(WRITER, WRITER_LAYOUT, WRITING)
    ASK(WRITER, WRITER_HEADER, WRITING)
    ASK(WRITER, WRITER_METADATA, WRITING)
    ASK(WRITER, WRITER_COLOR, WRITING)
    ASK(WRITER, WRITER_THUMBNAIL, FILLING)
    ASK(WRITER, WRITER_FRAME, FILLING)
    ASK(WRITER, WRITER_FINISH, WRITING)
    ASK(WRITER, CLOSE, CLOSING)

    ASK(SOURCE, OPERATE, OPERATING)
    ASK(SOURCE, CLOSE, CLOSING)

    NEEDS_BYTES(OPENING) END_OR_GO_ON(OPENING, READER, NEGOTIATING)
    NEEDS_BYTES(LOOKING) END(LOOKING, READER)
    NEEDS_BYTES(NEGOTIATING) END_OR_GO_ON(NEGOTIATING, READER, DECODING)
    NEEDS_BYTES(DECODING) WAIT(DECODING, BAND, TAKEN) SAY(DECODING, ROWS) END(DECODING, READER)
    NEEDS_BYTES(COLLECTING) SAY(COLLECTING, CHUNK) END(COLLECTING, READER)
    END(RECOGNIZING, IDLE)
    WRITES_BYTES(WRITING) END(WRITING, WRITER)
    WRITES_BYTES(FILLING) WAIT(FILLING, WANT, FILLED) END(FILLING, WRITER)
    END(TAKING, SOURCE)
    WRITES_BYTES(OPERATING) WAIT(OPERATING, NEED, AVAILABLE) WAIT(OPERATING, SIBLING, OPENED)
    SAY(OPERATING, CHUNK) END(OPERATING, SOURCE)
    SAY(CLOSING, LOG) END(CLOSING, IDLE)
};

const isolation_rule *isolation_rule_of(uint32_t state, isolation_side side, uint32_t kind) {
  for (size_t index = 0; index < sizeof rules / sizeof *rules; index++) {
    const isolation_rule *rule = &rules[index];
    if (rule->state == state && rule->side == side && rule->kind == kind) return rule;
  }
  return NULL;
}

const isolation_rule *isolation_rules(size_t *count) {
  *count = sizeof rules / sizeof *rules;
  return rules;
}
