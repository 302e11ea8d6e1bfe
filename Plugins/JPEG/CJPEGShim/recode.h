// SPDX-License-Identifier: Apache-2.0
//
// Gives a baseline file the Huffman tables that fit it best. libjpeg keeps all coefficients for that, 2 or 6 bytes for a
// pixel; here, what it has written with its usual tables is kept, and its codes are replaced by way of tokens. Private to the shim.

#ifndef CJPEG_RECODE_H
#define CJPEG_RECODE_H

#include "failure.h"

enum { RECODE_HEADER = 4096 };  // bytes of segments between APP0 and the codes, of which libjpeg writes some 600

typedef struct recode_piece recode_piece;

typedef struct recoder {
  const imgcoder_host *host;
  uint8_t header[RECODE_HEADER];  // from the quantization tables to the scan header
  uint32_t header_length;
  int is_after_ones;              // the last byte was 0xFF, which a zero or a marker follows
  recode_piece *first, *last;     // codes without stuffed zeros and markers
} recoder;

// Keeps what libjpeg writes, from its quantization tables on; all segments come with the first call.
imgcoder_status recode_keep(recoder *recoder, const uint8_t *bytes, uint64_t length);

// Writes what was kept with codes of its own, after jpeg_finish_compress().
imgcoder_status recode_write(recoder *recoder, const struct jpeg_compress_struct *cinfo, const imgcoder_output *output);

void recode_free(recoder *recoder);

#endif
