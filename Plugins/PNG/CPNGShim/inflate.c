// SPDX-License-Identifier: Apache-2.0
//
// Inflating. As long as there is input and room to spare, symbols are decoded without asking for either (`run_fast`);
// at the edges, one at a time and only from bits that are there (`step`), so that a stream may be cut anywhere.

#include "inflate.h"

#include <libdeflate.h>
#include <string.h>

enum { HEADER, BLOCK, STORED_LENGTH, STORED, CODE_COUNTS, CODE_LENGTHS, SYMBOL_LENGTHS, SYMBOLS, CHECKSUM, OVER, DAMAGED };

#define LITERAL_MASK ((1u << CPNG_LITERAL_BITS) - 1)
#define DISTANCE_MASK ((1u << CPNG_DISTANCE_BITS) - 1)

// What a call works on.
typedef struct edges {
  const uint8_t *in, *in_end, *history;
  uint8_t *out, *out_end;
} edges;

static inline uint64_t load64(const uint8_t *bytes) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t value;
  memcpy(&value, bytes, 8);
  return value;
#else
  uint64_t value = 0;
  for (int i = 7; i >= 0; i--) value = value << 8 | bytes[i];
  return value;
#endif
}

static inline void store_literals(uint8_t *out, uint32_t values) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  memcpy(out, &values, 4);
#else
  for (int i = 0; i < 4; i++) out[i] = (uint8_t)(values >> (8 * i));
#endif
}

static inline uint64_t low_bits(uint64_t bits, unsigned count) { return bits & ((1ull << count) - 1); }

// The length or distance of an entry whose code begins at `bits`.
static inline uint32_t value_of(uint32_t entry, uint64_t bits) {
  return CPNG_ENTRY_BASE(entry) + (uint32_t)(low_bits(bits, CPNG_ENTRY_DROP(entry)) >> CPNG_ENTRY_CODE(entry));
}

// Copies a match. It may write up to 31 bytes more than the match has.
static inline void copy_match(uint8_t *out, uint32_t distance, uint32_t length) {
  const uint8_t *from = out - distance;
  const uint8_t *end = out + length;
  if (distance >= 16) {
    do {
      memcpy(out, from, 16);
      from += 16;
      out += 16;
    } while (out < end);
  } else if (distance == 1) {
    memset(out, *from, (length + 15) & ~15u);
  } else if (distance >= 8) {
    do {
      memcpy(out, from, 8);
      from += 8;
      out += 8;
    } while (out < end);
  } else {
    // The pattern as often as it fits into 16 bytes.
    uint8_t pattern[16];
    for (uint32_t i = 0; i < distance; i++) pattern[i] = from[i];
    for (uint32_t i = distance; i < 16; i++) pattern[i] = pattern[i - distance];
    const uint32_t step = 16 - 16 % distance;
    do {
      memcpy(out, pattern, 16);
      out += step;
    } while (out < end);
  }
}

static int damaged(cpng_inflater *s, const char *reason) {
  s->state = DAMAGED;
  s->damage = reason;
  return 0;
}

