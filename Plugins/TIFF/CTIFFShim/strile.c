// SPDX-License-Identifier: Apache-2.0
//
// One strip or tile through libtiff, as far as its bytes go.

#include "strile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

// Beside a strip or tile, what a codec takes at once: windows, tables, a row or two.
#define CODEC_MEMORY (64u << 20)

void worker_close(worker *worker) {
  if (worker->is_open) handle_close(&worker->handle);
  free(worker->striles);
  free(worker->turned);
  free(worker->scratch);
  jpeg_close(&worker->jpeg);
  lossless_close(&worker->lossless);
  memset(worker, 0, sizeof *worker);
}

// libtiff calls deflated data whole that has no room for its next block or match, and leaves the room as it was: less
// than the longest block that is stored (RFC 1951 §3.2.4).
#define STORED_BLOCK 65536u

static void set(outcome *outcome, imgcoder_status status, int64_t offset, const char *message) {
  outcome->status = status;
  outcome->offset = offset;
  snprintf(outcome->message, sizeof outcome->message, "%s", message);
}

// Whether libtiff has the same sizes: its codecs assert that they are asked for whole rows of its own, and abort.
static int agrees(const rows_plan *plan, TIFF *tiff) {
  const ctiff_picture *picture = plan->picture;
  int is_tiled = (picture->flags & CTIFF_TILED) != 0;
  uint64_t all = is_tiled ? TIFFTileSize64(tiff) : TIFFVStripSize64(tiff, picture->strile_height);
  if (TIFFIsTiled(tiff) != is_tiled || all != plan->strile_bytes) return 0;
  if (picture->kind == CTIFF_YCBCR) return 1;  // rows of blocks, for which libtiff has no one size
  return (is_tiled ? TIFFTileRowSize64(tiff) : TIFFScanlineSize64(tiff)) == plan->plane_row_bytes;
}

