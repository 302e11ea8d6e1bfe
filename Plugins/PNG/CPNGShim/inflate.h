// SPDX-License-Identifier: Apache-2.0
//
// Inflating zlib streams (RFC 1950, RFC 1951) in pieces, for rows that are used as they come.

#ifndef CPNG_INFLATE_H
#define CPNG_INFLATE_H

#include <stddef.h>
#include <stdint.h>

// How far back a match may reach.
#define CPNG_HISTORY 32768u

// Bytes behind `out_end` that may be written: the longest match, and what copies in large steps add.
#define CPNG_OUT_SLACK 320u

// Entries of the tables: 2^11 and 2^8, and as many as their second levels may need (`enough 288 11 15` and
// `enough 32 8 15` of zlib's examples give 2342 and 402).
#define CPNG_LITERAL_BITS 11u
#define CPNG_DISTANCE_BITS 8u
#define CPNG_LITERAL_ENTRIES 2342u
#define CPNG_DISTANCE_ENTRIES 402u

typedef enum cpng_inflated {
  CPNG_INFLATED_INPUT,    // all input has been taken
  CPNG_INFLATED_OUTPUT,   // `out` is at `out_end` or behind it
  CPNG_INFLATED_END,      // the stream is over, its checksum is right
  CPNG_INFLATED_UNEQUAL,  // the stream is over, its checksum is wrong
  CPNG_INFLATED_DAMAGED   // the stream is none; all bytes before the damage are there
} cpng_inflated;

// A stream between two pieces of input.
typedef struct cpng_inflater {
  uint64_t bits;       // taken from the input and not yet used, the next in the lowest bit; zeros above them
  unsigned bit_count;  // at most 63
  int state;
  int is_last_block;
  uint32_t stored;     // bytes left in a stored block
  uint32_t adler;      // of the output
  const char *damage;  // what is wrong with the stream, when something is
  unsigned literal_count, distance_count, code_count, known;  // code lengths in a block's header
  uint8_t lengths[288 + 32];  // of the block's codes: literals and lengths, then distances
  uint16_t code_table[128];
  uint32_t literals[CPNG_LITERAL_ENTRIES], distances[CPNG_DISTANCE_ENTRIES];
  int has_lanes;       // whether the block is worth being decoded in several places at once
  int lanes_are_made;  // whether their tables are
  uint32_t lane_bits;  // from where one lane begins to where the next does
  uint16_t lane_symbols[2][1u << CPNG_LITERAL_BITS];  // of literals and lengths, and of distances
} cpng_inflater;

void cpng_inflate_begin(cpng_inflater *inflater);

// Inflates until the input is used up, `out` reaches `out_end`, or the stream ends.
//   in       advanced to what was not taken. At the end of the stream, bytes behind it may have been taken
//   history  the first byte of output that is still in memory before `out`: all of it, or at least CPNG_HISTORY bytes
//   out      advanced. CPNG_OUT_SLACK bytes behind `out_end` may be written
cpng_inflated cpng_inflate_piece(cpng_inflater *inflater, const uint8_t **in, const uint8_t *in_end,
                                 const uint8_t *history, uint8_t **out, uint8_t *out_end);

// What an entry of a table says. An entry with literals: bits to drop (0 to 5), how many literals (6 and 7), the
// literals (8 to 31). Any other: bits to drop with all extra bits (0 to 5), bits of the code (8 to 11), the kind (12 to
// 14), the least length or distance (16 to 31). One that leads to a second level: bits of the first level (0 to 5), of
// the second (8 to 11), its first entry (16 to 31).
#define CPNG_ENTRY_DROP(entry) ((entry)&63u)
#define CPNG_ENTRY_LITERALS(entry) (((entry) >> 6) & 3u)
#define CPNG_ENTRY_CODE(entry) (((entry) >> 8) & 15u)
#define CPNG_ENTRY_BASE(entry) ((entry) >> 16)
#define CPNG_ENTRY_BLOCK_END (1u << 12)
#define CPNG_ENTRY_SECOND (1u << 13)
#define CPNG_ENTRY_INVALID (1u << 14)
#define CPNG_ENTRY_SPECIAL (7u << 12)

// Makes the tables of a block from the lengths of its codes.
//   returns  NULL, or what is wrong with them
const char *cpng_make_tables(cpng_inflater *inflater);

// Makes the tables for decoding in several places, `lane_symbols`, from those of a block, whose literals are not joined.
void cpng_make_lane_tables(cpng_inflater *inflater);

// Makes the table for the code lengths of a dynamic block.
//   lengths  of 19 codes, each at most 7
const char *cpng_make_code_table(uint16_t *table, const uint8_t *lengths);

#endif
