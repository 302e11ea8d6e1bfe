// SPDX-License-Identifier: Apache-2.0
//
// usage: inflate COUNT [FIRST]
//
// Our inflate beside zlib's: COUNT streams of every level, strategy, window and flush of deflate, whole, cut and damaged,
// and as many of any codes, in pieces and with windows of random sizes. Both must give the same bytes and the same verdict.
// What a stream is depends on its number alone.

#include <stdio.h>

#define MOST (4u << 20)
#include "any_codes.h"
#include "beside_zlib.h"

static uint8_t *out[2];

static void compare(const uint8_t *stream, size_t length, long number, const char *what, int in_single_bytes) {
  outcome expected, found;
  if (inflates_as_zlib(stream, length, out, in_single_bytes, &expected, &found)) return;
  printf("stream %ld, %s: %zu bytes and verdict %d, zlib has %zu and %d\n", number, what, found.length, found.verdict,
         expected.length, expected.verdict);
  exit(1);
}

// Repeats what lies `distance` before, `length` times.
static size_t repeat(uint8_t *bytes, size_t at, size_t end, size_t distance, size_t length) {
  if (distance > at) {
    bytes[at] = (uint8_t)draw();
    return at;
  }
  for (; length > 0 && at < end; length--, at++) bytes[at] = bytes[at - distance];
  return at - 1;
}

// Samples of 16 bits as they are after filtering: few high bytes, many low ones, and now and then something that was there.
// For some streams the distances are such that a few have long codes; for others, lengths and distances with many extra bits
// are rare and stand one behind the other.
static size_t sample_or_repeat(uint8_t *bytes, size_t at, size_t end, uint32_t values) {
  if (below(values & 1 ? 9 : 20)) {
    bytes[at] = at % 2 ? (uint8_t)draw() : (uint8_t)below(1 + values / 16);
    return at;
  }
  if (values & 1) return repeat(bytes, at, end, 1 + below(2u << __builtin_ctz(draw() | 1u << 14)), 4);
  if (below(16)) return repeat(bytes, at, end, 1 + below(100), 3 + below(4));
  for (uint32_t left = 2; left > 0 && at < end; left--) {
    at = repeat(bytes, at, end, 1 + below(INFLATE_HISTORY), 131 + below(127)) + 1;
  }
  return at - 1;
}

static size_t make_bytes(uint8_t *bytes) {
  const size_t length = below(3) ? below(300000) : below(300);
  const uint32_t kind = below(9), values = 1 + below(256);
  for (size_t i = 0; i < length; i++) {
    switch (kind) {
      case 0: bytes[i] = (uint8_t)draw(); break;
      case 1: bytes[i] = (uint8_t)below(values); break;
      case 2: bytes[i] = below(50) && i > 0 ? bytes[i - 1] : (uint8_t)draw(); break;
      case 3: bytes[i] = i > 1000 && below(100) ? bytes[i - 1 - below(3) * 333] : (uint8_t)below(values); break;
      case 4: bytes[i] = (uint8_t)(__builtin_ctz(draw() | 1u << 20) + 16 * __builtin_ctz(draw() | 1u << 9)); break;
      case 5: bytes[i] = i >= 7 ? (uint8_t)(bytes[i - 7] + (below(30) == 0)) : (uint8_t)draw(); break;
      case 6: i = sample_or_repeat(bytes, i, length, values); break;
      case 7: i = repeat(bytes, i, length, 1 + below(INFLATE_HISTORY), 3 + below(400)); break;
      default: i = repeat(bytes, i, length, 1 + below(40), 3 + below(60)); break;
    }
  }
  return length;
}

static size_t make_stream(uint8_t *bytes, size_t length, uint8_t *stream) {
  z_stream state = {.next_in = bytes, .next_out = stream, .avail_out = MOST};
  deflateInit2(&state, (int)below(10), Z_DEFLATED, 9 + (int)below(7), below(3) ? 9 : 1 + (int)below(9), (int)below(5));
  while (length > 0) {
    state.avail_in = below(2) ? (uInt)length : 1 + below((uint32_t)length);
    length -= state.avail_in;
    deflate(&state, below(3) == 0 ? Z_SYNC_FLUSH : below(5) == 0 ? Z_FULL_FLUSH : Z_NO_FLUSH);
    if (below(4) == 0) deflateParams(&state, (int)below(10), (int)below(5));
  }
  deflate(&state, Z_FINISH);
  const size_t result = state.total_out;
  deflateEnd(&state);
  return result;
}

