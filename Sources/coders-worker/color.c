// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "worker.h"

// What stands for a block that a struct points to.
static const void *stand_in(const void *bytes, uint64_t length, uint64_t most) {
  return (const void *)(uintptr_t)(!bytes          ? ISOLATION_BLOCK_NONE
                                   : length > most ? ISOLATION_BLOCK_TOO_LARGE
                                                   : ISOLATION_BLOCK_FOLLOWS);
}

static void put_block(const void *bytes, uint64_t length, uint64_t most) {
  if (bytes && length <= most) chunks_put(bytes, length);
}

imgcoder_status color_send(uint32_t page) {
  imgcoder_color color;
  memset(&color, 0, sizeof color);
  color.struct_size = sizeof color;
  imgcoder_status status = the_session.reader.color
                               ? the_session.reader.color(the_session.file, page, &color)
                               : IMGCODER_STATUS_OK;
  if (status != IMGCODER_STATUS_OK) return status;
  imgcoder_color sent = color;
  uint64_t length = 2ull * color.curve_length;
  chunks_begin();
  for (int i = 0; i < 3; i++) sent.curves[i] = stand_in(color.curves[i], length, 2 * IMGCODER_MAX_CURVE);
  chunks_put(&sent, sizeof sent);
  for (int i = 0; i < 3; i++) put_block(color.curves[i], length, 2 * IMGCODER_MAX_CURVE);
  chunks_end();
  return status;
}
