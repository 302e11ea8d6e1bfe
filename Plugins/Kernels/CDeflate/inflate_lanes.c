// SPDX-License-Identifier: Apache-2.0
//
// Inflating a block in several places at once. Each symbol begins where the one before it ends, so a processor waits for
// one look-up after the other, and can do several such chains in the same time. The first lane begins at the symbol that
// is next; the others begin at any bit further on. A lane that began inside a symbol soon reads the symbols of the stream
// all the same, since codes of different lengths fall into step (Klein and Wiseman, "Parallel Huffman decoding", 2003):
// from where the lane before it ends at the beginning of one of its symbols, what it read is right. What it read before
// that, or all of it if this does not happen, is dropped.
//
// Lanes only find symbols. Bytes are made when they are joined, one lane after the other, and matches are only then looked
// at, so that whatever a lane read of bits that are none, it has no effect.

#include "inflate_lanes.h"

#include "CProcessor.h"
#include "vectors.h"

#define LANES 3
// Symbols of a lane, a multiple of 64.
#define LANE_SYMBOLS 384u
// How many symbols a lane reads of those of the next, at the mean: as many as it takes to be in step.
#define OVERLAP 32u
// Into a function for one instruction set.
#define INLINED __attribute__((always_inline))
// Symbols that a lane reads of eight bytes, of which 57 bits are sure to be left.
#define GROUP 4u
#define GROUP_BITS 57u
// A group that is read symbol by symbol takes at most 14 bytes, and the symbol after it is loaded as eight.
#define LANE_SLACK 24u
// Input of a call, so that its bits can be counted in 32 bits.
#define MOST_INPUT (1u << 20)

// A symbol: its bits with all extra bits (0 to 5), that it is one (6), that it is a length (7), a literal (8 to 15). Of a
// symbol that is none, or too long for these tables: 0.
#define SYMBOL_BITS(symbol) ((symbol)&63u)
#define SYMBOL_THERE 64u
#define SYMBOL_LENGTH 128u

typedef struct lane {
  uint16_t symbols[LANE_SYMBOLS + GROUP];
  uint32_t places[LANE_SYMBOLS / GROUP + 1];  // where groups begin, in bits
  unsigned count;                             // of symbols
  uint32_t end;                               // where the one behind the last begins
} lane;

static inline uint64_t bits_at(const uint8_t *base, uint32_t place) { return load64(base + (place >> 3)) >> (place & 7); }

static uint16_t short_symbol(uint32_t entry, unsigned kind) {
  return entry & ENTRY_SPECIAL ? 0 : (uint16_t)(ENTRY_DROP(entry) | SYMBOL_THERE | kind);
}

void inflate_make_lane_tables(inflater *s) {
  uint16_t *near = s->lane_symbols[0], *far = s->lane_symbols[1];
  for (unsigned i = 0; i <= LITERAL_MASK; i++) {
    const uint32_t entry = s->literals[i];
    near[i] = ENTRY_LITERALS(entry) ? (uint16_t)(ENTRY_DROP(entry) | SYMBOL_THERE | (entry & 0xFF00))
                                         : short_symbol(entry, SYMBOL_LENGTH);
  }
  // The index has more bits than that of the table it is made from, so that one mask serves both.
  for (unsigned i = 0; i <= DISTANCE_MASK; i++) {
    const uint32_t entry = s->distances[i];
    uint16_t symbol = short_symbol(entry, 0);
    for (unsigned above = 0; above <= LITERAL_MASK >> INFLATE_DISTANCE_BITS; above++) {
      if (entry & ENTRY_SECOND) {
        const uint32_t second = s->distances[ENTRY_BASE(entry) + low_bits(above, ENTRY_CODE(entry))];
        symbol = ENTRY_CODE(second) > INFLATE_LITERAL_BITS - INFLATE_DISTANCE_BITS
                     ? 0
                     : short_symbol(second + INFLATE_DISTANCE_BITS, 0);
      }
      far[i | above << INFLATE_DISTANCE_BITS] = symbol;
    }
  }
  s->lanes_are_made = 1;
  if (s->lane_bits == 0) s->lane_bits = 6 * (LANE_SYMBOLS - OVERLAP);
}

