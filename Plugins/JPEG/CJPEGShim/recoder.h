// SPDX-License-Identifier: Apache-2.0
//
// What a file of plain codes is kept in. Private to the shim.

#ifndef CJPEG_RECODER_H
#define CJPEG_RECODER_H

#include "failure.h"

enum { RECODE_HEADER = 4096 };  // bytes of segments between APP0 and the codes, of which libjpeg writes some 900

typedef struct recode_piece recode_piece;
typedef struct plain_work plain_work;

typedef struct recoder {
  const imgcoder_host *host;
  uint8_t header[RECODE_HEADER];  // from the quantization tables to the scan header
  uint32_t header_length;
  int is_after_ones;              // the last byte was 0xFF, which a zero or a marker follows
  int has_markers;                // there are restart markers
  uint64_t most_pieces;           // so many are kept until the file has its tables
  uint64_t pieces;                // that are kept
  recode_piece *first, *last;     // codes without stuffed zeros
  recode_piece *before_last;
  plain_work *work;               // once the file has its tables
} recoder;

#endif
