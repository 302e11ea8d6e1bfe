// SPDX-License-Identifier: Apache-2.0
//
// Prefix codes (RFC 9649 §3.7.2) as tables that are looked up with the next bits.

#ifndef VP8L_CODES_H
#define VP8L_CODES_H

#include "bits.h"

enum {
  LONGEST_CODE = 15,
  LITERALS = 256,
  LENGTHS = 24,
  DISTANCES = 40,
  MOST_CACHE_BITS = 11,
  MOST_SYMBOLS = LITERALS + LENGTHS + (1 << MOST_CACHE_BITS),
};

// From the lowest bit on: 8 of a code's length, 8 that are 0 or how many bits a second table is looked up with, 16 of the symbol or
// where the second table begins.
typedef uint32_t entry;

// Where the tables of a code begin, and with which of the next bits the first is looked up.
typedef struct {
  uint32_t start, mask;
} code;

// The tables of all codes.
typedef struct {
  entry *entries;
  size_t count, capacity;
} tables;

// A code from the lengths of its symbols, 0 of those that it has not. Answers 0 if these are no code, or there is no memory.
int vp8l_make_code(tables *tables, code *made, const uint8_t *lengths, uint32_t symbol_count, uint32_t first_bits);

// Reads the lengths of a code's symbols. Answers 0 if they are damaged.
int vp8l_read_lengths(bits *from, tables *scratch, uint8_t *lengths, uint32_t symbol_count);

// The next symbol. At least LONGEST_CODE bits have to be there.
static inline __attribute__((always_inline)) uint32_t next_symbol(bits *from, const entry *table, uint32_t mask) {
  entry found = table[from->buffer & mask];
  if (__builtin_expect(found >> 8 & 0xff, 0)) {
    found = table[(found >> 16) + (from->buffer >> (found & 0xff) & ((1u << (found >> 8 & 0xff)) - 1))];
  }
  from->buffer >>= found & 0x3f;
  from->count -= found & 0xff;
  return found >> 16;
}

#endif
