// SPDX-License-Identifier: Apache-2.0
//
// Blocks of deflate streams, of matches that were found.

#ifndef CDEFLATE_BLOCK_H
#define CDEFLATE_BLOCK_H

#include "CDeflate.h"

// Bits that are not written yet.
typedef struct deflate_bits {
  uint8_t *out;
  uint64_t bits;  // the next to write is the lowest
  unsigned count;
} deflate_bits;

// Writes a block, in the way that takes least: with codes of its own, with those of RFC 1951, or stored.
//   bytes   that the block is made of
//   tokens  of which the last one has length 0
void deflate_write_block(deflate_bits *bits, deflate_counts *counts, const deflate_token *tokens, const uint8_t *bytes,
                         size_t length, int is_last);

// Ends blocks so that others may follow: an empty stored block, which ends at a whole byte.
void deflate_write_empty_block(deflate_bits *bits, int is_last);

static inline unsigned deflate_log2(uint32_t value) { return 31u - (unsigned)__builtin_clz(value); }

// Symbols of lengths and distances (RFC 1951 §3.2.5), less the first one, and their extra bits.
static inline unsigned deflate_length_extra(unsigned length) {
  return length < 11 || length == 258 ? 0 : deflate_log2(length - 3) - 2;
}

static inline unsigned deflate_length_symbol(unsigned length) {
  const unsigned extra = deflate_length_extra(length);
  return length == 258 ? 28 : 4 * extra + ((length - 3) >> extra);
}

static inline unsigned deflate_distance_extra(unsigned distance_less_1) {
  return distance_less_1 < 4 ? 0 : deflate_log2(distance_less_1) - 1;
}

static inline unsigned deflate_distance_symbol(unsigned distance_less_1) {
  const unsigned extra = deflate_distance_extra(distance_less_1);
  return 2 * extra + (distance_less_1 >> extra);
}

#endif
