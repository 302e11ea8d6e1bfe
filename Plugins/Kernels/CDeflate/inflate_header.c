// SPDX-License-Identifier: Apache-2.0
//
// What a stream has around the symbols of its blocks: the header of zlib (RFC 1950 §2.2), headers of blocks (RFC 1951
// §3.2.3 to §3.2.7), and the checksum.

#include "inflate_header.h"

#include <string.h>

static int read_header(inflater *s, edges *edge) {
  if (!need(s, edge, 16)) return 0;
  const uint32_t method = take(s, 8), flags = take(s, 8);
  if ((method << 8 | flags) % 31 != 0) return damaged(s, "a zlib header whose check is wrong");
  if ((method & 15) != 8) return damaged(s, "a compression method that is not deflate");
  if (method >> 4 > 7) return damaged(s, "a window of more than 32 KiB");
  if (flags & 32) return damaged(s, "a stream that needs a dictionary");
  s->state = BLOCK;
  return 1;
}

static int make_tables(inflater *s) {
  const char *problem = inflate_make_tables(s);
  if (problem) return damaged(s, problem);
  s->state = SYMBOLS;
  return 1;
}

static int read_block(inflater *s, edges *edge) {
  if (!need(s, edge, 3)) return 0;
  s->is_last_block = (int)take(s, 1);
  switch (take(s, 2)) {
    case 0:
      take(s, s->bit_count & 7);
      s->state = STORED_LENGTH;
      return 1;
    case 1:
      memset(s->lengths, 8, 144);
      memset(s->lengths + 144, 9, 112);
      memset(s->lengths + 256, 7, 24);
      memset(s->lengths + 280, 8, 8);
      memset(s->lengths + 288, 5, 32);
      s->literal_count = 288;
      s->distance_count = 32;
      return make_tables(s);
    case 2:
      s->state = CODE_COUNTS;
      return 1;
    default: return damaged(s, "a block of type 3");
  }
}

static int read_stored_length(inflater *s, edges *edge) {
  if (!need(s, edge, 32)) return 0;
  s->stored = take(s, 16);
  if (take(s, 16) != (s->stored ^ 0xFFFF)) return damaged(s, "a stored block whose lengths do not agree");
  s->state = STORED;
  return 1;
}

static int read_code_counts(inflater *s, edges *edge) {
  if (!need(s, edge, 14)) return 0;
  s->literal_count = 257 + take(s, 5);
  s->distance_count = 1 + take(s, 5);
  s->code_count = 4 + take(s, 4);
  if (s->literal_count > 286 || s->distance_count > 30) return damaged(s, "more codes than are defined");
  memset(s->lengths, 0, 19);
  s->known = 0;
  s->state = CODE_LENGTHS;
  return 1;
}

static int read_code_lengths(inflater *s, edges *edge) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  while (s->known < s->code_count) {
    if (!need(s, edge, 3)) return 0;
    s->lengths[order[s->known++]] = (uint8_t)take(s, 3);
  }
  const char *problem = inflate_make_code_table(s->code_table, s->lengths);
  if (problem) return damaged(s, problem);
  s->known = 0;
  s->state = SYMBOL_LENGTHS;
  return 1;
}

static int read_symbol_lengths(inflater *s, edges *edge) {
  const unsigned total = s->literal_count + s->distance_count;
  while (s->known < total) {
    fill(s, edge, 14);
    const uint16_t entry = s->code_table[s->bits & 127];
    const unsigned bits = entry & 15u, symbol = entry >> 4;
    const unsigned extra = symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
    if (bits + extra > s->bit_count) return 0;
    take(s, bits);
    if (symbol < 16) {
      s->lengths[s->known++] = (uint8_t)symbol;
      continue;
    }
    if (symbol == 16 && s->known == 0) return damaged(s, "a code length that repeats none");
    const uint8_t length = symbol == 16 ? s->lengths[s->known - 1] : 0;
    const unsigned count = (symbol == 18 ? 11 : 3) + take(s, extra);
    if (count > total - s->known) return damaged(s, "more code lengths than codes");
    memset(s->lengths + s->known, length, count);
    s->known += count;
  }
  if (s->lengths[256] == 0) return damaged(s, "a block without a code for its end");
  return make_tables(s);
}

static int read_checksum(inflater *s, edges *edge) {
  if (s->bit_count & 7) take(s, s->bit_count & 7);
  if (!need(s, edge, 32)) return 0;
  const uint32_t stored = __builtin_bswap32(take(s, 32));
  s->bits = stored;
  s->state = OVER;
  return 1;
}

int inflate_around_blocks(inflater *s, edges *edge) {
  switch (s->state) {
    case HEADER: return read_header(s, edge);
    case BLOCK: return read_block(s, edge);
    case STORED_LENGTH: return read_stored_length(s, edge);
    case CODE_COUNTS: return read_code_counts(s, edge);
    case CODE_LENGTHS: return read_code_lengths(s, edge);
    case SYMBOL_LENGTHS: return read_symbol_lengths(s, edge);
    case CHECKSUM: return read_checksum(s, edge);
    default: return 0;
  }
}
