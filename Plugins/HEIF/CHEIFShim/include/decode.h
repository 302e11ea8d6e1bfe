// SPDX-License-Identifier: Apache-2.0
//
// One HEVC picture through libde265, on the caller's thread alone.

#ifndef CHEIF_DECODE_H
#define CHEIF_DECODE_H

#include "planes.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heif_decoder heif_decoder;

enum {
  HEIF_DECODE_OK = 0,
  HEIF_DECODE_DAMAGED = 1,     // there is a picture, and a part of it could not be decoded
  HEIF_DECODE_NO_PICTURE = 2,
  HEIF_DECODE_NO_MEMORY = 3
};

// What came out.
typedef struct heif_decoded {
  heif_planes planes;        // valid until the decoder is freed
  size_t width, height;
  size_t rows;               // of the coded picture, from the top, in which every block was decoded
  uint32_t chroma_bits;      // may differ from planes.bits
  uint32_t is_full_range;    // as the bitstream says
  uint32_t primaries, transfer, matrix;
  const char *message;       // of the first error or warning, or null
} heif_decoded;

// Keeps the tables that libde265 makes with its first decoder and frees with its last one: making them takes longer than a
// small picture. They stay as long as the process. Any thread may call it, any number of times.
//   returns  0 if there is no memory for them
int heif_keep_tables(void);

heif_decoder *heif_decoder_new(void);
void heif_decoder_free(heif_decoder *decoder);

// Adds a NAL unit, which is copied; its header and bytes against false start codes are in it.
//   returns  HEIF_DECODE_OK or HEIF_DECODE_NO_MEMORY
int heif_decoder_push(heif_decoder *decoder, const uint8_t *unit, size_t length);

// Decodes up to the first picture. Called once.
//   width, height  of the coded picture, before its window
//   block          side of a coding tree block
int heif_decoder_run(heif_decoder *decoder, size_t width, size_t height, size_t block, heif_decoded *decoded);

#ifdef __cplusplus
}
#endif

#endif
