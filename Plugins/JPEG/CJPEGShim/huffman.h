// SPDX-License-Identifier: Apache-2.0
//
// Huffman tables of ITU-T T.81, to write by, and made for a file. Private to the shim.

#ifndef CJPEG_HUFFMAN_H
#define CJPEG_HUFFMAN_H

#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

// By symbol: the code with room below for the bits that belong to it, and the length of both.
typedef struct huffman_writer {
  uint32_t code[256];
  uint8_t length[256];
} huffman_writer;

void huffman_write_by(huffman_writer *writer, const JHUFF_TBL *table);

// Makes the table that codes symbols, which come so often, with the fewest bits: T.81 K.2. libjpeg makes the same.
void huffman_optimize(const uint32_t counts[256], JHUFF_TBL *table);

#endif
