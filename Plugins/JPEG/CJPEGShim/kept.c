// SPDX-License-Identifier: Apache-2.0

#include "kept.h"

enum { PIECE_BYTES = 64 * 1024 };

struct kept_piece {
  kept_piece *next;
  uint32_t length;
  uint8_t bytes[PIECE_BYTES];
};

static kept *kept_of(j_compress_ptr cinfo) { return (kept *)cinfo->dest; }

static void add_piece(j_compress_ptr cinfo) {
  kept *kept = kept_of(cinfo);
  kept_piece *piece = kept->host->allocate(kept->host, sizeof *piece, 0);
  if (!piece) failure_escape((j_common_ptr)cinfo, IMGCODER_STATUS_OUT_OF_MEMORY);
  piece->next = NULL;
  piece->length = 0;
  if (kept->last) kept->last->next = piece;
  else kept->first = piece;
  kept->last = piece;
  kept->manager.next_output_byte = piece->bytes;
  kept->manager.free_in_buffer = PIECE_BYTES;
}

static void end_piece(kept *kept, uint64_t length) {
  kept->last->length = (uint32_t)length;
  kept->length += length;
}

// libjpeg calls this with a full piece and does not keep free_in_buffer up to date for it.
static boolean next_piece(j_compress_ptr cinfo) {
  end_piece(kept_of(cinfo), PIECE_BYTES);
  add_piece(cinfo);
  return TRUE;
}

static void end(j_compress_ptr cinfo) { end_piece(kept_of(cinfo), PIECE_BYTES - cinfo->dest->free_in_buffer); }

void kept_begin(j_compress_ptr cinfo, kept *kept, const imgcoder_host *host) {
  kept->manager.init_destination = add_piece;
  kept->manager.empty_output_buffer = next_piece;
  kept->manager.term_destination = end;
  kept->host = host;
  cinfo->dest = &kept->manager;
}

imgcoder_status kept_write(const kept *kept, uint64_t skipped, const imgcoder_output *output) {
  imgcoder_status status = IMGCODER_STATUS_OK;
  for (const kept_piece *piece = kept->first; piece && status == IMGCODER_STATUS_OK; piece = piece->next) {
    const uint64_t start = skipped < piece->length ? skipped : piece->length;
    if (start < piece->length) status = output->write(output, piece->bytes + start, piece->length - start);
    skipped -= start;
  }
  return status;
}

void kept_free(kept *kept) {
  for (kept_piece *piece = kept->first, *next; piece; piece = next) {
    next = piece->next;
    kept->host->free(kept->host, piece);
  }
  kept->first = kept->last = NULL;
  kept->length = 0;
}