static void damage(const uint8_t *stream, size_t length, long number) {
  uint8_t *copy = malloc(length);
  memcpy(copy, stream, length);
  // The headers of a stream and its first block get half of it.
  for (uint32_t flips = 1 + below(3); flips > 0; flips--) {
    const uint32_t place = below(2) || length < 100 ? below((uint32_t)length) : below(100);
    copy[place] ^= (uint8_t)(1u << below(8));
  }
  compare(copy, below(4) ? length : below((uint32_t)length), number, "damaged", length < 3000 && below(2));
  free(copy);
}

static void invent(uint8_t *stream, long number) {
  const size_t length = 3 + below(400);
  stream[0] = 0x78;
  stream[1] = 0x9C;
  for (size_t i = 2; i < length; i++) stream[i] = (uint8_t)draw();
  stream[2] = (uint8_t)((stream[2] & ~6) | (below(2) ? 4 : 2));
  compare(stream, length, number, "invented", (int)below(2));
}

// Inflates small pieces into small rooms, of which many end where one lane is joined to the next.
static void end_everywhere(const uint8_t *stream, size_t length, long number) {
  const size_t room = INFLATE_HISTORY + 200 + below(2000);
  const uint32_t most = 1 + below(below(2) ? 300 : 3000);
  inflater *inflater = malloc(sizeof *inflater);
  uint8_t *memory = malloc(room + 2 * INFLATE_SLACK), *next = memory;
  inflate_begin(inflater);
  for (size_t used = 0; used < length;) {
    size_t count = 1 + below(most);
    if (count > length - used) count = length - used;
    const uint8_t *in = stream + used, *const end = in + count;
    used += count;
    while (inflate_piece(inflater, &in, end, memory, &next, memory + room) == INFLATED_OUTPUT) {
      // A match begins inside the room.
      if ((size_t)(next - memory) >= room + LONGEST_MATCH) {
        printf("stream %ld: %zu bytes in a room of %zu\n", number, (size_t)(next - memory), room);
        exit(1);
      }
      memmove(memory, next - INFLATE_HISTORY, INFLATE_HISTORY);
      next = memory + INFLATE_HISTORY;
    }
  }
  free(memory);
  free(inflater);
}

int main(int argc, char **argv) {
  const long count = argc > 1 ? atol(argv[1]) : 300, first = argc > 2 ? atol(argv[2]) : 0;
  uint8_t *bytes = malloc(MOST), *stream = malloc(MOST);
  for (int i = 0; i < 2; i++) out[i] = malloc(MOST);
  for (long number = first; number < first + count; number++) {
    seed = (uint64_t)number * 2654435761u + 88172645463325252u;
    const size_t size = make_bytes(bytes), length = make_stream(bytes, size, stream);
    compare(stream, length, number, "whole", size < 3000 && below(2));
    if (memcmp(out[1], bytes, size) != 0) return 1;
    for (int i = 0; i < 3; i++) damage(stream, length, number);
    if (length < 600) {
      for (size_t cut = 0; cut < length; cut++) compare(stream, cut, number, "cut", cut & 1);
    } else {
      for (int i = 0; i < 4; i++) compare(stream, below((uint32_t)length), number, "cut", 0);
    }
    if (number % 7 == 0) invent(stream, number);
    const size_t any = make_any_stream(stream);
    compare(stream, any, number, "of any codes", 0);
    for (int i = 0; i < 50; i++) end_everywhere(stream, any, number);
  }
  printf("%ld streams are as zlib has them\n", count);
  free(bytes);
  free(stream);
  for (int i = 0; i < 2; i++) free(out[i]);
  return 0;
}
