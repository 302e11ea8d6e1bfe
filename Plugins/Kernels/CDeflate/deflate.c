// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "vectors.h"
#include "deflate_block.h"
#include "load64.h"

#define LONGEST_MATCH 258u
// A match of so many bytes is taken without a look at other places.
#define GOOD_MATCH 96u
// Inside of longer matches, no places are remembered.
#define SHORT_MATCH 32u
// Literals of a block at most: where colors change, codes should.
#define BLOCK_LITERALS 65536u
// Of the pixels before a part, so many are remembered as one: the row above is looked at without that.
#define HISTORY_STRIDE 4u
// Places that are left out between two looks, at most.
#define LONGEST_STRIDE 32u

#define INLINE static inline __attribute__((always_inline))

typedef struct match {
  size_t length, distance;  // length 0: none
} match;

// What a part is searched with. Positions count from the first byte of the history.
typedef struct search {
  const uint8_t *bytes;
  size_t end;
  uint32_t *places;
  size_t step, row;
  unsigned key_shift;  // leaves of eight bytes those of a key in the highest ones
} search;

// How many bytes from `from` on are equal to those at `bytes`, of which `known` are.
INLINE size_t equal_bytes(const uint8_t *bytes, const uint8_t *from, size_t known, size_t most) {
  size_t count = known;
#if defined(VECTORS)
  for (; count + 16 <= most; count += 16) {
    const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)(bytes + count));
    const __m128i there = _mm_loadu_si128((const __m128i *)(const void *)(from + count));
    const unsigned different = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(here, there)) ^ 0xFFFFu;
    if (different) return count + (size_t)__builtin_ctz(different);
  }
#endif
  for (; count + 8 <= most; count += 8) {
    const uint64_t difference = load64(bytes + count) ^ load64(from + count);
    if (difference) return count + ((size_t)__builtin_ctzll(difference) >> 3);
  }
  while (count < most && bytes[count] == from[count]) count++;
  return count;
}

INLINE uint32_t *bucket(const search *s, uint64_t bytes, unsigned ways) {
  return s->places + ways * (((bytes << s->key_shift) * 0x9E3779B97F4A7C15ull) >> (64 - DEFLATE_HASH_BITS));
}

// Remembers a place. Eight bytes can be read there.
INLINE void remember(uint32_t *places, size_t position, unsigned ways) {
  for (unsigned way = ways - 1; way > 0; way--) places[way] = places[way - 1];
  places[0] = (uint32_t)position + 1;
}

// The longest match at `position`, where eight bytes can be read: with the pixel before, the row before, or places that
// begin with the same bytes. The place is remembered.
INLINE match find(const search *s, size_t position, unsigned ways) {
  const uint8_t *here = s->bytes + position;
  const uint64_t key = load64(here);
  const size_t most = s->end - position < LONGEST_MATCH ? s->end - position : LONGEST_MATCH;
  match best = {0, 0};
  if (position >= s->step && load64(here - s->step) == key) {
    best.length = equal_bytes(here, here - s->step, 8, most);
    best.distance = s->step;
  }
  if (best.length < GOOD_MATCH && s->row > 0 && position >= s->row && load64(here - s->row) == key) {
    const size_t length = equal_bytes(here, here - s->row, 8, most);
    // Its distance takes more bits.
    if (length > best.length + 2) best = (match){length, s->row};
  }
  if (ways == 0) return best;
  uint32_t *places = bucket(s, key, ways);
  for (unsigned way = 0; way < ways && best.length < GOOD_MATCH; way++) {
    const size_t place = places[way];
    if (place == 0 || position - (place - 1) > DEFLATE_HISTORY) break;
    const uint8_t *from = s->bytes + place - 1;
    if ((load64(from) ^ key) << s->key_shift) continue;
    const size_t length = equal_bytes(here, from, 3, most);
    if (length > best.length + (best.length > 0 && way == 0 ? 2 : 0)) best = (match){length, (size_t)(here - from)};
  }
  remember(places, position, ways);
  return best;
}

INLINE void count_literals(deflater *d, const uint8_t *bytes, size_t count) {
  for (; count >= 4; count -= 4, bytes += 4) {
    d->counts.literals[bytes[0]]++;
    d->spread[0][bytes[1]]++;
    d->spread[1][bytes[2]]++;
    d->spread[2][bytes[3]]++;
  }
  for (; count > 0; count--) d->counts.literals[*bytes++]++;
}

INLINE void add_token(deflater *d, unsigned *tokens, size_t literals, match found) {
  d->tokens[(*tokens)++] = (deflate_token){(uint32_t)literals, (uint16_t)found.length, (uint16_t)(found.distance - 1)};
  d->counts.literals[257 + deflate_length_symbol((unsigned)found.length)]++;
  d->counts.distances[deflate_distance_symbol((unsigned)found.distance - 1)]++;
}

