// SPDX-License-Identifier: Apache-2.0

#include "CSVGShim.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

struct csvg_gzip {
  z_stream stream;
  const uint8_t *next;
  size_t left;
};

// zlib's count is an int; more is shown piece by piece.
static void show_more(csvg_gzip *gzip) {
  if (gzip->stream.avail_in > 0 || gzip->left == 0) return;
  size_t piece = gzip->left < INT_MAX ? gzip->left : INT_MAX;
  gzip->stream.next_in = (Bytef *)gzip->next;
  gzip->stream.avail_in = (uInt)piece;
  gzip->next += piece;
  gzip->left -= piece;
}

csvg_gzip *csvg_gzip_begin(const uint8_t *bytes, size_t length) {
  csvg_gzip *gzip = calloc(1, sizeof *gzip);
  if (!gzip) return NULL;
  gzip->next = bytes;
  gzip->left = length;
  // 16: with gzip's head and end, and nothing else.
  if (inflateInit2(&gzip->stream, 16 + MAX_WBITS) != Z_OK) {
    free(gzip);
    return NULL;
  }
  return gzip;
}

void csvg_gzip_end(csvg_gzip *gzip) {
  inflateEnd(&gzip->stream);
  free(gzip);
}

int csvg_gzip_inflate(csvg_gzip *gzip, uint8_t *to, size_t room, size_t *written) {
  z_stream *stream = &gzip->stream;
  stream->next_out = to;
  stream->avail_out = room < INT_MAX ? (uInt)room : INT_MAX;
  uInt all = stream->avail_out;
  int result = Z_OK;
  while (result == Z_OK && stream->avail_out > 0) {
    show_more(gzip);
    result = inflate(stream, Z_NO_FLUSH);
  }
  *written = all - stream->avail_out;
  if (result == Z_STREAM_END) return CSVG_GZIP_DONE;
  if (result == Z_OK) return CSVG_GZIP_MORE;
  return result == Z_BUF_ERROR ? CSVG_GZIP_TRUNCATED : CSVG_GZIP_DAMAGED;
}
