// SPDX-License-Identifier: Apache-2.0

#include "opening.h"

#include <jerror.h>
#include <limits.h>
#include <string.h>

#include "source.h"

enum { LOG_LINES = 16 };  // of warnings that say nothing of pixels

// Warnings of the library that mean wrong pixels; the others tell of oddities around them.
static int is_damage(int code) {
  switch (code) {
    case JWRN_ARITH_BAD_CODE:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
      return 1;
    default:
      return 0;
  }
}

static void on_message(j_common_ptr common, int level) {
  decoder *decoder = common->client_data;
  if (level >= 0) return;
  if (!is_damage(common->err->msg_code)) {
    char text[JMSG_LENGTH_MAX];
    if (decoder->log_lines++ >= LOG_LINES) return;  // a hostile file has millions of them
    common->err->format_message(common, text);
    decoder->host->log(decoder->host, IMGCODER_LOG_DEBUG, (imgcoder_string){text, strlen(text)});
  } else if (!decoder->has_ended) {
    if (decoder->is_corrupt) return;
    decoder->is_corrupt = 1;
    failure_describe(common);
    decoder->failure.report->offset = (int64_t)source_position(decoder);
  } else if (!decoder->is_cut) {
    decoder->is_cut = 1;
    decoder->cut_scan = decoder->cinfo.input_scan_number;
    decoder->cut_row = decoder->cinfo.input_iMCU_row;
  }
}

void decoder_begin(decoder *decoder) {
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  uint64_t memory = decoder->host->limits->max_memory;
  jpeg_create_decompress(cinfo);
  cinfo->client_data = decoder;
  decoder->failure.errors.emit_message = on_message;
  cinfo->mem->max_memory_to_use = memory < LONG_MAX ? (long)memory : LONG_MAX;
  source_begin(decoder);
  jpeg_read_header(cinfo, TRUE);
}
