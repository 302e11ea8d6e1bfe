// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "worker.h"

static const void *extension(const char *name) {
  imgcoder_string id = {name, strlen(name)};
  return the_session.reader.get_extension ? the_session.reader.get_extension(the_session.file, id) : NULL;
}

// What stands for a block that a struct points to.
static const void *stand_in(const void *bytes, uint64_t length, uint64_t most) {
  return (const void *)(uintptr_t)(!bytes          ? ISOLATION_BLOCK_NONE
                                   : length > most ? ISOLATION_BLOCK_TOO_LARGE
                                                   : ISOLATION_BLOCK_FOLLOWS);
}

static void put_block(const void *bytes, uint64_t length, uint64_t most) {
  if (bytes && length <= most) chunks_put(bytes, length);
}

imgcoder_status auxiliary_send(uint32_t *count) {
  session *s = &the_session;
  const void *found = extension(IMGCODER_DRAFT_AUXILIARY_PICTURES);
  if (!found) return IMGCODER_STATUS_OK;
  imgcoder_auxiliary_pictures_table calls = imgcoder_auxiliary_pictures_table_read(found);
  if (!calls.count || !calls.describe) return IMGCODER_STATUS_OK;
  imgcoder_status status = calls.count(s->file, count);
  // The program refuses so many.
  if (status != IMGCODER_STATUS_OK || *count > s->limits.max_pages) return status;
  uint64_t most = s->limits.max_metadata;
  chunks_begin();
  for (uint32_t index = 0; index < *count; index++) {
    imgcoder_auxiliary picture;
    memset(&picture, 0, sizeof picture);
    picture.struct_size = sizeof picture;
    status = calls.describe(s->file, index, &picture);
    if (status != IMGCODER_STATUS_OK) break;
    imgcoder_auxiliary sent = picture;
    sent.type.bytes = stand_in(picture.type.bytes, picture.type.length, IMGCODER_MAX_TEXT);
    sent.gain_map = stand_in(picture.gain_map, picture.gain_map_length, most);
    sent.alternate_icc = stand_in(picture.alternate_icc, picture.alternate_icc_length, most);
    chunks_put(&sent, sizeof sent);
    put_block(picture.type.bytes, picture.type.length, IMGCODER_MAX_TEXT);
    put_block(picture.gain_map, picture.gain_map_length, most);
    put_block(picture.alternate_icc, picture.alternate_icc_length, most);
  }
  chunks_end();
  return status;
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
