// SPDX-License-Identifier: Apache-2.0

#include "codes.h"

#include <stdlib.h>

// Memory of all tables: more is not made by encoders, but by who wants to take memory.
enum { MOST_ENTRIES = 1 << 24 };

static int make_room(tables *tables, size_t added) {
  if (tables->capacity - tables->count >= added) return 1;
  size_t capacity = tables->capacity ? tables->capacity * 2 : 1 << 14;
  while (capacity - tables->count < added) capacity *= 2;
  if (capacity > MOST_ENTRIES) return 0;
  entry *entries = realloc(tables->entries, capacity * sizeof *entries);
  if (!entries) return 0;
  tables->entries = entries;
  tables->capacity = capacity;
  return 1;
}

static uint32_t reversed(uint32_t bits, uint32_t count) {
  bits = (bits & 0x5555) << 1 | (bits >> 1 & 0x5555);
  bits = (bits & 0x3333) << 2 | (bits >> 2 & 0x3333);
  bits = (bits & 0x0f0f) << 4 | (bits >> 4 & 0x0f0f);
  bits = (bits & 0x00ff) << 8 | bits >> 8;
  return bits >> (16 - count);
}

// Writes an entry at each place of a table whose index begins, from its lowest bit on, with a code.
static void spread(entry *table, uint32_t code, uint32_t length, uint32_t table_bits, entry value) {
  for (uint32_t place = code; place < 1u << table_bits; place += 1u << length) table[place] = value;
}

int vp8l_make_code(tables *tables, code *made, const uint8_t *lengths, uint32_t symbol_count, uint32_t first_bits) {
  uint32_t counts[LONGEST_CODE + 2] = {0}, offsets[LONGEST_CODE + 2] = {0};
  uint16_t sorted[MOST_SYMBOLS];
  for (uint32_t symbol = 0; symbol < symbol_count; symbol++) counts[lengths[symbol]]++;
  counts[0] = 0;
  uint32_t longest = 0, left = 1;
  for (uint32_t length = 1; length <= LONGEST_CODE; length++) {
    offsets[length + 1] = offsets[length] + counts[length];
    if (counts[length]) longest = length;
  }
  const uint32_t used = offsets[LONGEST_CODE + 1];
  if (used == 0) return 0;
  for (uint32_t symbol = 0; symbol < symbol_count; symbol++) {
    if (lengths[symbol]) sorted[offsets[lengths[symbol]]++] = (uint16_t)symbol;
  }
  made->start = (uint32_t)tables->count;
  if (used == 1) {
    // RFC 9649 §3.7.2.1: a code of one symbol takes no bits.
    if (!make_room(tables, 1)) return 0;
    made->mask = 0;
    tables->entries[tables->count++] = (entry)sorted[0] << 16;
    return 1;
  }
  for (uint32_t length = 1; length <= LONGEST_CODE; length++) {
    left <<= 1;
    if (counts[length] > left) return 0;
    left -= counts[length];
  }
  if (left != 0) return 0;
  const uint32_t table_bits = longest < first_bits ? longest : first_bits;
  // Second tables are looked up with the bits after the first ones': all of them have as many entries as there are such codes.
  if (!make_room(tables, ((size_t)1 << table_bits) + (longest > table_bits ? (size_t)1 << longest : 0))) return 0;
  entry *table = tables->entries + tables->count;
  size_t size = (size_t)1 << table_bits;
  made->mask = (1u << table_bits) - 1;
  uint32_t next = 0, index = 0, prefix = UINT32_MAX, second = 0, second_bits = 0;
  for (uint32_t length = 1; length <= longest; length++, next <<= 1) {
    for (uint32_t of_length = counts[length]; of_length > 0; of_length--, next++, index++) {
      const uint32_t code = reversed(next, length);
      const entry symbol = (entry)sorted[index] << 16;
      if (length <= table_bits) {
        spread(table, code, length, table_bits, symbol | length);
        continue;
      }
      if ((code & made->mask) != prefix) {
        // The second table of this prefix has room for all codes that begin so: as many bits as these fill.
        prefix = code & made->mask;
        second = (uint32_t)size;
        second_bits = length - table_bits;
        uint32_t room = (1u << second_bits) - of_length;
        while ((int32_t)room > 0) {
          second_bits++;
          room = (room << 1) - counts[second_bits + table_bits];
        }
        size += (size_t)1 << second_bits;
        if (second > UINT16_MAX) return 0;
        table[prefix] = second << 16 | second_bits << 8 | table_bits;
      }
      spread(table + second, code >> table_bits, length - table_bits, second_bits, symbol | length);
    }
  }
  tables->count += size;
  return 1;
}

int vp8l_read_lengths(bits *from, tables *scratch, uint8_t *lengths, uint32_t symbol_count) {
  memset(lengths, 0, symbol_count);
  if (take(from, 1)) {
    // RFC 9649 §3.7.2.1.1, a simple code: one symbol or two.
    const uint32_t is_two = take(from, 1);
    const uint32_t first = take(from, take(from, 1) ? 8 : 1);
    if (first < symbol_count) lengths[first] = 1;
    if (!is_two) return 1;
    const uint32_t second = take(from, 8);
    if (second < symbol_count) lengths[second] = 1;
    return 1;
  }
  static const uint8_t order[19] = {17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  uint8_t of_lengths[19] = {0};
  const uint32_t stated = 4 + take(from, 4);
  for (uint32_t index = 0; index < stated; index++) of_lengths[order[index]] = (uint8_t)take(from, 3);
  code code;
  scratch->count = 0;
  if (!vp8l_make_code(scratch, &code, of_lengths, 19, 7)) return 0;
  uint32_t most = symbol_count;
  if (take(from, 1)) {
    most = 2 + take(from, 2 + 2 * take(from, 3));
    if (most > symbol_count) return 0;
  }
  uint8_t last = 8;
  for (uint32_t symbol = 0; symbol < symbol_count && most > 0; most--) {
    fill(from);
    const uint32_t length = next_symbol(from, scratch->entries + code.start, code.mask);
    if (length < 16) {
      lengths[symbol++] = (uint8_t)length;
      if (length) last = (uint8_t)length;
      continue;
    }
    static const uint8_t extra[3] = {2, 3, 7}, least[3] = {3, 3, 11};
    const uint32_t count = least[length - 16] + take(from, extra[length - 16]);
    if (count > symbol_count - symbol) return 0;
    memset(lengths + symbol, length == 16 ? last : 0, count);
    symbol += count;
  }
  return 1;
}
