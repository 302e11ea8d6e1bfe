// SPDX-License-Identifier: Apache-2.0
//
// What the parts of inflating have in common: the states of a stream, and bits that are taken one after the other.

#ifndef CDEFLATE_INFLATE_STATE_H
#define CDEFLATE_INFLATE_STATE_H

#include <string.h>

#include "inflate_tables.h"
#include "load64.h"

#define LITERAL_MASK ((1u << INFLATE_LITERAL_BITS) - 1)
#define DISTANCE_MASK ((1u << INFLATE_DISTANCE_BITS) - 1)

// What comes next.
enum {
  HEADER, BLOCK, STORED_LENGTH, STORED, CODE_COUNTS, CODE_LENGTHS, SYMBOL_LENGTHS, SYMBOLS, CHECKSUM, OVER, DAMAGED
};

// What a call works on.
typedef struct edges {
  const uint8_t *in, *in_end, *history;
  uint8_t *out, *out_end;
  const uint8_t *first;  // of the input
} edges;

static inline uint64_t low_bits(uint64_t bits, unsigned count) { return bits & ((1ull << count) - 1); }

// Ends the stream.
//   returns  0
static inline int damaged(inflater *s, const char *reason) {
  s->state = DAMAGED;
  s->damage = reason;
  return 0;
}

// Fills the bits up to `wanted`, at most 56, as far as there is input.
static inline void fill(inflater *s, edges *edge, unsigned wanted) {
  while (s->bit_count < wanted && edge->in < edge->in_end) {
    s->bits |= (uint64_t)*edge->in++ << s->bit_count;
    s->bit_count += 8;
  }
}

static inline uint32_t take(inflater *s, unsigned count) {
  const uint32_t value = (uint32_t)low_bits(s->bits, count);
  s->bits >>= count;
  s->bit_count -= count;
  return value;
}

// Fills them up to `count`, and says whether they are there.
static inline int need(inflater *s, edges *edge, unsigned count) {
  fill(s, edge, count);
  return s->bit_count >= count;
}

// The length or distance of an entry whose code begins at `bits`.
static inline uint32_t value_of(uint32_t entry, uint64_t bits) {
  return ENTRY_BASE(entry) + (uint32_t)(low_bits(bits, ENTRY_DROP(entry)) >> ENTRY_CODE(entry));
}

// Copies a match. It may write up to 31 bytes more than the match has.
static inline void copy_match(uint8_t *out, uint32_t distance, uint32_t length) {
  const uint8_t *from = out - distance;
  const uint8_t *end = out + length;
  if (distance >= 16) {
    do {
      memcpy(out, from, 16);
      from += 16;
      out += 16;
    } while (out < end);
  } else if (distance == 1) {
    memset(out, *from, (length + 15) & ~15u);
  } else if (distance >= 8) {
    do {
      memcpy(out, from, 8);
      from += 8;
      out += 8;
    } while (out < end);
  } else {
    // The pattern as often as it fits into 16 bytes.
    uint8_t pattern[16];
    for (uint32_t i = 0; i < distance; i++) pattern[i] = from[i];
    for (uint32_t i = distance; i < 16; i++) pattern[i] = pattern[i - distance];
    const uint32_t step = 16 - 16 % distance;
    do {
      memcpy(out, pattern, 16);
      out += step;
    } while (out < end);
  }
}

// The entry of the code that `bits` begin with. Bits that lead to a second level are dropped and counted.
static inline uint32_t entry_of(const uint32_t *table, unsigned first_bits, uint64_t *bits, unsigned *used) {
  const uint32_t entry = table[low_bits(*bits, first_bits)];
  if (ENTRY_LITERALS(entry) || !(entry & ENTRY_SECOND)) return entry;
  *bits >>= first_bits;
  *used += first_bits;
  return table[ENTRY_BASE(entry) + low_bits(*bits, ENTRY_CODE(entry))];
}

typedef struct match {
  uint32_t length, distance;
  unsigned bits;  // at most 48
  int is_invalid;
} match;

// The match whose length `bits` begin with.
static inline match match_of(const inflater *s, uint64_t bits) {
  match found = {0};
  uint32_t entry = entry_of(s->literals, INFLATE_LITERAL_BITS, &bits, &found.bits);
  found.length = value_of(entry, bits);
  bits >>= ENTRY_DROP(entry);
  found.bits += ENTRY_DROP(entry);
  entry = entry_of(s->distances, INFLATE_DISTANCE_BITS, &bits, &found.bits);
  found.distance = value_of(entry, bits);
  found.bits += ENTRY_DROP(entry);
  found.is_invalid = (entry & ENTRY_INVALID) != 0;
  return found;
}

// Whether what a match copies is there.
static inline int is_within(inflater *s, ptrdiff_t made, uint32_t distance) {
  return distance <= made || damaged(s, "a distance to before the first byte");
}

#endif