static int open_handle(const rows_plan *plan, worker *worker, const coded *coded, outcome *outcome) {
  const ctiff_picture *picture = plan->picture;
  if (worker->is_open) return 1;
  uint64_t largest = plan->strile_bytes + CODEC_MEMORY;
  int is_opened = picture->flags & CTIFF_OLD_JPEG
                      ? handle_open(&worker->handle, coded->bytes, coded->length, picture->directory, largest)
                      : handle_open(&worker->handle, picture->codec, picture->codec_length, 0, largest);
  if (!is_opened) {
    set(outcome, IMGCODER_STATUS_MALFORMED, -1, worker->handle.message);
    return 0;
  }
  worker->is_open = 1;
  if (picture->flags & CTIFF_JPEG) TIFFSetField(worker->handle.tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  if (picture->flags & CTIFF_LOG) TIFFSetField(worker->handle.tiff, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_8BIT);
  if (!agrees(plan, worker->handle.tiff)) {
    handle_close(&worker->handle);
    worker->is_open = 0;
    set(outcome, IMGCODER_STATUS_MALFORMED, -1, "the codec has another size for strips or tiles than the directory");
    return 0;
  }
  return 1;
}

static uint64_t bytes_of(const rows_plan *plan, uint32_t rows) {
  uint64_t lines = rows;
  if (plan->picture->kind == CTIFF_YCBCR) lines = (lines + plan->picture->vertical - 1) / plan->picture->vertical;
  return lines * plan->plane_row_bytes;
}

// Decodes the first rows once. 1: they are right.
static int read_once(const rows_plan *plan, worker *worker, const coded *coded, uint32_t index, uint32_t rows,
                     uint8_t *out) {
  const ctiff_picture *picture = plan->picture;
  TIFF *tiff = worker->handle.tiff;
  uint64_t size = bytes_of(plan, rows);
  handle_reset(&worker->handle);
  if (picture->flags & CTIFF_CLEARED) {
    memset(out, 0, size);
  } else if (picture->flags & CTIFF_DEFLATE) {
    uint64_t tail = size < STORED_BLOCK ? size : STORED_BLOCK;
    memset(out + size - tail, 0, tail);
  }
  if (picture->flags & CTIFF_OLD_JPEG) {
    memset(out, 0, size);
    tmsize_t got = picture->flags & CTIFF_TILED ? TIFFReadEncodedTile(tiff, index, out, (tmsize_t)size)
                                                : TIFFReadEncodedStrip(tiff, index, out, (tmsize_t)size);
    return got == (tmsize_t)size;
  }
  // libtiff takes plain bytes only to turn their bits and to turn them back.
  void *bytes = (void *)(uintptr_t)coded->bytes;
  if (!TIFFReadFromUserBuffer(tiff, index, bytes, (tmsize_t)coded->length, out, (tmsize_t)size)) return 0;
  int is_strict = picture->flags & CTIFF_STRICT || coded->missing > 0;
  return !(is_strict && worker->handle.has_ended_early);
}

// Decodes the first rows. 1: they are right.
//
// Codecs that complain and go on may leave bytes as they were, as JPEG does when its own size is another than the
// strip's. Then it is done again, over zeros and with a fresh handle, so that nothing of the memory's past is shown.
static int read_rows(const rows_plan *plan, worker *worker, const coded *coded, uint32_t index, uint32_t rows,
                     uint8_t *out) {
  outcome ignored = {0};
  int is_right = read_once(plan, worker, coded, index, rows, out);
  if (!is_right || !worker->handle.has_complained || plan->picture->flags & CTIFF_CLEARED) return is_right;
  memset(out, 0, bytes_of(plan, rows));
  handle_close(&worker->handle);
  worker->is_open = 0;
  return open_handle(plan, worker, coded, &ignored) && read_once(plan, worker, coded, index, rows, out);
}

static void turn_bits(worker *worker, coded *coded) {
  if (coded->length > worker->turned_capacity) {
    free(worker->turned);
    worker->turned = malloc(coded->length);
    worker->turned_capacity = worker->turned ? coded->length : 0;
  }
  if (!worker->turned) return;
  memcpy(worker->turned, coded->bytes, coded->length);
  coded->bytes = worker->turned;
}

static void swap_samples(uint32_t bits, uint8_t *bytes, uint64_t length) {
  switch (bits) {
    case 16: TIFFSwabArrayOfShort((uint16_t *)(void *)bytes, (tmsize_t)(length / 2)); break;
    case 24: TIFFSwabArrayOfTriples(bytes, (tmsize_t)(length / 3)); break;
    case 32: TIFFSwabArrayOfLong((uint32_t *)(void *)bytes, (tmsize_t)(length / 4)); break;
    case 64: TIFFSwabArrayOfLong8((uint64_t *)(void *)bytes, (tmsize_t)(length / 8)); break;
    default: break;
  }
}

// Data that is not compressed: where it is, or turned into the worker's memory. Gives the rows that are there.
static uint32_t show_raw(const rows_plan *plan, const coded *coded, uint32_t rows, uint8_t *memory,
                         const uint8_t **plane) {
  const ctiff_picture *picture = plan->picture;
  uint64_t have = coded->length / plan->plane_row_bytes;
  if (picture->kind == CTIFF_YCBCR) have *= picture->vertical;
  if (have < rows) rows = (uint32_t)have;
  *plane = coded->bytes;
  if (picture->flags & (CTIFF_SWAPPED | CTIFF_REVERSED)) {
    uint64_t size = bytes_of(plan, rows);
    memcpy(memory, coded->bytes, size);
    if (picture->flags & CTIFF_REVERSED) TIFFReverseBits(memory, (tmsize_t)size);
    if (picture->flags & CTIFF_SWAPPED) swap_samples(picture->bits, memory, size);
    *plane = memory;
  }
  return rows;
}

// The rows of a strip or tile that fails as a whole: as many as can be decoded by themselves, which is found by
// halving. Each try has a fresh handle, so that nothing is left of the one before.
static uint32_t salvage(const rows_plan *plan, worker *worker, const coded *coded, uint32_t index, uint32_t rows,
                        uint8_t *out) {
  uint32_t good = 0, bad = rows;
  outcome ignored = {0};
  while (bad - good > 1) {
    uint32_t middle = good + (bad - good) / 2;
    handle_close(&worker->handle);
    worker->is_open = 0;
    if (!open_handle(plan, worker, coded, &ignored)) return 0;
    if (read_rows(plan, worker, coded, index, middle, out)) good = middle;
    else bad = middle;
  }
  handle_close(&worker->handle);
  worker->is_open = 0;
  // The last try may have failed and left its own bytes.
  if (good > 0 && (!open_handle(plan, worker, coded, &ignored) || !read_rows(plan, worker, coded, index, good, out))) {
    good = 0;
  }
  return good;
}

static void decode_plane(const rows_plan *plan, worker *worker, coded coded, uint32_t index, uint32_t rows,
                         uint8_t *memory, uint8_t *direct, const uint8_t **plane, outcome *outcome) {
  const ctiff_picture *picture = plan->picture;
  uint8_t *out = direct ? direct : memory;
  char message[200];
  *plane = out;
  if (coded.is_blank) {
    memset(out, 0, bytes_of(plan, rows));
    return;
  }
  uint32_t good = 0;
  if (coded.length == 0) {
    snprintf(message, sizeof message, coded.missing > 0 ? "the file ends before strip or tile %u"
                                                        : "strip or tile %u has no bytes", index);
  } else if (picture->reduction > 1) {
    char reason[200] = "";
    good = jpeg_read(picture, coded.bytes, coded.length, rows, plan->plane_row_bytes, out, &worker->jpeg, reason);
    snprintf(message, sizeof message, "strip or tile %u: %.150s", index, reason);
  } else if (picture->flags & CTIFF_LOSSLESS_JPEG) {
    char reason[200] = "";
    good = lossless_read(plan, coded.bytes, coded.length, rows, out, &worker->lossless, reason);
    snprintf(message, sizeof message, "strip or tile %u: %.150s", index, reason);
  } else if (picture->flags & CTIFF_RAW) {
    good = show_raw(plan, &coded, rows, memory, plane);
    snprintf(message, sizeof message, "strip or tile %u has %llu bytes, %llu are needed", index,
             (unsigned long long)coded.length, (unsigned long long)bytes_of(plan, rows));
  } else {
    if (picture->flags & CTIFF_REVERSED) turn_bits(worker, &coded);
    if (picture->flags & CTIFF_REVERSED && !worker->turned) {
      set(outcome, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for a strip or tile");
      outcome->rows = 0;
      return;
    }
    if (!open_handle(plan, worker, &coded, outcome)) {
      outcome->rows = 0;
      return;
    }
    good = rows;
    if (!read_rows(plan, worker, &coded, index, rows, out)) {
      snprintf(message, sizeof message, "strip or tile %u: %.150s", index,
               worker->handle.message[0] ? worker->handle.message : "its codec fails");
      if (picture->flags & CTIFF_OLD_JPEG) good = 0;
      else good = salvage(plan, worker, &coded, index, rows, out);
    }
  }
  if (good >= rows) return;
  if (good < outcome->rows) outcome->rows = good;
  if (outcome->status == IMGCODER_STATUS_OK) {
    imgcoder_status status = coded.missing > 0 ? IMGCODER_STATUS_TRUNCATED : IMGCODER_STATUS_MALFORMED;
    set(outcome, status, (int64_t)coded.offset, message);
  }
}

static int prepare(const rows_plan *plan, worker *worker) {
  if (!worker->striles) worker->striles = malloc(plan->strile_bytes * plan->planes + 16);
  if (!worker->scratch) worker->scratch = malloc(rows_scratch(plan));
  return worker->striles && worker->scratch;
}

void strile_decode(const rows_plan *plan, worker *worker, const coded *coded, uint32_t index, uint32_t per_plane,
                   uint32_t rows, uint8_t *direct, const uint8_t **planes, outcome *outcome) {
  outcome->rows = rows;
  outcome->status = IMGCODER_STATUS_OK;
  if (!prepare(plan, worker)) {
    outcome->rows = 0;
    set(outcome, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for a strip or tile");
    return;
  }
  for (uint32_t plane = 0; plane < plan->planes; plane++) {
    decode_plane(plan, worker, coded[plane], index + plane * per_plane, rows,
                 worker->striles + plane * plan->strile_bytes, direct, &planes[plane], outcome);
    if (outcome->rows == 0) return;
  }
}
