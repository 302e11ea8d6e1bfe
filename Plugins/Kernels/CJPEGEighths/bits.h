// SPDX-License-Identifier: Apache-2.0
//
// Bits of an entropy-coded segment, T.81 B.1.1.5, F.2.2, read from memory without the zeros that stand after bytes of ones, and
// with readable bytes after the last: nothing is asked of the end until an MCU is over.

#ifndef EIGHTHS_BITS_H
#define EIGHTHS_BITS_H

#include <string.h>

#include "codes.h"

// In registers: never by its address.
typedef struct {
  uint64_t buffer;  // the next bits, from the top
  uint32_t count;   // how many of them
  const uint8_t *next;
} bits;

// At least 56 bits: two codes with their values.
static inline __attribute__((always_inline)) bits fill(bits from) {
  uint64_t word;
  memcpy(&word, from.next, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  from.buffer |= word >> from.count;
  from.next += (63 - from.count) >> 3;
  from.count |= 56;
  return from;
}

static inline __attribute__((always_inline)) bits drop(bits from, uint32_t count) {
  from.buffer <<= count;
  from.count -= count;
  return from;
}

// Length and value of the next code, as in `codes.look`; 0 for bits that are no code.
static __attribute__((noinline)) uint32_t long_code(uint64_t buffer, const codes *of) {
  uint32_t length = 1;
  while (length <= 16 && (int32_t)(buffer >> (64 - length)) > of->largest[length]) length++;
  if (length > 16) return 0;
  const int32_t place = (int32_t)(buffer >> (64 - length)) + of->offsets[length];
  return place < 0 || place > 255 ? 0 : length << 8 | of->stated.values[place];
}

static inline __attribute__((always_inline)) uint32_t next_code(bits from, const codes *of) {
  const uint32_t found = of->look[from.buffer >> (64 - LOOK_BITS)];
  return __builtin_expect(found != 0, 1) ? found : long_code(from.buffer, of);
}

// F.2.2.1, EXTEND: the next `size` bits as a signed number, 0 for none.
static inline __attribute__((always_inline)) int32_t signed_value(bits from, uint32_t size) {
  const int32_t value = (int32_t)(from.buffer >> 1 >> (63 - size));
  // What begins with a 0 is negative.
  return value + (((int32_t)(from.buffer >> 63) - 1) & (1 - (1 << size)));
}

#endif