// Finds the matches of a block.
//   returns  its end
INLINE size_t find_block(deflater *d, const search *s, size_t start, const deflate_effort *effort, unsigned ways,
                         int is_lazy) {
  // After the last place where eight bytes can be read.
  const size_t search_end = s->end < 8 ? 0 : s->end - 7;
  size_t position = start, literals_start = start, misses = 0, literals = 0;
  unsigned tokens = 0;
  memset(&d->counts, 0, sizeof d->counts);
  memset(d->spread, 0, sizeof d->spread);
  while (position < search_end && tokens < DEFLATE_TOKENS - 1 && literals < BLOCK_LITERALS) {
    match found = find(s, position, ways);
    if (found.length == 0) {
      size_t stride = effort->stride + (misses++ >> effort->patience);
      if (stride > LONGEST_STRIDE) stride = LONGEST_STRIDE;
      if (stride > s->end - position) stride = s->end - position;
      position += stride;
      literals += stride;
      continue;
    }
    if (is_lazy) {
      while (found.length < SHORT_MATCH && position + 1 < search_end) {
        const match next = find(s, position + 1, ways);
        if (next.length <= found.length + 1) break;
        found = next;
        position++;
      }
    }
    misses = 0;
    add_token(d, &tokens, position - literals_start, found);
    count_literals(d, s->bytes + literals_start, position - literals_start);
    if (ways > 0 && found.length < SHORT_MATCH) {
      const size_t end = position + found.length;
      for (size_t inside = position + s->step; inside < end && inside < search_end; inside += s->step) {
        remember(bucket(s, load64(s->bytes + inside), ways), inside, ways);
      }
    }
    position += found.length;
    literals_start = position;
  }
  if (position >= search_end && literals < BLOCK_LITERALS && tokens < DEFLATE_TOKENS - 1) position = s->end;
  d->tokens[tokens] = (deflate_token){(uint32_t)(position - literals_start), 0, 0};
  count_literals(d, s->bytes + literals_start, position - literals_start);
  for (unsigned i = 0; i < 256; i++) d->counts.literals[i] += d->spread[0][i] + d->spread[1][i] + d->spread[2][i];
  return position;
}

static size_t find_any_block(deflater *d, const search *s, size_t start, const deflate_effort *effort) {
  switch (effort->ways * 2 + (effort->is_lazy != 0)) {
    case 0:
    case 1: return find_block(d, s, start, effort, 0, 0);
    case 2: return find_block(d, s, start, effort, 1, 0);
    case 4: return find_block(d, s, start, effort, 2, 0);
    case 5: return find_block(d, s, start, effort, 2, 1);
    case 8: return find_block(d, s, start, effort, 4, 0);
    case 33: return find_block(d, s, start, effort, 16, 1);
    default: return find_block(d, s, start, effort, effort->ways, effort->is_lazy);
  }
}

size_t deflate_bound(size_t length) {
  // Blocks that do not become smaller are stored: with those, 5 bytes for 65535; a block that ends early has 65536
  // literals or 16383 matches at least.
  return length + 5 * (length / 16384 + 2) + 5;
}

size_t deflate_rows(deflater *deflater, const deflate_effort *effort, const deflate_shape *shape, const uint8_t *bytes,
                    size_t history, size_t length, int is_last, uint8_t *out) {
  const size_t end = history + length, ways = effort->ways;
  const search s = {.bytes = bytes,
                    .end = end,
                    .places = deflater->places,
                    .step = shape->step,
                    .row = shape->row <= DEFLATE_HISTORY ? shape->row : 0,
                    .key_shift = 64 - 8 * effort->key};
  deflate_bits bits = {out, 0, 0};
  memset(deflater->places, 0, (ways << DEFLATE_HASH_BITS) * sizeof *deflater->places);
  if (ways > 0) {
    const size_t step = s.step * (effort->is_lazy ? 1 : HISTORY_STRIDE);
    for (size_t place = 0; place + 8 <= history; place += step) {
      remember(bucket(&s, load64(bytes + place), (unsigned)ways), place, (unsigned)ways);
    }
  }
  for (size_t position = history; position < end;) {
    const size_t next = find_any_block(deflater, &s, position, effort);
    deflate_write_block(&bits, &deflater->counts, deflater->tokens, bytes + position, next - position,
                        is_last && next == end);
    position = next;
  }
  if (!is_last || length == 0) deflate_write_empty_block(&bits, is_last);
  // The last bits of a stream, and zeros.
  if (bits.count > 0) {
    *bits.out++ = (uint8_t)bits.bits;
  }
  return (size_t)(bits.out - out);
}
