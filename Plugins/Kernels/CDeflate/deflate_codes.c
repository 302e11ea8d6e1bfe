// SPDX-License-Identifier: Apache-2.0
//
// Prefix codes of least cost (Huffman), with a limit on their lengths.

#include "deflate_codes.h"

#include <string.h>

#define MOST_SYMBOLS 286u
#define LONGEST 15u

// Up to so many keys, each is put among those before it.
#define FEW_KEYS 32u

// Sorts symbols by how often they occur, the rarest first, by one byte of their counts after the other.
//   keys  count << 9 | symbol, in the order of symbols
static void sort(uint32_t *keys, unsigned count) {
  uint32_t sorted[MOST_SYMBOLS], all = 0;
  if (count <= FEW_KEYS) {
    for (unsigned i = 1; i < count; i++) {
      const uint32_t key = keys[i];
      unsigned place = i;
      for (; place > 0 && keys[place - 1] > key; place--) keys[place] = keys[place - 1];
      keys[place] = key;
    }
    return;
  }
  for (unsigned i = 0; i < count; i++) all |= keys[i];
  for (unsigned shift = 9; shift < 32 && all >> shift; shift += 8) {
    uint16_t places[256] = {0};
    for (unsigned i = 0; i < count; i++) places[keys[i] >> shift & 255]++;
    uint16_t place = 0;
    for (unsigned i = 0; i < 256; i++) {
      const uint16_t number = places[i];
      places[i] = place;
      place = (uint16_t)(place + number);
    }
    for (unsigned i = 0; i < count; i++) sorted[places[keys[i] >> shift & 255]++] = keys[i];
    memcpy(keys, sorted, count * sizeof *keys);
  }
}

// Depths of the leaves of a Huffman tree, for counts from the smallest on: these and the sums of inner nodes, which
// come in order too, are joined two at a time.
//   depths  of the leaves, in the order of `counts`; none is 0
static void leaf_depths(const uint32_t *counts, unsigned leaves, uint8_t *depths) {
  uint32_t sums[MOST_SYMBOLS];
  uint16_t parents[2 * MOST_SYMBOLS];
  uint8_t inner_depths[MOST_SYMBOLS];
  unsigned leaf = 0, inner = 0;
  const unsigned inners = leaves - 1;
  for (unsigned made = 0; made < inners; made++) {
    uint32_t sum = 0;
    for (int i = 0; i < 2; i++) {
      if (leaf < leaves && (inner >= made || counts[leaf] <= sums[inner])) {
        sum += counts[leaf];
        parents[leaf++] = (uint16_t)made;
      } else {
        sum += sums[inner];
        parents[leaves + inner++] = (uint16_t)made;
      }
    }
    sums[made] = sum;
  }
  // A tree of 286 leaves whose counts add up to less than 2^32 is less than 48 deep.
  inner_depths[inners - 1] = 0;
  for (unsigned i = inners - 1; i-- > 0;) inner_depths[i] = (uint8_t)(inner_depths[parents[leaves + i]] + 1);
  for (unsigned i = 0; i < leaves; i++) depths[i] = (uint8_t)(inner_depths[parents[i]] + 1);
}

// How many codes each length has, when none is longer than `most`: codes that were too long take the place of shorter
// ones, which become longer themselves.
static void limit(const uint8_t *depths, unsigned leaves, unsigned most, unsigned *numbers) {
  uint32_t used = 0;
  memset(numbers, 0, (LONGEST + 1) * sizeof *numbers);
  for (unsigned i = 0; i < leaves; i++) {
    const unsigned depth = depths[i] < most ? depths[i] : most;
    numbers[depth]++;
    used += 1u << (most - depth);
  }
  while (used > 1u << most) {
    unsigned length = most - 1;
    while (numbers[length] == 0) length--;
    // A code of this length gives its place to itself and one of the longest.
    numbers[length]--;
    numbers[length + 1] += 2;
    numbers[most]--;
    used--;
  }
}

void deflate_code_lengths(const uint32_t *counts, unsigned count, unsigned most, uint8_t *lengths) {
  uint32_t keys[MOST_SYMBOLS], sorted[MOST_SYMBOLS];
  uint8_t depths[MOST_SYMBOLS];
  unsigned numbers[LONGEST + 1], leaves = 0;
  memset(lengths, 0, count);
  for (unsigned symbol = 0; symbol < count; symbol++) {
    if (counts[symbol]) keys[leaves++] = counts[symbol] << 9 | symbol;
  }
  if (leaves < 2) {
    const unsigned only = leaves ? keys[0] & 511 : 0;
    lengths[only] = 1;
    lengths[only ? 0 : 1] = 1;
    return;
  }
  sort(keys, leaves);
  for (unsigned i = 0; i < leaves; i++) sorted[i] = keys[i] >> 9;
  leaf_depths(sorted, leaves, depths);
  limit(depths, leaves, most, numbers);
  unsigned next = 0;
  for (unsigned length = most; length > 0; length--) {
    for (unsigned i = numbers[length]; i > 0; i--) lengths[keys[next++] & 511] = (uint8_t)length;
  }
}

void deflate_codes(const uint8_t *lengths, unsigned count, uint16_t *codes) {
  unsigned numbers[LONGEST + 1] = {0};
  uint32_t next[LONGEST + 1], code = 0;
  for (unsigned symbol = 0; symbol < count; symbol++) numbers[lengths[symbol]]++;
  numbers[0] = 0;
  for (unsigned length = 1; length <= LONGEST; length++) {
    code = (code + numbers[length - 1]) << 1;
    next[length] = code;
  }
  for (unsigned symbol = 0; symbol < count; symbol++) {
    const unsigned length = lengths[symbol];
    if (length == 0) continue;
    uint32_t value = next[length]++;
    value = (value & 0x5555) << 1 | (value >> 1 & 0x5555);
    value = (value & 0x3333) << 2 | (value >> 2 & 0x3333);
    value = (value & 0x0F0F) << 4 | (value >> 4 & 0x0F0F);
    value = (value & 0x00FF) << 8 | (value >> 8 & 0x00FF);
    codes[symbol] = (uint16_t)(value >> (16 - length));
  }
}
