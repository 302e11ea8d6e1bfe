// SPDX-License-Identifier: Apache-2.0
//
// Where the last block of a deflate stream begins and ends (RFC 1951). libdeflate makes whole streams only; to be joined
// with what another thread makes, all but the last have to go on.

#include <string.h>

#include "CDeflate.h"

#define LONGEST_CODE 15
#define TABLE_SIZE (1u << LONGEST_CODE)

typedef struct stream {
  const uint8_t *bytes;  // with at least 8 bytes after the end
  uint64_t position;     // in bits
  uint64_t end;          // in bits
} stream;

// The next 57 bits at least.
static uint64_t peek(const stream *s) {
  uint64_t bits = 0;
  uint64_t position = s->position <= s->end ? s->position : s->end;
  memcpy(&bits, s->bytes + position / 8, sizeof bits);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  bits = __builtin_bswap64(bits);
#endif
  return bits >> (position % 8);
}

static uint32_t take(stream *s, unsigned count) {
  uint32_t value = (uint32_t)(peek(s) & ((1ull << count) - 1));
  s->position += count;
  return value;
}

// For each 15 bits that may come next: symbol << 4 | length of its code; 0 for none.
static int make_table(uint16_t *table, const uint8_t *lengths, unsigned count) {
  uint32_t next[LONGEST_CODE + 1] = {0}, counts[LONGEST_CODE + 1] = {0}, code = 0;
  memset(table, 0, TABLE_SIZE * sizeof *table);
  for (unsigned i = 0; i < count; i++) counts[lengths[i]]++;
  counts[0] = 0;
  for (unsigned length = 1; length <= LONGEST_CODE; length++) {
    code = (code + counts[length - 1]) << 1;
    next[length] = code;
  }
  for (unsigned symbol = 0; symbol < count; symbol++) {
    unsigned length = lengths[symbol];
    if (length == 0) continue;
    uint32_t value = next[length]++, reversed = 0;
    if (value >= 1u << length) return 0;
    for (unsigned bit = 0; bit < length; bit++) reversed |= (value >> bit & 1) << (length - 1 - bit);
    for (uint32_t index = reversed; index < TABLE_SIZE; index += 1u << length) {
      table[index] = (uint16_t)(symbol << 4 | length);
    }
  }
  return 1;
}

// A symbol, or -1.
static int decode(stream *s, const uint16_t *table) {
  uint16_t entry = table[peek(s) & (TABLE_SIZE - 1)];
  s->position += entry & 15;
  return entry ? entry >> 4 : -1;
}

typedef struct tables {
  uint16_t literals[TABLE_SIZE];
  uint16_t distances[TABLE_SIZE];
} tables;

static int read_codes(stream *s, tables *t) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[320] = {0}, lead[19] = {0};
  unsigned literals = take(s, 5) + 257, distances = take(s, 5) + 1, leads = take(s, 4) + 4;
  for (unsigned i = 0; i < leads; i++) lead[order[i]] = (uint8_t)take(s, 3);
  if (literals + distances > sizeof lengths || !make_table(t->distances, lead, 19)) return 0;
  for (unsigned i = 0; i < literals + distances;) {
    int symbol = decode(s, t->distances);
    if (symbol < 0 || s->position > s->end) return 0;
    unsigned repeat = 1;
    uint8_t value = (uint8_t)symbol;
    if (symbol == 16) {
      if (i == 0) return 0;
      value = lengths[i - 1];
      repeat = 3 + take(s, 2);
    } else if (symbol > 16) {
      value = 0;
      repeat = symbol == 17 ? 3 + take(s, 3) : 11 + take(s, 7);
    }
    if (repeat > literals + distances - i) return 0;
    while (repeat-- > 0) lengths[i++] = value;
  }
  return make_table(t->literals, lengths, literals) && make_table(t->distances, lengths + literals, distances);
}

static int fixed_codes(tables *t) {
  uint8_t lengths[288];
  memset(lengths, 8, 144);
  memset(lengths + 144, 9, 112);
  memset(lengths + 256, 7, 24);
  memset(lengths + 280, 8, 8);
  if (!make_table(t->literals, lengths, 288)) return 0;
  memset(lengths, 5, 30);
  return make_table(t->distances, lengths, 30);
}

static int skip_symbols(stream *s, const tables *t) {
  while (s->position <= s->end) {
    int symbol = decode(s, t->literals);
    if (symbol < 0 || symbol > 285) return 0;
    if (symbol < 256) continue;
    if (symbol == 256) return s->position <= s->end;
    s->position += symbol < 265 || symbol == 285 ? 0 : (unsigned)(symbol - 261) / 4;
    int distance = decode(s, t->distances);
    if (distance < 0 || distance > 29) return 0;
    s->position += distance < 4 ? 0 : (unsigned)distance / 2 - 1;
  }
  return 0;
}

static int skip_stored(stream *s) {
  s->position = (s->position + 7) / 8 * 8;
  uint32_t length = take(s, 16), complement = take(s, 16);
  s->position += 8ull * length;
  return (length ^ complement) == 0xFFFF && s->position <= s->end;
}

size_t deflate_leave_open(uint8_t *bytes, size_t length) {
  static const uint8_t empty_block[4] = {0, 0, 0xFF, 0xFF};
  stream s = {bytes, 0, 8ull * length};
  tables t;
  memset(bytes + length, 0, DEFLATE_OPEN_ROOM);
  for (;;) {
    uint64_t start = s.position;
    uint32_t is_last = take(&s, 1), type = take(&s, 2);
    int is_whole = type == 0   ? skip_stored(&s)
                   : type == 1 ? fixed_codes(&t) && skip_symbols(&s, &t)
                   : type == 2 ? read_codes(&s, &t) && skip_symbols(&s, &t)
                               : 0;
    if (!is_whole) return 0;
    if (!is_last) continue;
    bytes[start / 8] &= (uint8_t)~(1u << (start % 8));
    // The three bits of the block's header are zeros, as those up to the next whole byte are.
    size_t end = (size_t)((s.position + 3 + 7) / 8);
    memset(bytes + length, 0, DEFLATE_OPEN_ROOM);
    memcpy(bytes + end, empty_block, sizeof empty_block);
    return end + sizeof empty_block;
  }
}
