// SPDX-License-Identifier: Apache-2.0
//
// What the parts of inflating have in common: the states of a stream, and bits that are taken one after the other.

#ifndef CPNG_INFLATE_STATE_H
#define CPNG_INFLATE_STATE_H

#include "inflate.h"

// What comes next.
enum {
  HEADER, BLOCK, STORED_LENGTH, STORED, CODE_COUNTS, CODE_LENGTHS, SYMBOL_LENGTHS, SYMBOLS, CHECKSUM, OVER, DAMAGED
};

// What a call works on.
typedef struct edges {
  const uint8_t *in, *in_end, *history;
  uint8_t *out, *out_end;
} edges;

static inline uint64_t low_bits(uint64_t bits, unsigned count) { return bits & ((1ull << count) - 1); }

// Ends the stream.
//   returns  0
static inline int damaged(cpng_inflater *s, const char *reason) {
  s->state = DAMAGED;
  s->damage = reason;
  return 0;
}

// Fills the bits up to `wanted`, at most 56, as far as there is input.
static inline void fill(cpng_inflater *s, edges *edge, unsigned wanted) {
  while (s->bit_count < wanted && edge->in < edge->in_end) {
    s->bits |= (uint64_t)*edge->in++ << s->bit_count;
    s->bit_count += 8;
  }
}

static inline uint32_t take(cpng_inflater *s, unsigned count) {
  const uint32_t value = (uint32_t)low_bits(s->bits, count);
  s->bits >>= count;
  s->bit_count -= count;
  return value;
}

// Fills them up to `count`, and says whether they are there.
static inline int need(cpng_inflater *s, edges *edge, unsigned count) {
  fill(s, edge, count);
  return s->bit_count >= count;
}

// Reads what stands before the symbols of a block, or behind the last block.
//   returns  whether the state is another one; otherwise bits are missing, or the stream is damaged
int cpng_inflate_around_blocks(cpng_inflater *s, edges *edge);

#endif
