// SPDX-License-Identifier: Apache-2.0
//
// Streams of deflate (RFC 1951) with codes of any lengths up to 15, which no encoder chooses: most symbols may have the
// longest ones.

#ifndef ANY_CODES_H
#define ANY_CODES_H

#include "beside_zlib.h"

typedef struct bit_writer {
  uint8_t *bytes;
  size_t count;  // of bits
} bit_writer;

static void put(bit_writer *w, uint32_t value, unsigned bits) {
  for (unsigned i = 0; i < bits; i++, w->count++) {
    if (w->count % 8 == 0) w->bytes[w->count / 8] = 0;
    w->bytes[w->count / 8] |= (uint8_t)((value >> i & 1) << w->count % 8);
  }
}

// A complete code of `count` symbols, at least 2, out of `among`: one of them is split until there are enough, more often one
// of the last, and the fewer those are the longer codes get.
static void draw_code(uint8_t *lengths, unsigned count, unsigned among) {
  uint8_t leaves[288] = {1, 1};
  const uint32_t window = 1 + below(8);
  for (unsigned have = 2; have < count;) {
    const uint32_t leaf = below(3) ? have - 1 - below(have < window ? have : window) : below(have);
    if (leaves[leaf] == 15) continue;
    leaves[have++] = ++leaves[leaf];
  }
  memset(lengths, 0, among);
  for (unsigned i = 0; i < count; i++) {
    uint32_t symbol = below(among);
    while (lengths[symbol]) symbol = (symbol + 1) % among;
    lengths[symbol] = leaves[i];
  }
}

static void put_symbol(bit_writer *w, const uint8_t *lengths, unsigned among, unsigned symbol) {
  uint32_t code = 0;
  for (unsigned length = 1; length <= lengths[symbol]; length++) {
    code <<= 1;
    for (unsigned i = 0; i < among; i++) {
      if (lengths[i] < length ? 0 : lengths[i] == length && (length < lengths[symbol] || i < symbol)) code++;
    }
  }
  for (unsigned bit = lengths[symbol]; bit > 0; bit--) put(w, code >> (bit - 1), 1);
}

// A block of `symbols` that are drawn as often as they are short; those of a length are followed by a distance.
static void put_block(bit_writer *w, int is_last, unsigned symbols) {
  uint8_t near[286], far[30];
  const unsigned literals = below(2) ? 286 : 257 + below(30), distances = 30;
  draw_code(near, 150 + below(literals - 150), literals);
  draw_code(far, 16 + below(15), distances);
  if (!near[256]) {
    for (unsigned i = 0; i < literals; i++) {
      if (near[i] < 12) continue;
      near[256] = near[i];
      near[i] = 0;
      break;
    }
  }
  if (!near[256]) return;
  put(w, (uint32_t)is_last | 2 << 1, 3);
  put(w, literals - 257, 5);
  put(w, distances - 1, 5);
  put(w, 15, 4);
  // Each length as it is, in four bits; RFC 1951 §3.2.7 has the order, in which 16 to 18 come first.
  static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  for (unsigned i = 0; i < 19; i++) put(w, order[i] < 16 ? 4 : 0, 3);
  uint8_t plain[16];
  memset(plain, 4, 16);
  for (unsigned i = 0; i < literals; i++) put_symbol(w, plain, 16, near[i]);
  for (unsigned i = 0; i < distances; i++) put_symbol(w, plain, 16, far[i]);
  while (symbols-- > 0) {
    unsigned symbol = below(literals);
    while (near[symbol] == 0 || symbol == 256 || (near[symbol] < 15 && below(1u << near[symbol]) > 64)) symbol = below(literals);
    put_symbol(w, near, literals, symbol);
    if (symbol < 256) continue;
    put(w, draw(), symbol < 265 || symbol == 285 ? 0 : (symbol - 261) / 4);
    unsigned distance = below(distances);
    while (far[distance] == 0) distance = below(distances);
    put_symbol(w, far, distances, distance);
    put(w, draw(), distance < 4 ? 0 : distance / 2 - 1);
  }
  put_symbol(w, near, literals, 256);
}

//   returns  its length in bytes, less than 700,000; its checksum is seldom right
static size_t make_any_stream(uint8_t *stream) {
  bit_writer w = {stream, 0};
  put(&w, 0x9C78, 16);
  // Enough stored bytes for any distance, or for nearly any.
  const uint32_t stored = 0x8000 - (below(2) ? 0 : below(1500));
  put(&w, 0, 3);
  put(&w, 0, (unsigned)(-w.count & 7));
  put(&w, stored | (stored ^ 0xFFFF) << 16, 32);
  for (uint32_t i = 0; i < stored; i++) put(&w, draw(), 8);
  for (uint32_t blocks = 1 + below(3); blocks > 0; blocks--) put_block(&w, blocks == 1, 200 + below(4000));
  put(&w, draw(), 32);
  return (w.count + 7) / 8;
}

#endif