// The symbol that `bits` begin with, of any length; 0 where a block ends, and where there is none.
static uint16_t symbol_of(const inflater *s, uint64_t bits, int is_distance) {
  unsigned used = 0;
  const uint32_t entry = is_distance ? entry_of(s->distances, INFLATE_DISTANCE_BITS, &bits, &used)
                                     : entry_of(s->literals, INFLATE_LITERAL_BITS, &bits, &used);
  used += ENTRY_DROP(entry);
  if (ENTRY_LITERALS(entry)) return (uint16_t)(used | SYMBOL_THERE | (entry & 0xFF00));
  if (entry & (ENTRY_BLOCK_END | ENTRY_INVALID)) return 0;
  return (uint16_t)(used | SYMBOL_THERE | (is_distance ? 0 : SYMBOL_LENGTH));
}

static inline int follows_length(const lane *from, unsigned index) {
  return index > 0 && (from->symbols[index - 1] & SYMBOL_LENGTH);
}

// Reads the group at `index` symbol by symbol.
//   returns  whether all of it is there; otherwise the lane is over
static __attribute__((noinline)) int read_group(const inflater *s, const uint8_t *base, lane *from, unsigned index) {
  uint32_t place = from->places[index / GROUP];
  for (unsigned i = index; i < index + GROUP; i++) {
    const uint16_t symbol = symbol_of(s, bits_at(base, place), follows_length(from, i));
    if (symbol == 0) {
      from->count = i;
      from->end = place;
      return 0;
    }
    from->symbols[i] = symbol;
    place += SYMBOL_BITS(symbol);
  }
  from->end = place;
  return 1;
}

// Reads symbols in all lanes, up to LANE_SYMBOLS each, or until the first lane is over or bits before `limit` are.
static inline INLINED void read_lanes(const inflater *s, const uint8_t *base, uint32_t limit, lane *lanes) {
  const uint16_t *const near = s->lane_symbols[0], *const far = s->lane_symbols[1];
  const uint16_t *tables[LANES];
  uint32_t places[LANES];
  unsigned over = 0;  // a bit for each lane
  for (unsigned l = 0; l < LANES; l++) {
    tables[l] = near;
    places[l] = lanes[l].places[0];
  }
  unsigned index = 0;
  for (; index < LANE_SYMBOLS; index += GROUP) {
    uint32_t beyond = 0;
    for (unsigned l = 0; l < LANES; l++) beyond |= limit - places[l];
    if ((int32_t)beyond < 0) break;
    uint64_t bits[LANES];
    unsigned sums[LANES] = {0}, all_there = SYMBOL_THERE;
    for (unsigned l = 0; l < LANES; l++) {
      bits[l] = bits_at(base, places[l]);
      lanes[l].places[index / GROUP] = places[l];
    }
    for (unsigned i = 0; i < GROUP; i++) {
      for (unsigned l = 0; l < LANES; l++) {
        const unsigned symbol = tables[l][bits[l] & LITERAL_MASK];
        lanes[l].symbols[index + i] = (uint16_t)symbol;
        all_there &= symbol;
        bits[l] >>= SYMBOL_BITS(symbol);
        sums[l] += symbol;
        tables[l] = symbol & SYMBOL_LENGTH ? far : near;
      }
    }
    // Only bits of symbols add to the lowest seven, at most 80: GROUP times SYMBOL_THERE, and SYMBOL_LENGTH, are multiples
    // of 128.
    for (unsigned l = 0; l < LANES; l++) sums[l] &= 127;
    unsigned longest = 0;
    for (unsigned l = 0; l < LANES; l++) longest = sums[l] > longest ? sums[l] : longest;
    if (__builtin_expect(all_there != 0 && longest <= GROUP_BITS, 1)) {
      for (unsigned l = 0; l < LANES; l++) places[l] += sums[l];
      continue;
    }
    for (unsigned l = 0; l < LANES; l++) {
      const unsigned bit = 1u << l;
      if (!(over & bit) && !read_group(s, base, &lanes[l], index)) over |= bit;
      // A lane that is over goes on where the first one began, for nobody.
      places[l] = over & bit ? lanes[0].places[0] : lanes[l].end;
      tables[l] = !(over & bit) && follows_length(&lanes[l], index + GROUP) ? far : near;
    }
    if (over & 1) break;
  }
  for (unsigned l = 0; l < LANES; l++) {
    if (over & 1u << l) continue;
    lanes[l].count = index;
    lanes[l].end = places[l];
  }
}

