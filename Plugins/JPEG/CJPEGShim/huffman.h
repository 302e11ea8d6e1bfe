// SPDX-License-Identifier: Apache-2.0
//
// Huffman tables of ITU-T T.81, to read by, to write by, and made for a file. Private to the shim.

#ifndef CJPEG_HUFFMAN_H
#define CJPEG_HUFFMAN_H

#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

enum { HUFFMAN_LOOK = 10 };  // codes up to this length are found with one look

// A code: its length, that of the bits that belong to it, and its symbol. A length of 0 says that there is none.
typedef struct huffman_entry {
  uint8_t code, extra, symbol, unused;
} huffman_entry;

typedef struct huffman_reader {
  huffman_entry look[1 << HUFFMAN_LOOK];  // by the next bits; none for a longer code
  int32_t largest[17];                    // by length, the largest code, or -1
  int32_t offset[17];                     // by length, what is added to a code for its place among the symbols
  const uint8_t *symbols;
} huffman_reader;

// By symbol: the code with room below for the bits that belong to it, and the length of both.
typedef struct huffman_writer {
  uint32_t code[256];
  uint8_t length[256];
} huffman_writer;

// Whole codes that the next HUFFMAN_LOOK bits begin with, which are taken at once. Without bits there are none.
typedef struct huffman_group {
  uint32_t codes;         // by another table, what is written in their place
  uint8_t length;         // of that; 0 where it has more than 32 bits
  uint8_t bits;           // that are taken
  uint8_t before, after;  // coefficients that all but the last code stand for, and those of all; DCTSIZE2 after an end
} huffman_group;

void huffman_read_by(huffman_reader *reader, const JHUFF_TBL *table);

// The code that 16 bits begin with, of one that is longer than HUFFMAN_LOOK.
huffman_entry huffman_long_entry(const huffman_reader *reader, uint32_t bits);

void huffman_write_by(huffman_writer *writer, const JHUFF_TBL *table);

// Groups the codes of all looks, of which one code at `most` is taken of DC.
void huffman_groups(const huffman_reader *reader, int most, huffman_group groups[1 << HUFFMAN_LOOK]);

// Groups codes.
//   writer   null for groups that are counted and not written
//   most     codes in the group
//   symbols  receives those of the group
//   returns  how many there are
int huffman_group_at(const huffman_reader *reader, const huffman_writer *writer, uint32_t look, int most,
                     huffman_group *group, uint8_t symbols[HUFFMAN_LOOK]);

// Makes the table that codes symbols, which come so often, with the fewest bits: T.81 K.2. libjpeg makes the same.
void huffman_optimize(const uint32_t counts[256], JHUFF_TBL *table);

#endif
