// SPDX-License-Identifier: Apache-2.0

#include "huffman.h"

#include <string.h>

enum { LONGEST = 16, SYMBOLS = 256, BEFORE_LIMIT = SYMBOLS };

void huffman_read_by(huffman_reader *reader, const JHUFF_TBL *table) {
  int32_t code = 0, index = 0;
  memset(reader, 0, sizeof *reader);
  reader->symbols = table->huffval;
  for (int length = 1; length <= LONGEST; length++) {
    reader->offset[length] = index - code;
    for (int i = 0; i < table->bits[length]; i++, code++, index++) {
      uint8_t symbol = table->huffval[index];
      huffman_entry entry = {(uint8_t)length, symbol & 15, symbol, 0};
      if (length > HUFFMAN_LOOK) continue;
      int shift = HUFFMAN_LOOK - length;
      for (int look = code << shift; look < (code + 1) << shift; look++) reader->look[look] = entry;
    }
    reader->largest[length] = table->bits[length] > 0 ? code - 1 : -1;
    code <<= 1;
  }
}

huffman_entry huffman_long_entry(const huffman_reader *reader, uint32_t bits) {
  for (int length = HUFFMAN_LOOK + 1; length <= LONGEST; length++) {
    int32_t code = (int32_t)(bits >> (LONGEST - length));
    if (code > reader->largest[length]) continue;
    uint8_t symbol = reader->symbols[code + reader->offset[length]];
    return (huffman_entry){(uint8_t)length, symbol & 15, symbol, 0};
  }
  return (huffman_entry){0, 0, 0, 0};
}

void huffman_write_by(huffman_writer *writer, const JHUFF_TBL *table) {
  uint32_t code = 0;
  int index = 0;
  memset(writer, 0, sizeof *writer);
  for (int length = 1; length <= LONGEST; length++) {
    for (int i = 0; i < table->bits[length]; i++, index++) {
      int symbol = table->huffval[index], extra = symbol & 15;
      writer->code[symbol] = code++ << extra;
      writer->length[symbol] = (uint8_t)(length + extra);
    }
    code <<= 1;
  }
}

int huffman_group_at(const huffman_reader *reader, const huffman_writer *writer, uint32_t look, int most,
                     huffman_group *group, uint8_t symbols[HUFFMAN_LOOK]) {
  enum { MOST = 32 };  // bits that are written at once
  int count = 0, length = 0;
  memset(group, 0, sizeof *group);
  while (group->after < DCTSIZE2 && count < most) {
    const int left = HUFFMAN_LOOK - group->bits;
    const uint32_t rest = look & ((1u << left) - 1);
    // What follows the bits that are there is taken for zeros; a code that needs it is not in the group.
    const huffman_entry entry = reader->look[rest << group->bits];
    const int taken = entry.code + entry.extra;
    if (entry.code == 0 || taken > left) break;
    if (writer) {
      const uint32_t extra = (rest >> (left - taken)) & ((1u << entry.extra) - 1);
      group->codes = (uint32_t)((uint64_t)group->codes << writer->length[entry.symbol]) | writer->code[entry.symbol] | extra;
      length += writer->length[entry.symbol];
    }
    symbols[count++] = entry.symbol;
    group->bits += (uint8_t)taken;
    group->before = group->after;
    group->after = entry.symbol == 0 ? DCTSIZE2 : (uint8_t)(group->after + (entry.symbol >> 4) + 1);
  }
  group->length = length > MOST ? 0 : (uint8_t)length;
  return count;
}

// Groups of codes that lie in the low `count` bits of a look are that of their first code and, put after it, that of the rest:
// all of them take one step each, shorter ones first.
void huffman_groups(const huffman_reader *reader, int most, huffman_group groups[1 << HUFFMAN_LOOK]) {
  huffman_group shorter[1 << HUFFMAN_LOOK];  // those of n bits from 1 << n on
  memset(&shorter[1], 0, sizeof shorter[1]);
  for (int count = 1; count <= HUFFMAN_LOOK; count++) {
    huffman_group *of = count < HUFFMAN_LOOK ? shorter + (1 << count) : groups;
    for (uint32_t bits = 0; bits < 1u << count; bits++) {
      // What follows the bits is taken for zeros; a code that needs it is not in the group.
      const huffman_entry entry = reader->look[bits << (HUFFMAN_LOOK - count)];
      const int taken = entry.code + entry.extra, left = count - taken;
      huffman_group group = {0};
      if (entry.code > 0 && left >= 0) {
        const int after = entry.symbol == 0 ? DCTSIZE2 : (entry.symbol >> 4) + 1;
        if (most > 1 && after < DCTSIZE2) group = shorter[(1u << left) + (bits & ((1u << left) - 1))];
        if (group.bits > 0) group.before = (uint8_t)(group.before + after);
        group.bits = (uint8_t)(group.bits + taken);
        group.after = (uint8_t)(group.after + after);
      }
      of[bits] = group;
    }
  }
}

// Moves the rarest of some symbols to the end, of several with the same count the one with the largest number.
static void move_rarest(const uint64_t *counts, int *symbols, int count) {
  int found = 0;
  for (int i = 1; i < count; i++) {
    const uint64_t here = counts[symbols[i]], least = counts[symbols[found]];
    if (here < least || (here == least && symbols[i] > symbols[found])) found = i;
  }
  const int symbol = symbols[found];
  symbols[found] = symbols[count - 1];
  symbols[count - 1] = symbol;
}

void huffman_optimize(const uint32_t given[256], JHUFF_TBL *table) {
  uint64_t counts[SYMBOLS + 1];
  int size[SYMBOLS + 1] = {0}, next[SYMBOLS + 1], lengths[BEFORE_LIMIT + 1] = {0};
  int left[SYMBOLS + 1], count = 0;
  for (int i = 0; i <= SYMBOLS; i++) {
    counts[i] = i < SYMBOLS ? given[i] : 1;  // the last takes the code of ones alone, which no symbol may have
    if (counts[i] > 0) left[count++] = i;
    next[i] = -1;
  }
  const int used = count - 1;
  // Figure K.1: the two rarest trees become one, and their symbols' codes one bit longer.
  for (; count > 1; count--) {
    move_rarest(counts, left, count);
    int first = left[count - 1];
    move_rarest(counts, left, count - 1);
    int second = left[count - 2];
    left[count - 2] = first;
    counts[first] += counts[second];
    for (;; first = next[first]) {
      size[first]++;
      if (next[first] < 0) break;
    }
    next[first] = second;
    for (; second >= 0; second = next[second]) size[second]++;
  }
  for (int i = 0; i <= SYMBOLS; i++) lengths[size[i]]++;
  // Figure K.3: of two codes that are too long, one moves a bit up, the other beside a shorter one.
  for (int length = BEFORE_LIMIT; length > LONGEST; length--) {
    while (lengths[length] > 0) {
      int shorter = length - 2;
      while (lengths[shorter] == 0) shorter--;
      lengths[length] -= 2;
      lengths[length - 1]++;
      lengths[shorter + 1] += 2;
      lengths[shorter]--;
    }
  }
  int longest = LONGEST;
  while (lengths[longest] == 0) longest--;
  lengths[longest]--;
  table->bits[0] = 0;
  for (int length = 1; length <= LONGEST; length++) table->bits[length] = (UINT8)lengths[length];
  // Figure K.4: in the order of the lengths that they had first.
  int place = 0;
  for (int length = 1; place < used; length++) {
    for (int i = 0; i < SYMBOLS; i++) {
      if (size[i] == length) table->huffval[place++] = (UINT8)i;
    }
  }
  table->sent_table = FALSE;
}