// Decodes symbols of a block while eight bytes of input can be loaded at a time and there is room for any of them.
static void run_fast(cpng_inflater *s, edges *edge) {
  const uint32_t *literals = s->literals, *distances = s->distances;
  const uint8_t *in = edge->in;
  // An iteration refills twice, and each refill takes up to seven bytes.
  const uint8_t *in_last = edge->in_end - 16;
  uint8_t *out = edge->out;
  uint8_t *const out_end = edge->out_end;
  uint64_t bits = s->bits;
  unsigned count = s->bit_count;
  // Bits above `count` may be those of bytes that are loaded again.
#define REFILL()                   \
  do {                             \
    bits |= load64(in) << count;   \
    in += (63 - count) >> 3;       \
    count |= 56;                   \
  } while (0)
#define DROP(n)        \
  do {                 \
    bits >>= (n);      \
    count -= (n);      \
  } while (0)
#define TAKE_LITERALS()                       \
  do {                                        \
    store_literals(out, entry >> 8);          \
    out += CPNG_ENTRY_LITERALS(entry);        \
    DROP(CPNG_ENTRY_DROP(entry));             \
    entry = literals[bits & LITERAL_MASK];    \
  } while (0)

  if (in > in_last || out >= out_end) return;
  REFILL();
  uint32_t entry = literals[bits & LITERAL_MASK];
  for (;;) {
    // 56 bits are there: three look-ups of literals, or the longest length with the longest distance (48).
    if (CPNG_ENTRY_LITERALS(entry)) {
      TAKE_LITERALS();
      if (CPNG_ENTRY_LITERALS(entry)) {
        TAKE_LITERALS();
        if (CPNG_ENTRY_LITERALS(entry)) TAKE_LITERALS();
      }
      if (in > in_last || out >= out_end) break;
      REFILL();
      continue;
    }
    uint64_t rest = bits;
    unsigned used = 0;
    if (entry & CPNG_ENTRY_SPECIAL) {
      if (entry & CPNG_ENTRY_SECOND) {
        used = CPNG_LITERAL_BITS;
        rest >>= CPNG_LITERAL_BITS;
        entry = literals[CPNG_ENTRY_BASE(entry) + low_bits(rest, CPNG_ENTRY_CODE(entry))];
        if (CPNG_ENTRY_LITERALS(entry)) {
          *out++ = (uint8_t)(entry >> 8);
          DROP(used + CPNG_ENTRY_DROP(entry));
          if (in > in_last || out >= out_end) break;
          REFILL();
          entry = literals[bits & LITERAL_MASK];
          continue;
        }
      }
      if (entry & CPNG_ENTRY_BLOCK_END) {
        DROP(used + CPNG_ENTRY_DROP(entry));
        s->state = s->is_last_block ? CHECKSUM : BLOCK;
        break;
      }
      if (entry & CPNG_ENTRY_INVALID) {
        damaged(s, "a length that is not defined");
        break;
      }
    }
    const uint32_t length = value_of(entry, rest);
    rest >>= CPNG_ENTRY_DROP(entry);
    used += CPNG_ENTRY_DROP(entry);
    uint32_t far = distances[rest & DISTANCE_MASK];
    if (far & CPNG_ENTRY_SPECIAL) {
      if (far & CPNG_ENTRY_SECOND) {
        rest >>= CPNG_DISTANCE_BITS;
        used += CPNG_DISTANCE_BITS;
        far = distances[CPNG_ENTRY_BASE(far) + low_bits(rest, CPNG_ENTRY_CODE(far))];
      }
      if (far & CPNG_ENTRY_INVALID) {
        damaged(s, "a distance that is not defined");
        break;
      }
    }
    const uint32_t distance = value_of(far, rest);
    bits = rest >> CPNG_ENTRY_DROP(far);
    count -= used + CPNG_ENTRY_DROP(far);
    if (distance > (size_t)(out - edge->history)) {
      damaged(s, "a distance to before the first byte");
      break;
    }
    if (in <= in_last) {
      REFILL();
      entry = literals[bits & LITERAL_MASK];
      copy_match(out, distance, length);
      out += length;
      if (out >= out_end || in > in_last) break;
      continue;
    }
    copy_match(out, distance, length);
    out += length;
    break;
  }
#undef REFILL
#undef DROP
#undef TAKE_LITERALS
  s->bits = low_bits(bits, count);
  s->bit_count = count;
  edge->in = in;
  edge->out = out;
}

// Fills the bits up to `wanted`, at most 56, as far as there is input.
static inline void fill(cpng_inflater *s, edges *edge, unsigned wanted) {
  while (s->bit_count < wanted && edge->in < edge->in_end) {
    s->bits |= (uint64_t)*edge->in++ << s->bit_count;
    s->bit_count += 8;
  }
}

static inline uint32_t take(cpng_inflater *s, unsigned count) {
  const uint32_t value = (uint32_t)low_bits(s->bits, count);
  s->bits >>= count;
  s->bit_count -= count;
  return value;
}

