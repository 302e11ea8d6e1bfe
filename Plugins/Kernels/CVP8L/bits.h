// SPDX-License-Identifier: Apache-2.0
//
// Bits from the lowest of each byte on (RFC 9649 §3.2). After the last byte there are zeros: whether it was passed is looked at now
// and then, not at each bit.

#ifndef VP8L_BITS_H
#define VP8L_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  uint64_t buffer;  // the next bits, from the lowest on
  uint32_t count;   // how many of them are there
  size_t next;      // index of the byte that comes behind them; also behind the end
  const uint8_t *bytes;
  size_t size;
} bits;

static __attribute__((noinline)) uint64_t last_word(const uint8_t *bytes, size_t size, size_t next) {
  uint64_t word = 0;
  for (uint32_t shift = 0; next < size; next++, shift += 8) word |= (uint64_t)bytes[next] << shift;
  return word;
}

// Afterwards there are at least 56 bits.
static inline __attribute__((always_inline)) void fill(bits *from) {
  uint64_t word;
  if (__builtin_expect(from->size >= 8 && from->next <= from->size - 8, 1)) {
    memcpy(&word, from->bytes + from->next, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
  } else {
    word = last_word(from->bytes, from->size, from->next);
  }
  from->buffer |= word << from->count;
  from->next += (63 - from->count) >> 3;
  from->count |= 56;
}

static inline __attribute__((always_inline)) void drop(bits *from, uint32_t count) {
  from->buffer >>= count;
  from->count -= count;
}

// Up to 24 bits.
static inline uint32_t take(bits *from, uint32_t count) {
  fill(from);
  const uint32_t value = (uint32_t)from->buffer & ((1u << count) - 1);
  drop(from, count);
  return value;
}

static inline int is_past_end(const bits *from) { return from->next > from->size && (from->next - from->size) * 8 > from->count; }

#endif
