// SPDX-License-Identifier: Apache-2.0
//
// Our inflate beside zlib's, in pieces and with windows of random sizes: for streams that a test makes, and for those of a
// fuzzer. MOST is how many bytes of a stream are looked at.

#ifndef BESIDE_ZLIB_H
#define BESIDE_ZLIB_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../../Plugins/Kernels/CDeflate/include/CDeflate.h"

static uint64_t seed;

static uint32_t draw(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33);
}

static uint32_t below(uint32_t bound) { return draw() % bound; }

#define LONGEST_MATCH 258

typedef struct outcome {
  inflated verdict;
  size_t length;
} outcome;

// Inflates pieces that are each in memory of their own, so that a byte read too far is noticed, as is one written too far.
static outcome ours(const uint8_t *stream, size_t length, uint8_t *out, int in_single_bytes) {
  // Small ones have many ends, at which rooms run out in every place.
  const size_t window = in_single_bytes ? 1 + below(300) : below(2) ? 300 + below(3000) : 1024 + below(200000);
  inflater *inflater = malloc(sizeof *inflater);
  uint8_t *memory = malloc(INFLATE_HISTORY + window + INFLATE_SLACK), *end = memory + INFLATE_HISTORY + window, *next = memory;
  outcome result = {INFLATED_INPUT, 0};
  memset(inflater, 0xA5, sizeof *inflater);
  inflate_begin(inflater);
  for (size_t used = 0;;) {
    size_t count = in_single_bytes ? 1 : below(4) ? below(below(4) ? 5000 : 60000) : below(20);
    if (count > length - used) count = length - used;
    uint8_t *piece = malloc(count ? count : 1);
    memcpy(piece, stream + used, count);
    used += count;
    const uint8_t *in = piece;
    for (;;) {
      uint8_t *start = next;
      result.verdict = inflate_piece(inflater, &in, piece + count, memory, &next, end);
      // A match begins inside the room.
      if (next > end + LONGEST_MATCH - 1) {
        printf("%zd bytes behind the room\n", next - end);
        abort();
      }
      const size_t made = (size_t)(next - start), room = MOST - result.length;
      memcpy(out + result.length, start, made < room ? made : room);
      result.length += made < room ? made : room;
      if (result.verdict != INFLATED_OUTPUT || result.length == MOST) break;
      const size_t kept = (size_t)(next - memory) < INFLATE_HISTORY ? (size_t)(next - memory) : INFLATE_HISTORY;
      memmove(memory, next - kept, kept);
      next = memory + kept;
    }
    if (result.verdict == INFLATED_INPUT && in != piece + count) abort();
    free(piece);
    if (result.verdict != INFLATED_INPUT || used == length) break;
  }
  free(memory);
  free(inflater);
  return result;
}

static outcome theirs(const uint8_t *stream, size_t length, uint8_t *out) {
  z_stream state = {.next_in = (Bytef *)stream, .avail_in = (uInt)length, .next_out = out, .avail_out = MOST};
  if (inflateInit(&state) != Z_OK) abort();
  const int status = inflate(&state, Z_SYNC_FLUSH);
  outcome result = {INFLATED_INPUT, state.total_out};
  if (status == Z_STREAM_END) result.verdict = INFLATED_END;
  if (status == Z_NEED_DICT) result.verdict = INFLATED_DAMAGED;
  if (status == Z_DATA_ERROR) {
    const int is_checksum = state.msg && strcmp(state.msg, "incorrect data check") == 0;
    result.verdict = is_checksum ? INFLATED_UNEQUAL : INFLATED_DAMAGED;
  }
  inflateEnd(&state);
  return result;
}

// Whether zlib finds the damage too, and no byte more before it, when the stream goes on: it looks at a code without symbols
// only when all lengths of the block's codes are there.
static int is_damaged_later(const uint8_t *stream, size_t length, uint8_t *out, size_t before) {
  const size_t more = 1024;
  uint8_t *longer = malloc(length + more);
  int is_damaged = 1;
  if (!longer) abort();
  memcpy(longer, stream, length);
  for (int byte = 0; byte < 256; byte += 255) {
    memset(longer + length, byte, more);
    const outcome later = theirs(longer, length + more, out);
    is_damaged = is_damaged && later.verdict == INFLATED_DAMAGED && later.length == before;
  }
  free(longer);
  return is_damaged;
}

// Whether both give the same bytes and the same verdict; damage may be found before zlib does.
//   out  two buffers of MOST bytes
static int inflates_as_zlib(const uint8_t *stream, size_t length, uint8_t *const *out, int in_single_bytes,
                            outcome *expected, outcome *found) {
  *expected = theirs(stream, length, out[0]);
  *found = ours(stream, length, out[1], in_single_bytes);
  if (expected->length != found->length || memcmp(out[0], out[1], found->length) != 0) return 0;
  // Whoever stops for want of room has not seen the end.
  if (found->length == MOST || expected->verdict == found->verdict) return 1;
  return found->verdict == INFLATED_DAMAGED && expected->verdict == INFLATED_INPUT &&
         is_damaged_later(stream, length, out[0], found->length);
}

#endif
