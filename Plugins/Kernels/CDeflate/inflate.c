// SPDX-License-Identifier: Apache-2.0
//
// Inflating. As long as there is input and room to spare, symbols are decoded without asking for either (`run_fast`);
// at the edges, one at a time and only from bits that are there (`step`), so that a stream may be cut anywhere. Blocks whose
// symbols are long are decoded in several places at once (`inflate_lanes.c`).

#include <libdeflate.h>
#include <string.h>

#include "CProcessor.h"
#include "inflate_header.h"
#include "inflate_lanes.h"
#include "inflate_state.h"

static inline void store_literals(uint8_t *out, uint32_t values) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  memcpy(out, &values, 4);
#else
  for (int i = 0; i < 4; i++) out[i] = (uint8_t)(values >> (8 * i));
#endif
}

// Decodes symbols of a block while eight bytes of input can be loaded at a time and there is room for any of them.
static inline __attribute__((always_inline)) void run_loop(inflater *s, edges *edge) {
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
    out += ENTRY_LITERALS(entry);        \
    DROP(ENTRY_DROP(entry));             \
    entry = literals[bits & LITERAL_MASK];    \
  } while (0)

  if (in > in_last || out >= out_end) return;
  REFILL();
  uint32_t entry = literals[bits & LITERAL_MASK];
  for (;;) {
    // 56 bits are there: three look-ups of literals, or the longest length with the longest distance (48).
    if (ENTRY_LITERALS(entry)) {
      TAKE_LITERALS();
      if (ENTRY_LITERALS(entry)) {
        TAKE_LITERALS();
        if (ENTRY_LITERALS(entry)) TAKE_LITERALS();
      }
      if (in > in_last || out >= out_end) break;
      REFILL();
      continue;
    }
    uint64_t rest = bits;
    unsigned used = 0;
    if (entry & ENTRY_SPECIAL) {
      if (entry & ENTRY_SECOND) {
        used = INFLATE_LITERAL_BITS;
        rest >>= INFLATE_LITERAL_BITS;
        entry = literals[ENTRY_BASE(entry) + low_bits(rest, ENTRY_CODE(entry))];
        if (ENTRY_LITERALS(entry)) {
          *out++ = (uint8_t)(entry >> 8);
          DROP(used + ENTRY_DROP(entry));
          if (in > in_last || out >= out_end) break;
          REFILL();
          entry = literals[bits & LITERAL_MASK];
          continue;
        }
      }
      if (entry & ENTRY_BLOCK_END) {
        DROP(used + ENTRY_DROP(entry));
        s->state = s->is_last_block ? CHECKSUM : BLOCK;
        break;
      }
      if (entry & ENTRY_INVALID) {
        damaged(s, "a length that is not defined");
        break;
      }
    }
    const uint32_t length = value_of(entry, rest);
    rest >>= ENTRY_DROP(entry);
    used += ENTRY_DROP(entry);
    uint32_t far = distances[rest & DISTANCE_MASK];
    if (far & ENTRY_SPECIAL) {
      if (far & ENTRY_SECOND) {
        rest >>= INFLATE_DISTANCE_BITS;
        used += INFLATE_DISTANCE_BITS;
        far = distances[ENTRY_BASE(far) + low_bits(rest, ENTRY_CODE(far))];
      }
      if (far & ENTRY_INVALID) {
        damaged(s, "a distance that is not defined");
        break;
      }
    }
    const uint32_t distance = value_of(far, rest);
    bits = rest >> ENTRY_DROP(far);
    count -= used + ENTRY_DROP(far);
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

#if defined(__x86_64__)

// Shifts by a register of any name, which photographs take 0.7 to 2.5 % less time with.
static __attribute__((target("bmi2"))) void run_with_bmi2(inflater *s, edges *edge) { run_loop(s, edge); }

static void run_plain(inflater *s, edges *edge) { run_loop(s, edge); }

static void run_fast(inflater *s, edges *edge) {
  if (processor_has_bmi2()) run_with_bmi2(s, edge);
  else run_plain(s, edge);
}

#else

static void run_fast(inflater *s, edges *edge) { run_loop(s, edge); }

#endif

// One symbol of a block, decoded only from bits that are there. Where some are missing, zeros stand for them: the code
// that is found then is the right one, or has more bits than there are.
static int read_symbol(inflater *s, edges *edge) {
  fill(s, edge, 48);
  uint64_t rest = s->bits;
  unsigned used = 0;
  const uint32_t entry = entry_of(s->literals, INFLATE_LITERAL_BITS, &rest, &used);
  if (ENTRY_LITERALS(entry)) {
    // Of several literals the first: the others may need more bits than there are.
    const uint8_t literal = (uint8_t)(entry >> 8);
    if (s->lengths[literal] > s->bit_count) return 0;
    take(s, s->lengths[literal]);
    *edge->out++ = literal;
    return 1;
  }
  used += ENTRY_DROP(entry);
  if (used > s->bit_count) return 0;
  if (entry & ENTRY_INVALID) return damaged(s, "a length that is not defined");
  if (entry & ENTRY_BLOCK_END) {
    take(s, used);
    s->state = s->is_last_block ? CHECKSUM : BLOCK;
    return 1;
  }
  const match found = match_of(s, s->bits);
  if (found.bits > s->bit_count) return 0;
  if (found.is_invalid) return damaged(s, "a distance that is not defined");
  if (!is_within(s, edge->out - edge->history, found.distance)) return 0;
  s->bits >>= found.bits;
  s->bit_count -= found.bits;
  copy_match(edge->out, found.distance, found.length);
  edge->out += found.length;
  return 1;
}

static int read_stored(inflater *s, edges *edge) {
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

// Input that is read in one lane before several are tried, at the start of a block and where they failed.
#define STRETCH 256

static int read_symbols(inflater *s, edges *edge) {
  for (;;) {
    const uint8_t *const in_end = edge->in_end;
    while (s->has_lanes && s->lanes_are_made && inflate_run_lanes(s, edge)) {
    }
    if (s->has_lanes && in_end - edge->in > STRETCH) edge->in_end = edge->in + STRETCH;
    if (s->state == SYMBOLS && edge->in_end - edge->in >= 16) run_fast(s, edge);
    edge->in_end = in_end;
    if (s->state != SYMBOLS) return s->state != DAMAGED;
    if (s->has_lanes && !s->lanes_are_made) inflate_make_lane_tables(s);
    if (edge->out >= edge->out_end) return 0;
    if (!read_symbol(s, edge)) return 0;
    if (s->state != SYMBOLS) return 1;
  }
}

// Goes on as far as input and room last.
//   returns  whether the state is another one
static int step(inflater *s, edges *edge) {
  switch (s->state) {
    case STORED: return read_stored(s, edge);
    case SYMBOLS: return read_symbols(s, edge);
    default: return inflate_around_blocks(s, edge);
  }
}

void inflate_begin(inflater *inflater) {
  inflater->bits = 0;
  inflater->bit_count = 0;
  inflater->state = HEADER;
  inflater->is_last_block = 0;
  inflater->adler = 1;
  inflater->lane_bits = 0;
  inflater->damage = NULL;
}

inflated inflate_piece(inflater *inflater, const uint8_t **in, const uint8_t *in_end,
                                 const uint8_t *history, uint8_t **out, uint8_t *out_end) {
  edges edge = {*in, in_end, history, *out, out_end, *in};
  while (edge.out < out_end && step(inflater, &edge)) {
  }
  inflater->adler = libdeflate_adler32(inflater->adler, *out, (size_t)(edge.out - *out));
  *in = edge.in;
  *out = edge.out;
  if (inflater->state == DAMAGED) return INFLATED_DAMAGED;
  if (inflater->state == OVER) {
    return (uint32_t)inflater->bits == inflater->adler ? INFLATED_END : INFLATED_UNEQUAL;
  }
  return edge.out >= out_end ? INFLATED_OUTPUT : INFLATED_INPUT;
}
