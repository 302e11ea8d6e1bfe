// SPDX-License-Identifier: Apache-2.0
//
// Reading zlib streams (RFC 1950) in pieces, for rows that are used as they come, and making deflate streams (RFC 1951) of filtered
// rows. Neither allocates memory.

#ifndef CDEFLATE_H
#define CDEFLATE_H

#include <stddef.h>
#include <stdint.h>

// How far back a match may reach.
#define INFLATE_HISTORY 32768u

// Bytes after `out_end` that may be written: the longest match, and what copies in large steps add.
#define INFLATE_SLACK 320u

// Entries of the tables: 2^11 and 2^8, and as many as their second levels may need (`enough 288 11 15` and
// `enough 32 8 15` of zlib's examples give 2342 and 402).
#define INFLATE_LITERAL_BITS 11u
#define INFLATE_DISTANCE_BITS 8u
#define INFLATE_LITERAL_ENTRIES 2342u
#define INFLATE_DISTANCE_ENTRIES 402u

typedef enum inflated {
  INFLATED_INPUT,    // all input has been taken
  INFLATED_OUTPUT,   // `out` is at `out_end` or after it
  INFLATED_END,      // the stream is over, its checksum is right
  INFLATED_UNEQUAL,  // the stream is over, its checksum is wrong
  INFLATED_DAMAGED   // the stream is none; all bytes before the damage are there
} inflated;

// A stream between two pieces of input.
typedef struct inflater {
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
  uint32_t literals[INFLATE_LITERAL_ENTRIES], distances[INFLATE_DISTANCE_ENTRIES];
  int has_lanes;       // whether the block is worth being decoded in several places at once
  int lanes_are_made;  // whether their tables are
  uint32_t lane_bits;  // from where one lane begins to where the next does
  uint16_t lane_symbols[2][1u << INFLATE_LITERAL_BITS];  // of literals and lengths, and of distances
} inflater;

void inflate_begin(inflater *inflater);

// Inflates until the input is used up, `out` reaches `out_end`, or the stream ends.
//   in       advanced to what was not taken. At the end of the stream, bytes after it may have been taken
//   history  the first byte of output that is still in memory before `out`: all of it, or at least INFLATE_HISTORY bytes
//   out      advanced. INFLATE_SLACK bytes after `out_end` may be written
inflated inflate_piece(inflater *inflater, const uint8_t **in, const uint8_t *in_end, const uint8_t *history, uint8_t **out,
                       uint8_t *out_end);

// Bytes before a part that its matches may refer to.
#define DEFLATE_HISTORY 32768u

// Bytes after the output that may be written.
#define DEFLATE_SLACK 16u

// What repeats in a picture lies a pixel before, a row before, or anywhere in the same pixels; matches of fewer bytes
// than six cost more bits in photographs than their literals do. So this is how much is done to find matches.
typedef struct deflate_effort {
  unsigned ways;      // earlier places that are looked at where the same bytes began: 0 (runs alone), 1, 2, 4, 8 or 16
  unsigned stride;    // bytes from a place without a match to the next one that is looked at
  unsigned patience;  // after so many bytes without a match (a power of two, as its exponent), every other place is left out
  unsigned key;       // bytes that are the same there: 3 to 8, and the least length of such a match
  int is_lazy;        // whether a match waits for a longer one that begins a byte later
} deflate_effort;

// The rows that are compressed.
typedef struct deflate_shape {
  size_t step;  // bytes of a pixel, at least 1
  size_t row;   // bytes from a row to the next, with the filter type; 0 when rows differ
} deflate_shape;

// A match, and the literals before it.
typedef struct deflate_token {
  uint32_t literals;
  uint16_t length;    // 0 at the end of a block: literals alone
  uint16_t distance;  // less 1
} deflate_token;

#define DEFLATE_TOKENS 16384u

// Of the table of places: as many as stay in the cache.
#define DEFLATE_HASH_BITS 13u

// How often each symbol occurs.
typedef struct deflate_counts {
  uint32_t literals[286], distances[30];
} deflate_counts;

// What compressing needs beside the bytes. Not initialized; one call of deflate_rows at a time.
typedef struct deflater {
  deflate_token tokens[DEFLATE_TOKENS];
  uint32_t spread[3][256];  // counts of literals, in turns, so that equal bytes do not wait for each other
  deflate_counts counts;
  uint32_t places[16u << DEFLATE_HASH_BITS];  // places of bytes, the newest first; 1 is the first byte, 0 is none
} deflater;

// The most bytes that `length` bytes become, DEFLATE_SLACK not counted.
size_t deflate_bound(size_t length);

// Compresses bytes to blocks.
//   bytes    `history` bytes, at most DEFLATE_HISTORY, that come before and are known, then `length` to compress
//   is_last  whether the stream ends; otherwise an empty stored block brings it to a whole byte
//   out      deflate_bound(length) + DEFLATE_SLACK bytes
//   returns  bytes written
size_t deflate_rows(deflater *deflater, const deflate_effort *effort, const deflate_shape *shape, const uint8_t *bytes,
                    size_t history, size_t length, int is_last, uint8_t *out);

// The same without compression.
size_t deflate_store(const uint8_t *bytes, size_t length, int is_last, uint8_t *out);

// Bytes after a deflate stream that deflate_leave_open needs.
#define DEFLATE_OPEN_ROOM 16u

// Turns a whole deflate stream into one that goes on: its last block no longer says that it is the last, and an empty
// stored block brings the end to a whole byte. So streams of another library can be joined.
//   bytes    the stream, and DEFLATE_OPEN_ROOM bytes more
//   returns  the new length, or 0 when the bytes are no such stream
size_t deflate_leave_open(uint8_t *bytes, size_t length);

#endif
