// SPDX-License-Identifier: Apache-2.0
//
// A worker on a thread of the test: it does what it is asked, by the table of messages, until it is in a state in which it
// turns hostile.

#ifndef PEER_H
#define PEER_H

#include <rules.h>

typedef enum peer_act {
  PEER_SAYS,       // one message, and then it is silent
  PEER_FLOODS,     // the same message again and again, and it reads nothing
  PEER_IS_SILENT,
  PEER_IS_HONEST,
} peer_act;

typedef struct peer_plan {
  uint32_t state;
  uint32_t kind;
  peer_act act;
  // Sockets of the server and of the worker, closed at the end.
  int control, socket;
} peer_plan;

// Plays the worker until the program closes its sockets.
void peer_run(peer_plan plan);

// Memory for what both processes write.
int peer_memory(void);

// Ends of a connection, as the program makes them.
int peer_pair(int ends[2]);

#endif
