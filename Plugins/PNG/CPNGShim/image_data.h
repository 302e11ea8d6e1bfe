// SPDX-License-Identifier: Apache-2.0
//
// The image data of one picture: what its IDAT or fdAT chunks have, one piece after the other.

#ifndef CPNG_IMAGE_DATA_H
#define CPNG_IMAGE_DATA_H

#include "session.h"

typedef struct cpng_image_data {
  const cpng_picture *picture;
  cpng_failure *failure;
  // Called before bytes are waited for that have not arrived; what it returns other than OK ends the reading.
  imgcoder_status (*on_wait)(void *context);
  void *context;
  uint64_t offset;   // in the source: of the next byte of the open chunk, or of the next chunk
  uint32_t payload;  // bytes left in the open chunk
  uint32_t crc;      // of the open chunk
  int is_open;
  const uint8_t *window;  // the bytes of the source that were shown last
  uint64_t window_start, window_length;
} cpng_image_data;

void cpng_image_data_begin(cpng_image_data *data, const cpng_picture *picture, cpng_failure *failure);

// Gives the next bytes, at most CPNG_BUFFER of them. The CRC of a chunk is checked before bytes of the next are given.
//   bytes    live until the next call
//   length   0 at the end of the image data
//   returns  OK; TRUNCATED, MALFORMED, CHECKSUM_MISMATCH; what the source or `on_wait` returned
imgcoder_status cpng_image_data_next(cpng_image_data *data, const uint8_t **bytes, uint64_t *length);

// Reads what is left of the open chunk, unless it is more than `most` bytes, and checks its CRC.
//   returns  as above
imgcoder_status cpng_image_data_close(cpng_image_data *data, uint64_t most);

#endif