// Where the symbol at `index` begins, which is at most the count.
static inline uint32_t place_of(const lane *from, unsigned index) {
  if (index == from->count) return from->end;
  const uint16_t *const group = from->symbols + (index & ~(GROUP - 1));
  uint32_t place = from->places[index / GROUP];
  // Without a branch, since matches may be at any index.
  for (unsigned i = 0; i < GROUP - 1; i++) place += SYMBOL_BITS(group[i]) & -(uint32_t)(index % GROUP > i);
  return place;
}

// The literals of 64 symbols as bytes.
//   returns  a bit for each symbol that is a length
static inline uint64_t literals_of(const uint16_t *symbols, uint8_t *bytes) {
  uint64_t lengths = 0;
#if defined(VECTORS)
  const __m128i length = _mm_set1_epi16(SYMBOL_LENGTH);
  for (unsigned i = 0; i < 64; i += 16) {
    const __m128i a = _mm_loadu_si128((const __m128i *)(symbols + i)), b = _mm_loadu_si128((const __m128i *)(symbols + i + 8));
    _mm_storeu_si128((__m128i *)(bytes + i), _mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8)));
    const __m128i found = _mm_packs_epi16(_mm_cmpeq_epi16(_mm_and_si128(a, length), length),
                                          _mm_cmpeq_epi16(_mm_and_si128(b, length), length));
    lengths |= (uint64_t)_mm_movemask_epi8(found) << i;
  }
#else
  for (unsigned i = 0; i < 64; i++) {
    bytes[i] = (uint8_t)(symbols[i] >> 8);
    lengths |= (uint64_t)(symbols[i] & SYMBOL_LENGTH ? 1 : 0) << i;
  }
#endif
  return lengths;
}

// Copies bytes in steps of 32, which there has to be room for.
static inline void copy_literals(uint8_t *out, const uint8_t *from, unsigned count) {
  const uint8_t *const end = from + count;
  do {
    memcpy(out, from, 32);
    out += 32;
    from += 32;
  } while (__builtin_expect(from < end, 0));
}

// Takes the match that `bits` begin with.
//   out      advanced
//   returns  how many bits that are; 0 if there is none, or the stream is damaged
static inline INLINED unsigned take_match(inflater *s, const uint8_t *history, uint64_t bits, uint8_t **out) {
  const match found = match_of(s, bits);
  if (found.is_invalid || !is_within(s, *out - history, found.distance)) return 0;
  copy_match(*out, found.distance, found.length);
  *out += found.length;
  return found.bits;
}

// Adds the symbols of a lane from `index` on to the output.
//   place    set to where the symbol after them begins
//   returns  whether all of them are there
static inline INLINED int append(inflater *s, edges *edge, const uint8_t *base, const lane *from, unsigned index,
                                 uint32_t *place) {
  uint8_t bytes[LANE_SYMBOLS + 32];
  uint64_t lengths[LANE_SYMBOLS / 64];
  const unsigned count = from->count, first = index / 64, words = (count + 63) / 64;
  for (unsigned word = first; word < words; word++) {
    lengths[word] = literals_of(from->symbols + 64 * word, bytes + 64 * word);
  }
  if (words > 0 && count % 64) lengths[words - 1] &= (1ull << count % 64) - 1;
  if (first < words) lengths[first] &= ~0ull << index % 64;
  uint8_t *out = edge->out;
  for (unsigned word = first;; word++) {
    uint64_t left = word < words ? lengths[word] : 1;
    for (; left; left &= left - 1) {
      // The length, or the end of the lane.
      const unsigned next = word < words ? 64 * word + (unsigned)__builtin_ctzll(left) : count;
      if (next - index >= (size_t)(edge->out_end - out)) {
        const unsigned room = (unsigned)(edge->out_end - out);
        memcpy(out, bytes + index, room);
        edge->out = out + room;
        *place = place_of(from, index + room);
        return 0;
      }
      copy_literals(out, bytes + index, next - index);
      out += next - index;
      *place = place_of(from, next);
      // A length without its distance is left to who comes next.
      const unsigned used = next + 1 < count ? take_match(s, edge->history, bits_at(base, *place), &out) : 0;
      edge->out = out;
      if (used == 0) return next + 1 >= count;
      *place += used;
      if (out >= edge->out_end) return 0;
      index = next + 2;
    }
  }
}

