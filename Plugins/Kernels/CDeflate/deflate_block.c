// SPDX-License-Identifier: Apache-2.0
//
// Blocks of deflate streams (RFC 1951 §3.2.3 to §3.2.7).

#include "deflate_block.h"

#include <string.h>

#include "deflate_codes.h"

// Four literals and what is left of a byte fit 64 bits.
#define LITERAL_MOST 14u
#define DISTANCE_MOST 15u
#define LENGTH_MOST 7u

#define STORED_MOST 65535u

// Lengths of the codes of a block, as they are written: runs of them are symbols of a third code (§3.2.7).
typedef struct header {
  unsigned literals, distances, codes;  // how many lengths are written
  unsigned count;
  uint8_t symbols[286 + 30], extras[286 + 30];
  uint32_t symbol_counts[19];
  uint8_t lengths[19];
  uint16_t code[19];
} header;

// Bits of a code, and the code above them.
typedef struct codes {
  uint8_t lengths[286 + 30];
  uint16_t literals[286], distances[30];
} codes;

static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

static unsigned run_bits(unsigned symbol) { return symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7; }

static void store64(uint8_t *out, uint64_t bits) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  memcpy(out, &bits, 8);
#else
  for (int i = 0; i < 8; i++) out[i] = (uint8_t)(bits >> (8 * i));
#endif
}

// Writes whole bytes.
static inline void flush(deflate_bits *bits) {
  store64(bits->out, bits->bits);
  bits->out += bits->count >> 3;
  bits->bits >>= bits->count & ~7u;
  bits->count &= 7;
}

// Adds bits: with what is there, at most 64.
static inline void put(deflate_bits *bits, uint64_t value, unsigned count) {
  bits->bits |= value << bits->count;
  bits->count += count;
}

static inline void put_flushed(deflate_bits *bits, uint64_t value, unsigned count) {
  put(bits, value, count);
  flush(bits);
}

static void add_run(header *h, unsigned symbol, unsigned extra) {
  h->symbols[h->count] = (uint8_t)symbol;
  h->extras[h->count++] = (uint8_t)extra;
  h->symbol_counts[symbol]++;
}

// Lengths [first, last), of which runs are found.
static void add_lengths(header *h, const uint8_t *lengths, unsigned count) {
  for (unsigned i = 0; i < count;) {
    const uint8_t length = lengths[i];
    unsigned run = 1;
    while (i + run < count && lengths[i + run] == length) run++;
    i += run;
    if (length > 0) {
      add_run(h, length, 0);
      run--;
    }
    while (run >= 3) {
      const unsigned most = length > 0 ? 6 : 138, taken = run < most ? run : most;
      if (length > 0) add_run(h, 16, taken - 3);
      else if (taken < 11) add_run(h, 17, taken - 3);
      else add_run(h, 18, taken - 11);
      run -= taken;
    }
    for (; run > 0; run--) add_run(h, length, 0);
  }
}

// Makes a block's codes and what is written of them.
//   returns  bits of the header
static uint64_t make_header(const deflate_counts *counts, codes *c, header *h) {
  uint8_t distances[30];
  memset(h, 0, sizeof *h);
  deflate_code_lengths(counts->literals, 286, LITERAL_MOST, c->lengths);
  deflate_code_lengths(counts->distances, 30, DISTANCE_MOST, distances);
  h->literals = 286;
  while (h->literals > 257 && c->lengths[h->literals - 1] == 0) h->literals--;
  h->distances = 30;
  while (h->distances > 1 && distances[h->distances - 1] == 0) h->distances--;
  deflate_codes(c->lengths, h->literals, c->literals);
  deflate_codes(distances, h->distances, c->distances);
  // Runs may go from one code to the other.
  uint8_t joined[286 + 30];
  memcpy(joined, c->lengths, h->literals);
  memcpy(joined + h->literals, distances, h->distances);
  add_lengths(h, joined, h->literals + h->distances);
  memcpy(c->lengths + 286, distances, 30);
  deflate_code_lengths(h->symbol_counts, 19, LENGTH_MOST, h->lengths);
  deflate_codes(h->lengths, 19, h->code);
  h->codes = 19;
  while (h->codes > 4 && h->lengths[order[h->codes - 1]] == 0) h->codes--;
  uint64_t bits = 5 + 5 + 4 + 3 * h->codes;
  for (unsigned symbol = 0; symbol < 19; symbol++) {
    bits += (uint64_t)h->symbol_counts[symbol] * (h->lengths[symbol] + run_bits(symbol));
  }
  return bits;
}

static void write_header(deflate_bits *bits, const header *h) {
  put_flushed(bits, (h->literals - 257) | (h->distances - 1) << 5 | (h->codes - 4) << 10, 14);
  for (unsigned i = 0; i < h->codes; i++) put_flushed(bits, h->lengths[order[i]], 3);
  for (unsigned i = 0; i < h->count; i++) {
    const unsigned symbol = h->symbols[i];
    put(bits, h->code[symbol], h->lengths[symbol]);
    put_flushed(bits, h->extras[i], run_bits(symbol));
  }
}

// Lengths of the codes that every reader knows (§3.2.6).
static void make_fixed_lengths(codes *c) {
  memset(c->lengths, 8, 144);
  memset(c->lengths + 144, 9, 112);
  memset(c->lengths + 256, 7, 24);
  memset(c->lengths + 280, 8, 6);
  memset(c->lengths + 286, 5, 30);
}

static void make_fixed_codes(codes *c) {
  // Two symbols that are never used have codes too, which come after all others of their length: 9 bits follow them.
  uint8_t lengths[288];
  uint16_t all[288];
  memcpy(lengths, c->lengths, 286);
  memset(lengths + 286, 8, 2);
  deflate_codes(lengths, 288, all);
  memcpy(c->literals, all, sizeof c->literals);
  deflate_codes(c->lengths + 286, 30, c->distances);
}

