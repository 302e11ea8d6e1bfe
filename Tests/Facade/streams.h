// SPDX-License-Identifier: Apache-2.0

#ifndef STREAMS_H
#define STREAMS_H

#include <pthread.h>

#include "claims.h"

// A file of the caller's that the library reads through a function.
typedef struct caller_bytes {
  const uint8_t *bytes;
  uint64_t count;
  uint64_t claimed;  // the size that the library is told
  pthread_t thread;  // the only one that may call
  int calls;
  int lying_call;  // this call answers `answer` instead of what it read
  int64_t answer;  // ALL: the truth; MORE - 1: one byte less than was asked for, and so on
} caller_bytes;
#define ALL INT64_C(0x5000000000000000)
#define MORE INT64_C(0x4000000000000000)

int64_t read_some(void *context, uint64_t offset, void *target, uint64_t count);
ic_source function_of(caller_bytes *from);
caller_bytes caller_of(uint8_t *bytes, size_t count);

// A file that the library writes through a function.
typedef struct caller_file {
  uint8_t *bytes;
  uint64_t count, capacity;
  pthread_t thread;
  int calls, patches;
  int failing_call;  // from this call on, `answer` is the answer; -1: none
  int64_t answer;
} caller_file;

int64_t write_some(void *context, uint64_t offset, const void *bytes, uint64_t count);
ic_sink sink_to(caller_file *to);
// Writes frames of gradient() to a sink, shown for 1, 2, … tenths of a second; each has its memory for the time of a call alone.
int32_t write_frames(
    const ic_encoding *encoding, const ic_sink *sink, uint32_t count, ic_bytes *file, ic_error *error);

#endif
