// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "read.h"
#include "rows.h"
#include "stored.h"

// Inflated bytes that are made into rows at a time: as much as stays in the cache with the rows.
#define WINDOW (128u << 10)

// Bytes after the last row that are looked at. The end of the stream and its checksum are not more.
#define MOST_BEHIND 4096u

static imgcoder_status fail_memory(cpng_decoder *d) {
  return cpng_note(d->failure, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for rows");
}

// Bytes of all rows with their filter types, as far as 64 bits count them.
static uint64_t inflated_size(const cpng_stored *stored) {
  // Passes have up to twice as many rows, shorter ones that each end in a whole byte and begin with a filter type.
  uint64_t size, row = ((uint64_t)stored->width * cpng_stored_bits(stored) + 7) / 8 + 1;
  if (stored->is_interlaced) row = 2 * row + 2;
  return __builtin_mul_overflow(row, stored->height, &size) ? UINT64_MAX : size;
}

static imgcoder_status allocate(cpng_decoder *d) {
  const cpng_stored *stored = &d->stored;
  const size_t row = ((size_t)stored->width * cpng_stored_bits(stored) + 7) / 8 + 1;
  const uint64_t all = inflated_size(stored), room = 2 * row > WINDOW ? 2 * row : WINDOW;
  // A small picture needs no more than its bytes; of another, matches and a row that is not whole stay in the window.
  const size_t size = (size_t)(all <= room ? all + 1 : INFLATE_HISTORY + row + room);
  size_t line = row > (size_t)stored->width * 4 ? row : (size_t)stored->width * 4;
  line = (line + CPNG_ROW_SLACK + 15) & ~(size_t)15;
  const size_t spread = stored->is_interlaced ? (size_t)d->picture->row_bytes + CPNG_ROW_SLACK : 0;
  uint8_t *memory = d->host->allocate(d->host, size + INFLATE_SLACK + 4 * line + spread, 64);
  if (!memory) return fail_memory(d);
  d->zeros = memory;
  memset(d->zeros, 0, line);
  for (unsigned i = 0; i < 3; i++) d->lines[i] = memory + (i + 1) * line;
  d->window = memory + 4 * line;
  d->window_end = d->window + size;
  d->spread_line = d->window_end + INFLATE_SLACK;
  d->history = d->window;
  d->out = d->window;
  d->next_row = d->window;
  return IMGCODER_STATUS_OK;
}

// Makes room after what is still needed: what matches may refer to, and the row that is not whole.
static void move_window(cpng_decoder *d) {
  size_t kept = (size_t)(d->out - d->next_row);
  if (d->above >= d->window && d->above < d->window_end) {
    memcpy(d->lines[0], d->above, d->pass.row_length);
    d->above = d->lines[0];
  }
  if (kept < INFLATE_HISTORY) kept = INFLATE_HISTORY;
  if (kept > (size_t)(d->out - d->history)) kept = (size_t)(d->out - d->history);
  const size_t unused = (size_t)(d->out - d->next_row);
  memmove(d->window, d->out - kept, kept);
  d->history = d->window;
  d->out = d->window + kept;
  d->next_row = d->out - unused;
}

// Inflates a piece of image data, and makes rows of it.
//   is_over  set at the end of the stream
static imgcoder_status take_piece(cpng_decoder *d, const uint8_t *bytes, uint64_t length, int *is_over) {
  const uint8_t *end = bytes + length;
  for (;;) {
    const inflated result = inflate_piece(&d->inflater, &bytes, end, d->history, &d->out, d->window_end);
    imgcoder_status status = cpng_take_rows(d);
    if (status != IMGCODER_STATUS_OK) return status;
    const int has_all = cpng_has_all_rows(d);
    // Bytes after the last row are not looked at.
    if (has_all) d->next_row = d->out;
    *is_over = result >= INFLATED_END || (result == INFLATED_OUTPUT && has_all);
    if (result == INFLATED_DAMAGED) {
      return cpng_note(d->failure, IMGCODER_STATUS_MALFORMED, (int64_t)d->data.offset, "image data with %s",
                       d->inflater.damage);
    }
    if (result == INFLATED_UNEQUAL && has_all) {
      return cpng_note(d->failure, IMGCODER_STATUS_CHECKSUM_MISMATCH, (int64_t)d->data.offset,
                       "image data whose Adler-32 is %08x, another one is stored", d->inflater.adler);
    }
    if (*is_over || result != INFLATED_OUTPUT) return IMGCODER_STATUS_OK;
    move_window(d);
  }
}

// Looks at the end of the stream, and at the rest of the chunk in which it ends.
static imgcoder_status finish(cpng_decoder *d, int is_over) {
  uint64_t behind = 0;
  while (!is_over) {
    const uint8_t *bytes;
    uint64_t length;
    imgcoder_status status = cpng_image_data_next(&d->data, &bytes, &length);
    if (status != IMGCODER_STATUS_OK) return status;
    if (length == 0) {
      return cpng_note(d->failure, IMGCODER_STATUS_MALFORMED, (int64_t)d->data.offset,
                       "image data that ends before its checksum");
    }
    status = take_piece(d, bytes, length, &is_over);
    behind += length;
    if (status != IMGCODER_STATUS_OK || behind > MOST_BEHIND) return status;
  }
  return cpng_image_data_close(&d->data, MOST_BEHIND - behind);
}

static imgcoder_status decode_rows(cpng_decoder *d) {
  int is_over = 0;
  imgcoder_status status = cpng_take_rows(d);
  while (status == IMGCODER_STATUS_OK && !cpng_has_all_rows(d)) {
    const uint8_t *bytes;
    uint64_t length;
    if (d->host->is_cancelled(d->host)) {
      return cpng_note(d->failure, IMGCODER_STATUS_CANCELLED, -1, "cancelled by the caller");
    }
    if (!is_over) {
      status = cpng_image_data_next(&d->data, &bytes, &length);
      if (status != IMGCODER_STATUS_OK) break;
      if (length == 0) is_over = 1;
      else status = take_piece(d, bytes, length, &is_over);
    }
    if (status == IMGCODER_STATUS_OK && is_over && !cpng_has_all_rows(d)) {
      status = cpng_note(d->failure, IMGCODER_STATUS_MALFORMED, (int64_t)d->data.offset,
                         "image data that ends before the last row");
    }
  }
  return status == IMGCODER_STATUS_OK ? finish(d, is_over) : status;
}

imgcoder_status cpng_decode(const cpng_picture *picture, const imgcoder_sink *sink, cpng_failure *failure) {
  const imgcoder_host *host = picture->host;
  cpng_stored stored;
  cpng_decoder *d = NULL;
  cpng_expansion expansion;
  if (picture->transforms & CPNG_EXPAND_16 || !cpng_read_lead(picture->lead, picture->lead_length, &stored) ||
      picture->row_bytes % stored.width != 0) {
    return cpng_decode_by_libpng(picture, sink, failure);
  }
  const cpng_layout layout = {.pixel_bytes = picture->row_bytes / stored.width,
                              .is_narrow = (picture->transforms & CPNG_SCALE_16) != 0,
                              .is_bgr = (picture->transforms & CPNG_BGR) != 0};
  if (!cpng_expansion_begin(&expansion, &stored, &layout)) return cpng_decode_by_libpng(picture, sink, failure);
  d = host->allocate(host, sizeof *d, 64);
  if (!d) return cpng_note(failure, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for tables");
  *d = (cpng_decoder){.picture = picture, .sink = sink, .host = host, .failure = failure, .stored = stored,
                      .expansion = expansion, .kernels = cpng_best_kernels()};
  const unsigned bits = cpng_stored_bits(&stored);
  d->step = bits < 8 ? 1 : bits / 8;
  d->is_color = stored.bit_depth == 8 && expansion.channels >= 3 && expansion.out_channels == 4 && !expansion.has_key;
  d->color = (cpng_color_rows){0, expansion.channels, expansion.is_bgr};
  cpng_image_data_begin(&d->data, picture, failure);
  d->data.on_wait = cpng_show_rows;
  d->data.context = d;
  inflate_begin(&d->inflater);
  imgcoder_status status = allocate(d);
  if (status == IMGCODER_STATUS_OK) status = decode_rows(d);
  if (status >> 4 == IMGCODER_STATUS_MALFORMED >> 4) status = cpng_salvage_rows(d, status);
  host->free(host, d->zeros);
  host->free(host, d);
  return status;
}
