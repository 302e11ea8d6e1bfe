// SPDX-License-Identifier: Apache-2.0
//
// A file's codes as tokens: the first pass counts codes and leaves the tokens, and from these the second writes with other
// tables. It reads no bits, so that no step waits for the one before. Private to the shim.

#ifndef CJPEG_TOKENS_H
#define CJPEG_TOKENS_H

#include "codes.h"
#include "recoder.h"

enum { SLOTS = 2 * NUM_HUFF_TBLS };  // tables of DC codes, then tables of AC codes

// Below TOKEN_MARKER, a slot above HUFFMAN_LOOK bits: a group of codes that these bits begin with.
enum {
  TOKEN_MARKER = 0x4000,  // with the low three bits of a restart marker
  TOKEN_CODE = 0x8000     // with a slot above the 8 bits of a symbol: one code; the next token is the bits that belong to it
};

enum { TOKENS = 32 * 1024 };
enum { TOKEN_SLACK = 2 * DCTSIZE2 + 1 };  // most of a block, with a marker before it

typedef struct token_piece {
  struct token_piece *next;
  uint32_t count;
  uint16_t tokens[TOKENS + TOKEN_SLACK];
} token_piece;

// The blocks of a file, MCU by MCU.
typedef struct token_layout {
  int blocks;                                            // of an MCU
  int dc[C_MAX_BLOCKS_IN_MCU], ac[C_MAX_BLOCKS_IN_MCU];  // by block, the tables' slots
  uint32_t columns, rows;                                // MCUs
  uint32_t restart;                                      // MCUs between restart markers, or 0
} token_layout;

// What both passes need, in memory of the host's.
typedef struct token_work {
  int is_damaged;               // bits that are no code came
  token_piece *first, *last;
  uint32_t counts[SLOTS][256];  // of the first pass; a picture has fewer codes than 2^32
  JHUFF_TBL tables[SLOTS];
  // From here on, only what a picture uses is set: zeros for all of it would take longer than a small picture.
  huffman_reader readers[SLOTS];
  huffman_writer writers[SLOTS];
  huffman_group groups[SLOTS][1 << HUFFMAN_LOOK];
  uint32_t hits[SLOTS][1 << HUFFMAN_LOOK];  // of the first, how often each group came
  code_writer codes;                        // of the second
} token_work;

token_layout token_layout_of(const struct jpeg_compress_struct *cinfo);

// Groups codes by the tables that are read by.
void token_group(token_work *work, const token_layout *layout);

// Has each code read alone: a picture is too small for the time that groups take.
void token_leave_groups_out(token_work *work, const token_layout *layout);

// Makes tokens of what was kept, which is freed on the way, and counts codes that came alone.
imgcoder_status token_read(recoder *recoder, const token_layout *layout, token_work *work);

// Adds the symbols of groups to those that came alone.
void token_count_groups(token_work *work, const token_layout *layout);

// Adds to the groups what is written in their place, by the tables that are written by.
void token_group_for_writing(token_work *work, const token_layout *layout);

imgcoder_status token_write(const imgcoder_host *host, token_work *work);

void token_free(const imgcoder_host *host, token_work *work);

#endif
