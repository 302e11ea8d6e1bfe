// SPDX-License-Identifier: Apache-2.0

#include "recode.h"

#include <stddef.h>

#include "plain.h"

enum { AT_A_TIME = 8 };  // pieces, once the file has its tables

static imgcoder_status append(recoder *recoder, const uint8_t *bytes, uint64_t length) {
  while (length > 0) {
    recode_piece *last = recoder->last;
    if (!last || last->length == PIECE) {
      recode_piece *piece = recoder->host->allocate(recoder->host, sizeof *piece, 0);
      if (!piece) return IMGCODER_STATUS_OUT_OF_MEMORY;
      piece->next = NULL;
      piece->length = 0;
      if (last) last->next = piece;
      else recoder->first = piece;
      recoder->before_last = last;
      recoder->last = last = piece;
      recoder->pieces++;
    }
    uint64_t count = PIECE - last->length < length ? PIECE - last->length : length;
    memcpy(last->bytes + last->length, bytes, count);
    last->length += (uint32_t)count;
    bytes += count;
    length -= count;
  }
  return IMGCODER_STATUS_OK;
}

// Keeps codes: a zero after 0xFF is left out, T.81 B.1.1.5. A marker ends the file, or is kept as PLAIN_MARKER says.
static imgcoder_status keep_codes(recoder *recoder, const uint8_t *bytes, const uint8_t *end) {
  static const uint8_t ones[] = {0xFF, 0xFF};
  while (bytes < end) {
    imgcoder_status status = IMGCODER_STATUS_OK;
    if (recoder->is_after_ones) {
      recoder->is_after_ones = 0;
      const uint8_t after = *bytes++;
      if (after != 0 && after != JPEG_EOI) recoder->has_markers = 1;
      if (after != JPEG_EOI) status = append(recoder, ones, after == 0 ? 1 : 2);
    } else {
      const uint8_t *found = memchr(bytes, 0xFF, (size_t)(end - bytes));
      status = append(recoder, bytes, (uint64_t)((found ? found : end) - bytes));
      bytes = found ? found + 1 : end;
      recoder->is_after_ones = found != NULL;
    }
    if (status != IMGCODER_STATUS_OK) return status;
  }
  return IMGCODER_STATUS_OK;
}

// The length of the segments up to the scan header, or 0 if that is not there.
static uint64_t header_length(const uint8_t *bytes, uint64_t length) {
  uint64_t at = 0;
  while (at + 4 <= length && bytes[at] == 0xFF) {
    uint8_t marker = bytes[at + 1];
    at += 2 + ((uint64_t)bytes[at + 2] << 8 | bytes[at + 3]);
    if (marker == 0xDA) return at <= length && at <= RECODE_HEADER ? at : 0;
  }
  return 0;
}

// Puts the first bytes of the next piece after each one before `end`, and zeros after the last.
static void fill_slack(recode_piece *piece, const recode_piece *end) {
  for (; piece != end; piece = piece->next) {
    uint32_t count = !piece->next ? 0 : piece->next->length < SLACK ? piece->next->length : SLACK;
    memset(piece->bytes + piece->length, 0, SLACK);
    if (count > 0) memcpy(piece->bytes + piece->length, piece->next->bytes, count);
  }
}

static imgcoder_status put_table(const imgcoder_output *output, uint8_t kind, const JHUFF_TBL *table) {
  uint8_t segment[5 + 16 + 256] = {0xFF, 0xC4, 0, 0, kind};
  int count = 0;
  for (int length = 1; length <= 16; length++) count += segment[4 + length] = table->bits[length];
  memcpy(segment + 21, table->huffval, (size_t)count);
  segment[2] = (uint8_t)((19 + count) >> 8);
  segment[3] = (uint8_t)(19 + count);
  return output->write(output, segment, (uint64_t)(21 + count));
}

