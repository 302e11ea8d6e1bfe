// SPDX-License-Identifier: Apache-2.0
//
// Codes of ten bits each, by which libjpeg writes a file that gets tables of its own: a code says which table and which symbol
// it stands for, and its low four bits how many bits belong to it. So nothing is looked up to find where the next one begins,
// and blocks need not be told apart. Private to the shim.

#ifndef CJPEG_PLAIN_H
#define CJPEG_PLAIN_H

#include "codes.h"
#include "recoder.h"

// Of two tables of AC symbols, a code is PLAIN_AC × table + symbol, of two of DC symbols PLAIN_DC + 16 × table + symbol.
enum {
  PLAIN_BITS = 10,
  PLAIN_AC = 256,
  PLAIN_DC = 2 * PLAIN_AC,
  PLAIN_END = PLAIN_DC + 2 * 16,
  PLAIN_MARKER = (1 << PLAIN_BITS) - 1  // no code: two bytes of ones where a restart marker was, which the padding comes before
};

enum { PLAIN_TABLES = 2 };  // of each kind

// What is written in place of a code and the bits that belong to it.
typedef struct plain_entry {
  uint32_t added;         // to these bits, after the low ones that do not belong to them are gone
  uint8_t shift, length;  // how many those are, and what is written
} plain_entry;

// What both passes need, in memory of the host's.
struct plain_work {
  uint32_t counts[2][1 << PLAIN_BITS];  // of every second code, and of the others; a picture has fewer codes than 2^32
  plain_entry entries[1 << PLAIN_BITS];
  uint32_t restarts;  // markers that are written
  code_reader reader;
  code_writer codes;
};

// Has libjpeg write by these codes. cinfo has the tables of T.81 annex K.
void plain_set_tables(j_compress_ptr cinfo);

// How often each symbol came, after plain_count.
void plain_counts_of(const plain_work *work, int is_ac, int table, uint32_t counts[256]);

// Has symbols of a table written by another one.
void plain_write_by(plain_work *work, int is_ac, int table, const JHUFF_TBL *huffman);

// Counts the codes of the pieces before `end`, which is null for all.
//   returns  OK, CANCELLED, or LIBRARY for bits that are none of these codes
imgcoder_status plain_count(recoder *recoder, plain_work *work, const recode_piece *end);

// Writes the codes of the pieces before `end` by other tables, and frees these pieces.
//   returns  what plain_count does, or what the output says
imgcoder_status plain_write(recoder *recoder, plain_work *work, const recode_piece *end);

#endif
