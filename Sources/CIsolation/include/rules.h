// SPDX-License-Identifier: Apache-2.0
//
// Who may send which message when, and what follows: one table, from which both sides check what they receive, and from which
// tests try every message in every state and look for states in which both sides wait.

#ifndef CISOLATION_RULES_H
#define CISOLATION_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

typedef enum isolation_side { ISOLATION_PROGRAM = 0, ISOLATION_WORKER = 1 } isolation_side;

// The states of the socket between a program and a worker. In one of rest, the program may ask; in one of a call, the worker
// answers.
typedef enum isolation_state {
  ISOLATION_STATE_NONE = 0,
  ISOLATION_STATE_STARTING,  // the worker locks itself
  // Of rest.
  ISOLATION_STATE_IDLE,
  ISOLATION_STATE_READER,
  ISOLATION_STATE_WRITER,
  ISOLATION_STATE_SOURCE,
  // Of calls.
  ISOLATION_STATE_OPENING,
  ISOLATION_STATE_LOOKING,
  ISOLATION_STATE_NEGOTIATING,
  ISOLATION_STATE_DECODING,
  ISOLATION_STATE_COLLECTING,
  ISOLATION_STATE_RECOGNIZING,
  ISOLATION_STATE_WRITING,
  ISOLATION_STATE_FILLING,  // a picture goes to the worker
  ISOLATION_STATE_TAKING,
  ISOLATION_STATE_OPERATING,
  ISOLATION_STATE_CLOSING,
  ISOLATION_STATES
} isolation_state;

typedef struct isolation_rule {
  uint8_t state, side, kind;
  uint8_t next;
  uint8_t answer;  // the message that the other side sends for it, or 0. To BAND, only if it asks for one
  uint8_t ahead;   // of REPLY: the state if the worker says that it goes on as if it had been asked, or 0
} isolation_rule;

// Returns the rule for a message in a state, or null if it may not come.
const isolation_rule *isolation_rule_of(uint32_t state, isolation_side side, uint32_t kind);

// The whole table.
const isolation_rule *isolation_rules(size_t *count);

#endif
