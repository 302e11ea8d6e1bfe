// SPDX-License-Identifier: Apache-2.0

#include "huffman.h"

#include <string.h>

enum { LONGEST = 16, SYMBOLS = 256, BEFORE_LIMIT = SYMBOLS };

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

// A tree of symbols while lengths are looked for: how often they come, above the number of one of them. Of two that come as
// often, the one with the larger number is the rarer.
static uint64_t tree_of(uint64_t count, int symbol) { return count << 9 | (uint64_t)(SYMBOLS - symbol); }
static int symbol_of(uint64_t tree) { return SYMBOLS - (int)(tree & 511); }

// Finds the places of the rarest of two trees or more, and of the rarest but one.
static void find_rarest(const uint64_t *trees, int count, int *rarest, int *second) {
  int least = trees[0] < trees[1] ? 0 : 1, next = 1 - least;
  for (int i = 2; i < count; i++) {
    if (trees[i] >= trees[next]) continue;
    next = i;
    if (trees[next] >= trees[least]) continue;
    next = least;
    least = i;
  }
  *rarest = least;
  *second = next;
}

void huffman_optimize(const uint32_t counts[256], JHUFF_TBL *table) {
  uint64_t trees[SYMBOLS + 1];
  int size[SYMBOLS + 1] = {0}, next[SYMBOLS + 1], lengths[BEFORE_LIMIT + 1] = {0}, place[BEFORE_LIMIT + 1], count = 0;
  for (int i = 0; i < SYMBOLS; i++) {
    if (counts[i] > 0) trees[count++] = tree_of(counts[i], i);
    next[i] = -1;
  }
  // The last takes the code of ones alone, which no symbol may have.
  trees[count++] = tree_of(1, SYMBOLS);
  next[SYMBOLS] = -1;
  // Figure K.1: the two rarest trees become one, and their symbols' codes one bit longer.
  while (count > 1) {
    int rarest, other;
    find_rarest(trees, count, &rarest, &other);
    int first = symbol_of(trees[rarest]), second = symbol_of(trees[other]);
    trees[rarest] = tree_of((trees[rarest] >> 9) + (trees[other] >> 9), first);
    trees[other] = trees[--count];
    for (;; first = next[first]) {
      size[first]++;
      if (next[first] < 0) break;
    }
    next[first] = second;
    for (; second >= 0; second = next[second]) size[second]++;
  }
  for (int i = 0; i <= SYMBOLS; i++) lengths[size[i]]++;
  // Figure K.4: in the order of the lengths that they have first.
  place[1] = 0;
  for (int length = 1; length < BEFORE_LIMIT; length++) place[length + 1] = place[length] + lengths[length];
  for (int i = 0; i < SYMBOLS; i++) {
    if (size[i] > 0) table->huffval[place[size[i]]++] = (UINT8)i;
  }
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
  table->sent_table = FALSE;
}
