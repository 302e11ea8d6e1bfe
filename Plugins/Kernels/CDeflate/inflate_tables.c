// SPDX-License-Identifier: Apache-2.0
//
// Tables for decoding: one look-up gives up to three literals, or a length or distance with its extra bits.

#include "inflate_tables.h"

#include <string.h>

typedef uint32_t make_entry(unsigned symbol, unsigned bits);

static uint32_t literal_entry(unsigned symbol, unsigned bits) {
  static const uint16_t bases[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                     31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const uint8_t extras[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  if (symbol < 256) return bits | 1u << 6 | symbol << 8;
  if (symbol == 256) return bits | ENTRY_BLOCK_END;
  if (symbol > 285) return bits | ENTRY_INVALID;
  return (bits + extras[symbol - 257]) | bits << 8 | (uint32_t)bases[symbol - 257] << 16;
}

static uint32_t distance_entry(unsigned symbol, unsigned bits) {
  if (symbol > 29) return bits | ENTRY_INVALID;
  const unsigned extra = symbol < 2 ? 0 : symbol / 2 - 1;
  const uint32_t base = symbol < 2 ? symbol + 1 : ((2u + (symbol & 1u)) << extra) + 1;
  return (bits + extra) | bits << 8 | base << 16;
}

// The next code of `length` bits when the first bit of a code is the lowest one.
static uint32_t next_code(uint32_t code, unsigned length) {
  uint32_t bit = 1u << (length - 1);
  while (code & bit) bit >>= 1;
  return bit ? (code & (bit - 1)) | bit : 0;
}

// Bits of a second level that begins with codes of `length` bits: enough for all codes with the same start.
static unsigned second_bits(const unsigned *counts, unsigned left_of_length, unsigned length, unsigned first_bits) {
  unsigned bits = length - first_bits;
  int room = 1 << bits;
  unsigned available = left_of_length;
  while (first_bits + bits < 15) {
    room -= (int)available;
    if (room <= 0) break;
    bits++;
    room *= 2;
    available = counts[first_bits + bits];
  }
  return bits;
}

// Lets a table of `made` bits say the same for `wanted`, whatever the bits above are; of none, nothing is there to repeat.
//   returns  `wanted`
static unsigned repeat(uint32_t *table, unsigned made, unsigned wanted) {
  for (; made > 0 && made < wanted; made++) memcpy(table + (1u << made), table, sizeof *table << made);
  return wanted;
}

// Makes a table of two levels for the codes of `lengths`.
//   returns  whether these are a code: complete, or of one symbol with one bit, or of none
static int make_table(uint32_t *table, unsigned first_bits, uint32_t capacity, const uint8_t *lengths, unsigned count,
                      make_entry *make) {
  unsigned counts[16] = {0}, offsets[16] = {0}, longest = 0;
  uint16_t symbols[288];
  int left = 1;
  for (unsigned i = 0; i < count; i++) counts[lengths[i]]++;
  for (unsigned length = 1; length < 16; length++) {
    left = left * 2 - (int)counts[length];
    if (left < 0) return 0;
    if (counts[length]) longest = length;
    if (length < 15) offsets[length + 1] = offsets[length] + counts[length];
  }
  if (left > 0 && longest > 1) return 0;
  for (unsigned i = 0; i < count; i++) {
    if (lengths[i]) symbols[offsets[lengths[i]]++] = (uint16_t)i;
  }
  const uint32_t first_size = 1u << first_bits;
  if (left > 0) {
    for (uint32_t i = 0; i < first_size; i++) table[i] = 1 | ENTRY_INVALID;
  }
  uint32_t code = 0, used = first_size, second = 0, prefix = UINT32_MAX;
  unsigned next = 0, bits = 0, made_bits = 0;
  for (unsigned length = 1; length <= longest; length++) {
    if (counts[length]) made_bits = repeat(table, made_bits, length < first_bits ? length : first_bits);
    for (unsigned left_of_length = counts[length]; left_of_length > 0; left_of_length--) {
      const unsigned symbol = symbols[next++];
      if (length <= first_bits) {
        table[code] = make(symbol, length);
      } else {
        if ((code & (first_size - 1)) != prefix) {
          prefix = code & (first_size - 1);
          bits = second_bits(counts, left_of_length, length, first_bits);
          second = used;
          used += 1u << bits;
          if (used > capacity) return 0;
          table[prefix] = first_bits | bits << 8 | ENTRY_SECOND | second << 16;
        }
        const uint32_t entry = make(symbol, length - first_bits);
        for (uint32_t i = code >> first_bits; i < 1u << bits; i += 1u << (length - first_bits)) table[second + i] = entry;
      }
      code = next_code(code, length);
    }
  }
  repeat(table, made_bits, first_bits);
  return 1;
}

// How many of 32768 symbols are among those from `first` to `end` that have at most `longest` bits, by their codes.
static uint32_t share(const uint8_t *lengths, unsigned first, unsigned end, unsigned longest) {
  uint32_t result = 0;
  for (unsigned i = first; i < end; i++) {
    if (lengths[i] > 0 && lengths[i] <= longest) result += 32768u >> lengths[i];
  }
  return result;
}

// Lets entries give the literals that follow theirs, as far as the index has their bits. An entry is made from those
// with smaller indexes, which are still plain when this goes downwards.
static void join_literals(uint32_t *table) {
  for (uint32_t index = (1u << INFLATE_LITERAL_BITS) - 1; index > 0; index--) {
    uint32_t entry = table[index];
    if (ENTRY_LITERALS(entry) != 1) continue;
    unsigned bits = ENTRY_DROP(entry);
    uint32_t values = entry >> 8, joined = 1;
    while (joined < 3) {
      const uint32_t next = table[index >> bits];
      if (ENTRY_LITERALS(next) != 1 || bits + ENTRY_DROP(next) > INFLATE_LITERAL_BITS) break;
      values |= next >> 8 << (8 * joined);
      bits += ENTRY_DROP(next);
      joined++;
    }
    table[index] = bits | joined << 6 | values << 8;
  }
}

const char *inflate_make_tables(inflater *inflater) {
  const uint8_t *lengths = inflater->lengths;
  if (!make_table(inflater->literals, INFLATE_LITERAL_BITS, INFLATE_LITERAL_ENTRIES, lengths, inflater->literal_count,
                  literal_entry)) {
    return "code lengths of literals and lengths that are no code";
  }
  if (!make_table(inflater->distances, INFLATE_DISTANCE_BITS, INFLATE_DISTANCE_ENTRIES, lengths + inflater->literal_count,
                  inflater->distance_count, distance_entry)) {
    return "code lengths of distances that are no code";
  }
  // Where literals are short, two of them often have one index, and to join them saves more time than it takes, as long as
  // matches do not come in between. Where most symbols are matches, several lanes save nothing.
  const uint32_t matches = share(lengths, 257, inflater->literal_count, 15);
  const int has_short_literals = share(lengths, 0, 256, INFLATE_LITERAL_BITS / 2) >= 32768 * 3 / 8;
  inflater->has_lanes = matches < 32768 / 6 && (!has_short_literals || matches > 32768 / 12);
  inflater->lanes_are_made = 0;
  if (has_short_literals && !inflater->has_lanes) join_literals(inflater->literals);
  return NULL;
}

const char *inflate_make_code_table(uint16_t *table, const uint8_t *lengths) {
  int left = 1;
  for (unsigned length = 1; length <= 7; length++) {
    left *= 2;
    for (unsigned i = 0; i < 19; i++) left -= lengths[i] == length;
  }
  if (left != 0) return "lengths of code lengths that are no code";
  uint32_t code = 0;
  for (unsigned length = 1; length <= 7; length++) {
    for (unsigned symbol = 0; symbol < 19; symbol++) {
      if (lengths[symbol] != length) continue;
      for (uint32_t i = code; i < 128; i += 1u << length) table[i] = (uint16_t)(symbol << 4 | length);
      code = next_code(code, length);
    }
  }
  return NULL;
}
