// SPDX-License-Identifier: Apache-2.0
//
// Codes that are read from what a recoder keeps, and codes on their way to the host. Private to the shim.

#ifndef CJPEG_CODES_H
#define CJPEG_CODES_H

#include <string.h>

#include "huffman.h"
#include "imgcoder/imgcoder.h"

enum { PIECE = 16 * 1024 };
enum { SLACK = 16 };                      // bytes after a piece that are those of the next, so that a code ends there
enum { CODES = 8 * 1024 };
enum { WRITE_SLACK = 1024 };              // bytes after these, so that a few codes are written without a look at what room there is

typedef struct recode_piece {
  struct recode_piece *next;
  uint32_t length;
  uint8_t bytes[PIECE + SLACK];
} recode_piece;

// Where reading stands: the next bits are the upper ones of `bits`, of which `count` are counted.
// To keep a position alone and load each time takes a fifth fewer instructions, and more time: each load waits for the code before.
typedef struct code_reader {
  const uint8_t *at;
  uint64_t bits;
  int count;
} code_reader;

// Gives 56 bits. A byte that is not counted yet is there again the next time.
static inline void code_refill(code_reader *reader) {
  uint64_t bytes;
  memcpy(&bytes, reader->at, 8);
  reader->bits |= __builtin_bswap64(bytes) >> reader->count;
  reader->at += (63 - reader->count) >> 3;
  reader->count |= 56;
}

// Where writing stands. Loops have a copy of their own: in memory, each byte that is written might be one of these.
typedef struct code_tail {
  uint64_t bits;    // the lower `count`, less than 8, are not among the bytes yet; those above them are
  int count;
  uint32_t length;  // of the bytes
} code_tail;

// Bytes with 0xFF before they are told apart from markers, then with zeros after them.
typedef struct code_writer {
  const imgcoder_output *output;
  imgcoder_status status;
  code_tail tail;
  uint8_t bytes[CODES + WRITE_SLACK];
  uint8_t stuffed[2 * (CODES + WRITE_SLACK)];
} code_writer;

// 57 bits at most; there is room for WRITE_SLACK bytes.
static inline void code_put(code_writer *writer, code_tail *tail, uint64_t bits, int count) {
  tail->bits = tail->bits << count | bits;
  tail->count += count;
  const uint64_t bytes = __builtin_bswap64(tail->bits << (-tail->count & 63));
  memcpy(writer->bytes + tail->length, &bytes, 8);
  tail->length += (uint32_t)tail->count >> 3;
  tail->count &= 7;
}

// Gives the bytes to the host.
void code_flush(code_writer *writer);

// Ends the last byte with ones, T.81 F.1.2.3, and puts a marker after it.
void code_end(code_writer *writer, uint8_t marker);

#endif
