// SPDX-License-Identifier: Apache-2.0
//
// The inflate of the PNG coder beside zlib's, in pieces whose sizes follow from the bytes. The coder is not linked, since it
// needs libraries that may be missing: its sources are compiled once more, under other names.

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "CFuzzing.h"

#if __has_include(<zlib.h>) && __has_include(<libdeflate.h>)
#define cpng_inflate_begin fuzzing_inflate_begin
#define cpng_inflate_piece fuzzing_inflate_piece
#define cpng_inflate_around_blocks fuzzing_inflate_around_blocks
#define cpng_make_code_table fuzzing_make_code_table
#define cpng_make_tables fuzzing_make_tables
#define libdeflate_adler32 fuzzing_adler32
#include "../../../Plugins/PNG/CPNGShim/inflate.c"
#include "../../../Plugins/PNG/CPNGShim/inflate_header.c"
#include "../../../Plugins/PNG/CPNGShim/inflate_tables.c"

#include <zlib.h>

// RFC 1950, section 9, where the coder takes libdeflate's.
uint32_t fuzzing_adler32(uint32_t sum, const void *bytes, size_t length) {
  const uint8_t *next = bytes;
  uint32_t low = sum & 0xFFFF, high = sum >> 16;
  for (size_t i = 0; i < length; i++) {
    low = (low + next[i]) % 65521;
    high = (high + low) % 65521;
  }
  return high << 16 | low;
}

// Output that is looked at.
#define MOST (1u << 20)

static int (*zlib_begin)(z_streamp, const char *, int);
static int (*zlib_inflate)(z_streamp, int);
static int (*zlib_end)(z_streamp);

int fuzzing_has_zlib(void) {
  if (zlib_end) return 1;
  void *library = dlopen("libz.so.1", RTLD_NOW);
  if (!library) return 0;
  zlib_begin = (int (*)(z_streamp, const char *, int))dlsym(library, "inflateInit_");
  zlib_inflate = (int (*)(z_streamp, int))dlsym(library, "inflate");
  zlib_end = (int (*)(z_streamp))dlsym(library, "inflateEnd");
  return zlib_begin && zlib_inflate && zlib_end;
}

typedef struct outcome {
  cpng_inflated verdict;
  size_t length;
} outcome;

static uint64_t choices;

static size_t below(size_t bound) {
  choices = choices * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(choices >> 33) % bound;
}

// Each piece is in memory of its own, so that a byte read too far is noticed, and there is no room behind what may be
// written.
static outcome ours(const uint8_t *stream, size_t length, uint8_t *out) {
  const size_t window = below(4) ? 1024 + below(100000) : 1 + below(300);
  const size_t largest = below(4) ? 5000 : 1 + below(20);
  uint8_t *memory = malloc(CPNG_HISTORY + window + CPNG_OUT_SLACK), *end = memory + CPNG_HISTORY + window, *next = memory;
  cpng_inflater *inflater = malloc(sizeof *inflater);
  outcome result = {CPNG_INFLATED_INPUT, 0};
  memset(inflater, 0xA5, sizeof *inflater);
  cpng_inflate_begin(inflater);
  for (size_t used = 0; result.verdict == CPNG_INFLATED_INPUT;) {
    size_t count = 1 + below(largest);
    if (count > length - used) count = length - used;
    uint8_t *piece = malloc(count ? count : 1);
    memcpy(piece, stream + used, count);
    used += count;
    const uint8_t *in = piece;
    for (;;) {
      uint8_t *start = next;
      result.verdict = cpng_inflate_piece(inflater, &in, piece + count, memory, &next, end);
      const size_t made = (size_t)(next - start), room = MOST - result.length;
      memcpy(out + result.length, start, made < room ? made : room);
      result.length += made < room ? made : room;
      if (result.verdict != CPNG_INFLATED_OUTPUT || result.length == MOST) break;
      const size_t there = (size_t)(next - memory), kept = there < CPNG_HISTORY ? there : CPNG_HISTORY;
      memmove(memory, next - kept, kept);
      next = memory + kept;
    }
    free(piece);
    if (used == length || result.length == MOST) break;
  }
  free(inflater);
  free(memory);
  return result;
}

static outcome theirs(const uint8_t *stream, size_t length, uint8_t *out) {
  z_stream state = {.next_in = (Bytef *)stream, .avail_in = (uInt)length, .next_out = out, .avail_out = MOST};
  outcome result = {CPNG_INFLATED_INPUT, 0};
  if (zlib_begin(&state, ZLIB_VERSION, (int)sizeof state) != Z_OK) return result;
  const int status = zlib_inflate(&state, Z_SYNC_FLUSH);
  result.length = state.total_out;
  if (status == Z_STREAM_END) result.verdict = CPNG_INFLATED_END;
  if (status == Z_NEED_DICT) result.verdict = CPNG_INFLATED_DAMAGED;
  if (status == Z_DATA_ERROR) {
    const int is_checksum = state.msg && strcmp(state.msg, "incorrect data check") == 0;
    result.verdict = is_checksum ? CPNG_INFLATED_UNEQUAL : CPNG_INFLATED_DAMAGED;
  }
  zlib_end(&state);
  return result;
}

// Whether zlib finds the damage too, and no byte more before it, if the stream goes on with what hides damage best: zlib
// takes codes for granted until all their lengths are there, when none of them has been used.
static int is_damaged_later(const uint8_t *stream, size_t length, uint8_t *out, size_t before) {
  const size_t more = 1024;
  uint8_t *longer = malloc(length + more);
  int is_damaged = 1;
  if (!longer) return 1;
  memcpy(longer, stream, length);
  for (int byte = 0; byte < 256; byte += 255) {
    memset(longer + length, byte, more);
    const outcome later = theirs(longer, length + more, out);
    is_damaged = is_damaged && later.verdict == CPNG_INFLATED_DAMAGED && later.length == before;
  }
  free(longer);
  return is_damaged;
}

int fuzzing_inflates_as_zlib(const uint8_t *stream, size_t length, uint64_t seed) {
  static uint8_t *out[2];
  for (int i = 0; i < 2; i++) {
    if (!out[i]) out[i] = malloc(MOST);
    if (!out[i]) return 1;
  }
  choices = seed;
  const outcome expected = theirs(stream, length, out[0]), found = ours(stream, length, out[1]);
  if (expected.length != found.length || memcmp(out[0], out[1], found.length) != 0) return 0;
  // Whoever stops for want of room has not seen the end.
  if (found.length == MOST || expected.verdict == found.verdict) return 1;
  return found.verdict == CPNG_INFLATED_DAMAGED && expected.verdict == CPNG_INFLATED_INPUT &&
         is_damaged_later(stream, length, out[0], found.length);
}
#else
int fuzzing_has_zlib(void) { return 0; }
int fuzzing_inflates_as_zlib(const uint8_t *stream, size_t length, uint64_t seed) { return 1; }
#endif