// Finds the symbol of a lane that begins at `*place`, and reads symbols alone, which are added to the output, until there
// is one.
//   returns  its index; the count of the lane if there is none
static unsigned fall_into_step(inflater *s, edges *edge, const uint8_t *base, const lane *into, uint32_t *place) {
  uint32_t begin = into->places[0];
  for (unsigned index = 0;;) {
    // A match may have filled the room, also where the lanes are in step.
    if (edge->out >= edge->out_end) return into->count;
    for (; index < into->count && begin < *place; index++) begin += SYMBOL_BITS(into->symbols[index]);
    if (index == into->count || (begin == *place && !follows_length(into, index))) return index;
    const uint64_t bits = bits_at(base, *place);
    const uint16_t symbol = symbol_of(s, bits, 0);
    if (symbol == 0) return into->count;
    if (symbol & SYMBOL_LENGTH) {
      const unsigned used = take_match(s, edge->history, bits, &edge->out);
      if (used == 0) return into->count;
      *place += used;
    } else {
      *edge->out++ = (uint8_t)(symbol >> 8);
      *place += SYMBOL_BITS(symbol);
    }
  }
}

static inline INLINED int run_lanes(inflater *s, edges *edge) {
  const size_t pending = (s->bit_count + 7) / 8;
  if ((size_t)(edge->in - edge->first) < pending || edge->out >= edge->out_end) return 0;
  const uint8_t *const base = edge->in - pending;
  size_t input = (size_t)(edge->in_end - base);
  if (input > MOST_INPUT) input = MOST_INPUT;
  if (input < LANE_SLACK + pending) return 0;
  const uint32_t limit = (uint32_t)(input - LANE_SLACK) * 8;
  uint32_t place = (uint32_t)pending * 8 - s->bit_count;
  if (limit < place) return 0;
  // Less is left at the end of a piece.
  const uint32_t distance = s->lane_bits < (limit - place) / LANES ? s->lane_bits : (limit - place) / LANES;
  if (distance < s->lane_bits / 4) return 0;

  lane lanes[LANES];
  for (unsigned l = 0; l < LANES; l++) lanes[l].places[0] = place + l * distance;
  read_lanes(s, base, limit, lanes);
  if (lanes[0].count >= 64) s->lane_bits = (lanes[0].end - place) * (LANE_SYMBOLS - OVERLAP) / lanes[0].count;

  int joined = 1;
  for (unsigned l = 0; l < LANES && joined; l++) {
    const unsigned index = l == 0 ? 0 : fall_into_step(s, edge, base, &lanes[l], &place);
    joined = index < lanes[l].count && append(s, edge, base, &lanes[l], index, &place);
  }
  edge->in = base + (place + 7) / 8;
  s->bit_count = -place & 7;
  s->bits = s->bit_count > 0 ? (uint64_t)(base[place / 8] >> place % 8) : 0;
  return joined;
}

#if defined(__x86_64__)
static __attribute__((target("bmi2"))) int lanes_with_bmi2(inflater *s, edges *edge) { return run_lanes(s, edge); }
static int lanes_without(inflater *s, edges *edge) { return run_lanes(s, edge); }

int inflate_run_lanes(inflater *s, edges *edge) {
  return processor_has_bmi2() ? lanes_with_bmi2(s, edge) : lanes_without(s, edge);
}
#else
int inflate_run_lanes(inflater *s, edges *edge) { return run_lanes(s, edge); }
#endif
