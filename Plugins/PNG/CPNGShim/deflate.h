// SPDX-License-Identifier: Apache-2.0
//
// Making deflate streams (RFC 1951) of filtered rows. What repeats in a picture lies a pixel before, a row before, or
// anywhere in the same pixels; matches of fewer bytes than six cost more bits in photographs than their literals do.

#ifndef CPNG_DEFLATE_H
#define CPNG_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

// Bytes before a part that its matches may refer to.
#define CPNG_DEFLATE_HISTORY 32768u

// Bytes behind the output that may be written.
#define CPNG_DEFLATE_SLACK 16u

// How much is done to find matches.
typedef struct cpng_effort {
  unsigned ways;      // earlier places that are looked at where the same bytes began: 0 (runs alone), 1, 2, 4, 8 or 16
  unsigned stride;    // bytes from a place without a match to the next one that is looked at
  unsigned patience;  // after so many bytes without a match (a power of two, as its exponent), every other place is left out
  unsigned key;       // bytes that are the same there: 3 to 8, and the least length of such a match
  int is_lazy;        // whether a match waits for a longer one that begins a byte later
} cpng_effort;

// The rows that are compressed.
typedef struct cpng_shape {
  size_t step;  // bytes of a pixel, at least 1
  size_t row;   // bytes from a row to the next, with the filter type; 0 when rows differ
} cpng_shape;

// A match, and the literals before it.
typedef struct cpng_token {
  uint32_t literals;
  uint16_t length;    // 0 at the end of a block: literals alone
  uint16_t distance;  // less 1
} cpng_token;

#define CPNG_TOKENS 16384u

// Of the table of places: as many as stay in the cache.
#define CPNG_HASH_BITS 13u

// How often each symbol occurs.
typedef struct cpng_counts {
  uint32_t literals[286], distances[30];
} cpng_counts;

// Bits that are not written yet.
typedef struct cpng_bits {
  uint8_t *out;
  uint64_t bits;  // the next to write is the lowest
  unsigned count;
} cpng_bits;

// What compressing needs beside the bytes. Not initialized; one call of cpng_deflate at a time.
typedef struct cpng_deflater {
  cpng_token tokens[CPNG_TOKENS];
  uint32_t spread[3][256];  // counts of literals, in turns, so that equal bytes do not wait for each other
  cpng_counts counts;
  uint32_t places[16u << CPNG_HASH_BITS];  // places of bytes, the newest first; 1 is the first byte, 0 is none
} cpng_deflater;

// The most bytes that `length` bytes become, CPNG_DEFLATE_SLACK not counted.
size_t cpng_deflate_bound(size_t length);

// Compresses bytes to blocks.
//   bytes    `history` bytes, at most CPNG_DEFLATE_HISTORY, that come before and are known, then `length` to compress
//   is_last  whether the stream ends; otherwise an empty stored block brings it to a whole byte
//   out      cpng_deflate_bound(length) + CPNG_DEFLATE_SLACK bytes
//   returns  bytes written
size_t cpng_deflate_rows(cpng_deflater *deflater, const cpng_effort *effort, const cpng_shape *shape,
                         const uint8_t *bytes, size_t history, size_t length, int is_last, uint8_t *out);

// The same without compression.
size_t cpng_store_rows(const uint8_t *bytes, size_t length, int is_last, uint8_t *out);

// Writes a block, in the way that takes least: with codes of its own, with those of RFC 1951, or stored.
//   bytes   that the block is made of
//   tokens  of which the last one has length 0
void cpng_write_block(cpng_bits *bits, cpng_counts *counts, const cpng_token *tokens, const uint8_t *bytes,
                      size_t length, int is_last);

// Ends blocks so that others may follow: an empty stored block, which ends at a whole byte.
void cpng_write_empty_block(cpng_bits *bits, int is_last);

// Lengths of prefix codes that make the fewest bits, none longer than `most`. At least two codes get one, so that the
// code is complete.
//   counts  of `count` symbols, at most 286, each less than 2^22
void cpng_code_lengths(const uint32_t *counts, unsigned count, unsigned most, uint8_t *lengths);

// The codes of given lengths, their first bit the lowest.
void cpng_codes(const uint8_t *lengths, unsigned count, uint16_t *codes);

static inline unsigned cpng_log2(uint32_t value) { return 31u - (unsigned)__builtin_clz(value); }

// Symbols of lengths and distances (RFC 1951 §3.2.5), less the first one, and their extra bits.
static inline unsigned cpng_length_extra(unsigned length) {
  return length < 11 || length == 258 ? 0 : cpng_log2(length - 3) - 2;
}

static inline unsigned cpng_length_symbol(unsigned length) {
  const unsigned extra = cpng_length_extra(length);
  return length == 258 ? 28 : 4 * extra + ((length - 3) >> extra);
}

static inline unsigned cpng_distance_extra(unsigned distance_less_1) {
  return distance_less_1 < 4 ? 0 : cpng_log2(distance_less_1) - 1;
}

static inline unsigned cpng_distance_symbol(unsigned distance_less_1) {
  const unsigned extra = cpng_distance_extra(distance_less_1);
  return 2 * extra + (distance_less_1 >> extra);
}

#endif