// As the steps below: whether the bits are there.
static inline int need(cpng_inflater *s, edges *edge, unsigned count) {
  fill(s, edge, count);
  return s->bit_count >= count;
}

// One symbol of a block, decoded only from bits that are there. Where some are missing, zeros stand for them: the code
// that is found then is the right one, or has more bits than there are.
static int read_symbol(cpng_inflater *s, edges *edge) {
  fill(s, edge, 48);
  uint64_t rest = s->bits;
  unsigned used = 0;
  uint32_t entry = s->literals[rest & LITERAL_MASK];
  if (CPNG_ENTRY_LITERALS(entry)) {
    // Of several literals the first: the others may need more bits than there are.
    const uint8_t literal = (uint8_t)(entry >> 8);
    if (s->lengths[literal] > s->bit_count) return 0;
    take(s, s->lengths[literal]);
    *edge->out++ = literal;
    return 1;
  }
  if (entry & CPNG_ENTRY_SECOND) {
    used = CPNG_LITERAL_BITS;
    rest >>= CPNG_LITERAL_BITS;
    entry = s->literals[CPNG_ENTRY_BASE(entry) + low_bits(rest, CPNG_ENTRY_CODE(entry))];
  }
  used += CPNG_ENTRY_DROP(entry);
  if (used > s->bit_count) return 0;
  if (CPNG_ENTRY_LITERALS(entry)) {
    take(s, used);
    *edge->out++ = (uint8_t)(entry >> 8);
    return 1;
  }
  if (entry & CPNG_ENTRY_INVALID) return damaged(s, "a length that is not defined");
  if (entry & CPNG_ENTRY_BLOCK_END) {
    take(s, used);
    s->state = s->is_last_block ? CHECKSUM : BLOCK;
    return 1;
  }
  const uint32_t length = value_of(entry, rest);
  rest >>= CPNG_ENTRY_DROP(entry);
  uint32_t far = s->distances[rest & DISTANCE_MASK];
  if (far & CPNG_ENTRY_SECOND) {
    used += CPNG_DISTANCE_BITS;
    rest >>= CPNG_DISTANCE_BITS;
    far = s->distances[CPNG_ENTRY_BASE(far) + low_bits(rest, CPNG_ENTRY_CODE(far))];
  }
  used += CPNG_ENTRY_DROP(far);
  if (used > s->bit_count) return 0;
  if (far & CPNG_ENTRY_INVALID) return damaged(s, "a distance that is not defined");
  const uint32_t distance = value_of(far, rest);
  if (distance > (size_t)(edge->out - edge->history)) return damaged(s, "a distance to before the first byte");
  s->bits >>= used;
  s->bit_count -= used;
  copy_match(edge->out, distance, length);
  edge->out += length;
  return 1;
}

static int read_header(cpng_inflater *s, edges *edge) {
  if (!need(s, edge, 16)) return 0;
  const uint32_t method = take(s, 8), flags = take(s, 8);
  if ((method << 8 | flags) % 31 != 0) return damaged(s, "a zlib header whose check is wrong");
  if ((method & 15) != 8) return damaged(s, "a compression method that is not deflate");
  if (method >> 4 > 7) return damaged(s, "a window of more than 32 KiB");
  if (flags & 32) return damaged(s, "a stream that needs a dictionary");
  s->state = BLOCK;
  return 1;
}

static int make_tables(cpng_inflater *s) {
  const char *problem = cpng_make_tables(s);
  if (problem) return damaged(s, problem);
  s->state = SYMBOLS;
  return 1;
}