// Bits of the symbols of a block, with their extra bits.
static uint64_t symbol_bits(const deflate_counts *counts, const codes *c) {
  uint64_t bits = 0;
  for (unsigned symbol = 0; symbol < 286; symbol++) {
    const unsigned extra = symbol < 265 || symbol == 285 ? 0 : (symbol - 261) / 4;
    bits += (uint64_t)counts->literals[symbol] * (c->lengths[symbol] + extra);
  }
  for (unsigned symbol = 0; symbol < 30; symbol++) {
    const unsigned extra = symbol < 4 ? 0 : symbol / 2 - 1;
    bits += (uint64_t)counts->distances[symbol] * (c->lengths[286 + symbol] + extra);
  }
  return bits;
}

static void write_literals(deflate_bits *target, const uint32_t *table, const uint8_t *bytes, const uint8_t *end) {
  deflate_bits bits = *target;
  for (; end - bytes >= 4; bytes += 4) {
    const uint32_t a = table[bytes[0]], b = table[bytes[1]], c = table[bytes[2]], d = table[bytes[3]];
    const uint64_t first = (uint64_t)(a >> 8) | (uint64_t)(b >> 8) << (a & 15);
    const uint64_t second = (uint64_t)(c >> 8) | (uint64_t)(d >> 8) << (c & 15);
    const unsigned length = (a & 15) + (b & 15);
    put_flushed(&bits, first | second << length, length + (c & 15) + (d & 15));
  }
  // At most 42 bits.
  for (; bytes < end; bytes++) put(&bits, table[*bytes] >> 8, table[*bytes] & 15);
  flush(&bits);
  *target = bits;
}

// Lengths of matches with their extra bits: how many bits, and these above them.
static void make_lengths(const codes *c, uint32_t *table) {
  for (unsigned length = 3; length <= 258; length++) {
    const unsigned symbol = 257 + deflate_length_symbol(length), extra = deflate_length_extra(length);
    const uint32_t bits = c->literals[symbol] | ((length - 3) & ((1u << extra) - 1)) << c->lengths[symbol];
    table[length - 3] = bits << 8 | (c->lengths[symbol] + extra);
  }
}

static void write_symbols(deflate_bits *bits, const codes *c, const deflate_token *token, const uint8_t *bytes) {
  uint32_t table[256], lengths[256];
  for (unsigned i = 0; i < 256; i++) table[i] = (uint32_t)c->literals[i] << 8 | c->lengths[i];
  if (token->length > 0) make_lengths(c, lengths);
  for (;; token++) {
    if (token->literals > 0) write_literals(bits, table, bytes, bytes + token->literals);
    if (token->length == 0) break;
    bytes += token->literals + token->length;
    const uint32_t length = lengths[token->length - 3];
    const unsigned far = deflate_distance_symbol(token->distance), far_extra = deflate_distance_extra(token->distance);
    const unsigned far_length = c->lengths[286 + far];
    const uint64_t distance = c->distances[far] | (uint64_t)(token->distance & ((1u << far_extra) - 1)) << far_length;
    // At most 19 bits and 28.
    put(bits, length >> 8, length & 255);
    put_flushed(bits, distance, far_length + far_extra);
  }
  put_flushed(bits, c->literals[256], c->lengths[256]);
}

static void write_stored(deflate_bits *bits, const uint8_t *bytes, size_t length, int is_last) {
  do {
    const unsigned count = length < STORED_MOST ? (unsigned)length : STORED_MOST;
    length -= count;
    put_flushed(bits, is_last && length == 0, 3);
    put_flushed(bits, 0, (8 - bits->count) & 7);
    put_flushed(bits, count | (uint64_t)(count ^ 0xFFFF) << 16, 32);
    if (count > 0) memcpy(bits->out, bytes, count);
    bits->out += count;
    bytes += count;
  } while (length > 0);
}

void deflate_write_empty_block(deflate_bits *bits, int is_last) { write_stored(bits, NULL, 0, is_last); }

size_t deflate_store(const uint8_t *bytes, size_t length, int is_last, uint8_t *out) {
  deflate_bits bits = {out, 0, 0};
  write_stored(&bits, bytes, length, is_last);
  return (size_t)(bits.out - out);
}

void deflate_write_block(deflate_bits *bits, deflate_counts *counts, const deflate_token *tokens, const uint8_t *bytes,
                         size_t length, int is_last) {
  codes own, fixed;
  header h;
  counts->literals[256] = 1;
  make_fixed_lengths(&fixed);
  const uint64_t own_bits = make_header(counts, &own, &h) + symbol_bits(counts, &own);
  const uint64_t fixed_bits = symbol_bits(counts, &fixed);
  // Each stored block has its three bits and those to the next byte, and four bytes of lengths.
  const uint64_t stored_bits = 8 * (uint64_t)length + 40 * ((length + STORED_MOST - 1) / STORED_MOST);
  if (stored_bits <= own_bits && stored_bits <= fixed_bits) {
    write_stored(bits, bytes, length, is_last);
  } else if (fixed_bits <= own_bits) {
    make_fixed_codes(&fixed);
    put_flushed(bits, (uint64_t)(is_last != 0) | 1 << 1, 3);
    write_symbols(bits, &fixed, tokens, bytes);
  } else {
    put_flushed(bits, (uint64_t)(is_last != 0) | 2 << 1, 3);
    write_header(bits, &h);
    write_symbols(bits, &own, tokens, bytes);
  }
}