// Copies the segments before the codes, with tables of this file in place of libjpeg's, which has a segment for each.
static imgcoder_status put_header(const recoder *recoder, JHUFF_TBL tables[2][PLAIN_TABLES], const imgcoder_output *output) {
  imgcoder_status status = IMGCODER_STATUS_OK;
  for (uint32_t at = 0, length; at < recoder->header_length && status == IMGCODER_STATUS_OK; at += length) {
    const uint8_t *segment = recoder->header + at;
    length = 2 + ((uint32_t)segment[2] << 8 | segment[3]);
    status = segment[1] == 0xC4 ? put_table(output, segment[4], &tables[segment[4] >> 4 & 1][segment[4] & 1])
                                : output->write(output, segment, length);
  }
  return status;
}

// Gives symbols that may yet come a code: sizes of levels of 8 bits, T.81 F.1.2, and runs of zeros.
static void count_what_may_come(int is_ac, uint32_t counts[256]) {
  for (int symbol = 0; symbol < 256; symbol++) {
    const int size = symbol & 15;
    const int may_come = is_ac ? size <= 10 && (size > 0 || symbol == 0 || symbol == 0xF0) : symbol <= 11;
    counts[symbol] += (uint32_t)may_come;
  }
}

// Chooses tables by the pieces before `end`, and writes the header.
static imgcoder_status settle(recoder *recoder, const recode_piece *end, const imgcoder_output *output) {
  plain_work *work = recoder->host->allocate(recoder->host, sizeof *work, 0);
  if (!work) return IMGCODER_STATUS_OUT_OF_MEMORY;
  recoder->work = work;
  memset(work, 0, offsetof(plain_work, codes.bytes));
  work->codes.output = output;
  imgcoder_status status = plain_count(recoder, work, end);
  if (status != IMGCODER_STATUS_OK) return status;
  JHUFF_TBL tables[2][PLAIN_TABLES];
  for (int is_ac = 0; is_ac < 2; is_ac++) {
    for (int table = 0; table < PLAIN_TABLES; table++) {
      uint32_t counts[256];
      plain_counts_of(work, is_ac, table, counts);
      if (end) count_what_may_come(is_ac, counts);
      huffman_optimize(counts, &tables[is_ac][table]);
      plain_write_by(work, is_ac, table, &tables[is_ac][table]);
    }
  }
  return put_header(recoder, tables, output);
}

// Writes the pieces before `end`.
static imgcoder_status write_before(recoder *recoder, const recode_piece *end, const imgcoder_output *output) {
  imgcoder_status status = IMGCODER_STATUS_OK;
  fill_slack(recoder->first, end);
  if (!recoder->work) status = settle(recoder, end, output);
  return status == IMGCODER_STATUS_OK ? plain_write(recoder, recoder->work, end) : status;
}

imgcoder_status recode_keep(recoder *recoder, const uint8_t *bytes, uint64_t length, const imgcoder_output *output) {
  uint64_t start = 0;
  if (recoder->header_length == 0) {
    start = header_length(bytes, length);
    if (start == 0) return IMGCODER_STATUS_LIBRARY;
    memcpy(recoder->header, bytes, start);
    recoder->header_length = (uint32_t)start;
  }
  imgcoder_status status = keep_codes(recoder, bytes + start, bytes + length);
  if (status != IMGCODER_STATUS_OK || recoder->pieces <= (recoder->work ? AT_A_TIME : recoder->most_pieces)) return status;
  // A code may reach into the next piece, which is a whole one then.
  return write_before(recoder, recoder->before_last, output);
}

void recode_free(recoder *recoder) {
  for (recode_piece *piece = recoder->first, *next; piece; piece = next) {
    next = piece->next;
    recoder->host->free(recoder->host, piece);
  }
  recoder->first = recoder->last = recoder->before_last = NULL;
  if (recoder->work) recoder->host->free(recoder->host, recoder->work);
  recoder->work = NULL;
}

imgcoder_status recode_write(recoder *recoder, const imgcoder_output *output) {
  if (!recoder->first) return IMGCODER_STATUS_LIBRARY;
  imgcoder_status status = write_before(recoder, NULL, output);
  if (status != IMGCODER_STATUS_OK) return status;
  code_end(&recoder->work->codes, JPEG_EOI);
  return recoder->work->codes.status;
}