static int read_block(cpng_inflater *s, edges *edge) {
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

static int read_stored_length(cpng_inflater *s, edges *edge) {
  if (!need(s, edge, 32)) return 0;
  s->stored = take(s, 16);
  if (take(s, 16) != (s->stored ^ 0xFFFF)) return damaged(s, "a stored block whose lengths do not agree");
  s->state = STORED;
  return 1;
}

static int read_stored(cpng_inflater *s, edges *edge) {
  while (s->stored > 0 && s->bit_count > 0 && edge->out < edge->out_end) {
    *edge->out++ = (uint8_t)take(s, 8);
    s->stored--;
  }
  size_t count = s->stored;
  if (count > (size_t)(edge->in_end - edge->in)) count = (size_t)(edge->in_end - edge->in);
  if (edge->out >= edge->out_end) count = 0;
  if (count > (size_t)(edge->out_end - edge->out)) count = (size_t)(edge->out_end - edge->out);
  if (count > 0) memcpy(edge->out, edge->in, count);
  edge->in += count;
  edge->out += count;
  s->stored -= (uint32_t)count;
  if (s->stored > 0) return 0;
  s->state = s->is_last_block ? CHECKSUM : BLOCK;
  return 1;
}

static int read_code_counts(cpng_inflater *s, edges *edge) {
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

static int read_code_lengths(cpng_inflater *s, edges *edge) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  while (s->known < s->code_count) {
    if (!need(s, edge, 3)) return 0;
    s->lengths[order[s->known++]] = (uint8_t)take(s, 3);
  }
  const char *problem = cpng_make_code_table(s->code_table, s->lengths);
  if (problem) return damaged(s, problem);
  s->known = 0;
  s->state = SYMBOL_LENGTHS;
  return 1;
}

static int read_symbol_lengths(cpng_inflater *s, edges *edge) {
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

static int read_symbols(cpng_inflater *s, edges *edge) {
  for (;;) {
    if (edge->in_end - edge->in >= 16) run_fast(s, edge);
    if (s->state != SYMBOLS) return s->state != DAMAGED;
    if (edge->out >= edge->out_end) return 0;
    if (!read_symbol(s, edge)) return 0;
    if (s->state != SYMBOLS) return 1;
  }
}

static int read_checksum(cpng_inflater *s, edges *edge) {
  if (s->bit_count & 7) take(s, s->bit_count & 7);
  if (!need(s, edge, 32)) return 0;
  const uint32_t stored = __builtin_bswap32(take(s, 32));
  s->bits = stored;
  s->state = OVER;
  return 1;
}

// Goes on as far as input and room last.
//   returns  whether the state is another one
static int step(cpng_inflater *s, edges *edge) {
  switch (s->state) {
    case HEADER: return read_header(s, edge);
    case BLOCK: return read_block(s, edge);
    case STORED_LENGTH: return read_stored_length(s, edge);
    case STORED: return read_stored(s, edge);
    case CODE_COUNTS: return read_code_counts(s, edge);
    case CODE_LENGTHS: return read_code_lengths(s, edge);
    case SYMBOL_LENGTHS: return read_symbol_lengths(s, edge);
    case SYMBOLS: return read_symbols(s, edge);
    case CHECKSUM: return read_checksum(s, edge);
    default: return 0;
  }
}

void cpng_inflate_begin(cpng_inflater *inflater) {
  inflater->bits = 0;
  inflater->bit_count = 0;
  inflater->state = HEADER;
  inflater->is_last_block = 0;
  inflater->adler = 1;
  inflater->damage = NULL;
}

cpng_inflated cpng_inflate_piece(cpng_inflater *inflater, const uint8_t **in, const uint8_t *in_end,
                                 const uint8_t *history, uint8_t **out, uint8_t *out_end) {
  edges edge = {*in, in_end, history, *out, out_end};
  while (edge.out < out_end && step(inflater, &edge)) {
  }
  inflater->adler = libdeflate_adler32(inflater->adler, *out, (size_t)(edge.out - *out));
  *in = edge.in;
  *out = edge.out;
  if (inflater->state == DAMAGED) return CPNG_INFLATED_DAMAGED;
  if (inflater->state == OVER) {
    return (uint32_t)inflater->bits == inflater->adler ? CPNG_INFLATED_END : CPNG_INFLATED_UNEQUAL;
  }
  return edge.out >= out_end ? CPNG_INFLATED_OUTPUT : CPNG_INFLATED_INPUT;
}
