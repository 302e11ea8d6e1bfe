// SPDX-License-Identifier: Apache-2.0
//
// Parts of a picture: rows that are filtered and compressed together, in a way that is found on a few bands of rows.

#include "parts.h"

#include <CPNGRows.h>
#include <libdeflate.h>
#include <string.h>

#include "pack.h"

// Rows of a band, at level 1 and above, the least and the most bands, and the share of the rows that they are otherwise.
#define QUICK_BAND 6u
#define BAND 16u
#define LEAST_BANDS 3u
#define MOST_BANDS 8u
#define SHARE 12u

// Bytes of a line: a row with margins, so that vectors can begin before it.
static size_t line_size(const cpng_writer *w) {
  return (w->longest_row + 2 * CPNG_ROW_MARGIN + 15) & ~(size_t)15;
}

cpng_part cpng_plan_part(const cpng_writer *w, uint64_t first, size_t most) {
  cpng_part part = {.first = first, .last = first};
  while (part.last < w->rows && part.length < most) {
    uint32_t y;
    part.length += 1 + cpng_written_row(w, cpng_pass_of_row(w, part.last++, &y));
  }
  part.history_first = first;
  return part;
}

void cpng_plan_history(const cpng_writer *w, cpng_part *part) {
  while (part->history_first > 0 && part->history < DEFLATE_HISTORY) {
    uint32_t y;
    part->history += 1 + cpng_written_row(w, cpng_pass_of_row(w, --part->history_first, &y));
  }
}

int cpng_open_workshop(const cpng_writer *w, cpng_workshop *workshop, size_t history, size_t length, unsigned rooms) {
  const imgcoder_host *host = w->image->host;
  size_t bound = deflate_bound(length);
  // libdeflate's bound is that of stored blocks too, which may be shorter.
  const size_t other = libdeflate_deflate_compress_bound(NULL, length);
  if (other > bound) bound = other;
  const size_t tables = (sizeof(deflater) + 15) & ~(size_t)15;
  workshop->line_size = line_size(w);
  workshop->room = bound + DEFLATE_OPEN_ROOM + DEFLATE_SLACK;
  const size_t filtered = history + length;
  workshop->memory =
      host->allocate(host, tables + 2 * workshop->line_size + filtered + rooms * workshop->room, 64);
  if (!workshop->memory) return 0;
  workshop->deflater = (deflater *)(void *)workshop->memory;
  workshop->lines = workshop->memory + tables;
  workshop->filtered = workshop->lines + 2 * workshop->line_size;
  workshop->rooms = workshop->filtered + filtered;
  return 1;
}

void cpng_close_workshop(const cpng_writer *w, cpng_workshop *workshop) {
  const imgcoder_host *host = w->image->host;
  if (workshop->memory) host->free(host, workshop->memory);
  workshop->memory = NULL;
}

// Packs a row where it goes, without a filter; of CPNG_FILTER_FLAT, one that is as the row above becomes zeros.
//   above    the row above as it is in the picture, or zeros
//   returns  the same for the next row
static const uint8_t *leave_row(const cpng_writer *w, unsigned filter, const cpng_written_pass *p, uint32_t y,
                                const uint8_t *above, uint8_t *out) {
  const size_t length = cpng_written_row(w, p);
  cpng_pack_row(w, p, y, out + 1);
  out[0] = 0;
  if (filter != CPNG_FILTER_FLAT || memcmp(out + 1, above, length) != 0) return out + 1;
  out[0] = 2;
  memset(out + 1, 0, length);
  return above;
}

// Filters rows one after the other.
static void filter_rows(const cpng_writer *w, unsigned filter, uint64_t first, uint64_t last,
                        const cpng_workshop *workshop, uint8_t *out) {
  const int is_left = filter == CPNG_FILTER_NONE || filter == CPNG_FILTER_FLAT;
  uint8_t *row = workshop->lines + CPNG_ROW_MARGIN, *above = row + workshop->line_size;
  const uint8_t *left_above = above;
  memset(workshop->lines, 0, 2 * workshop->line_size);
  for (uint64_t index = first; index < last; index++) {
    uint32_t y;
    const cpng_written_pass *p = cpng_pass_of_row(w, index, &y);
    const size_t length = cpng_written_row(w, p);
    if (y == 0) {
      memset(above, 0, length);
      left_above = above;
    } else if (index == first) {
      cpng_pack_row(w, p, y - 1, above);
    }
    if (is_left) {
      left_above = leave_row(w, filter, p, y, left_above, out);
    } else {
      cpng_pack_row(w, p, y, row);
      cpng_filter(filter, row, above, length, w->stored_pixel, out);
      uint8_t *done = row;
      row = above;
      above = done;
    }
    out += 1 + length;
  }
}

static size_t compress_by_libdeflate(const cpng_strategy *strategy, const uint8_t *bytes, size_t length, int is_last,
                                     uint8_t *out, imgcoder_status *status) {
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor((int)strategy->libdeflate);
  if (!compressor) {
    *status = IMGCODER_STATUS_OUT_OF_MEMORY;
    return 0;
  }
  const size_t bound = libdeflate_deflate_compress_bound(compressor, length);
  size_t count = libdeflate_deflate_compress(compressor, bytes, length, out, bound);
  libdeflate_free_compressor(compressor);
  if (count && !is_last) count = deflate_leave_open(out, count);
  *status = count ? IMGCODER_STATUS_OK : IMGCODER_STATUS_LIBRARY;
  return count;
}

imgcoder_status cpng_compress_part(const cpng_writer *w, const cpng_strategy *strategy, cpng_workshop *workshop,
                                   cpng_part *part) {
  const int is_last = part->last == w->rows;
  const deflate_shape shape = {w->stored_pixel, w->pass_count == 1 ? w->longest_row : 0};
  imgcoder_status status = IMGCODER_STATUS_OK;
  filter_rows(w, strategy->filter, part->history_first, part->last, workshop, workshop->filtered);
  // Matches reach back no further.
  const size_t history = part->history < DEFLATE_HISTORY ? part->history : DEFLATE_HISTORY;
  const uint8_t *bytes = workshop->filtered + part->history;
  part->adler = libdeflate_adler32(1, bytes, part->length);
  if (w->image->level == 0) {
    part->byte_count = deflate_store(bytes, part->length, is_last, part->bytes);
  } else if (strategy->libdeflate) {
    part->byte_count = compress_by_libdeflate(strategy, bytes, part->length, is_last, part->bytes, &status);
  } else {
    part->byte_count = deflate_rows(workshop->deflater, &strategy->effort, &shape, bytes - history, history,
                                    part->length, is_last, part->bytes);
  }
  return status;
}

// The bands of rows with which strategies are tried.
typedef struct bands {
  uint64_t count, distance, rows;
} bands;

static bands plan_bands(const cpng_writer *w) {
  const cpng_image *image = w->image;
  // All of a small picture, where time is taken: bands say little of it.
  const int is_small = (uint64_t)image->width * image->height <= CPNG_SMALL_PIXELS;
  if (is_small && image->level > CPNG_OWN_LEVEL) return (bands){1, w->rows, w->rows};
  uint64_t count = w->rows / (BAND * SHARE);
  const uint64_t band = image->level == 1 ? QUICK_BAND : BAND;
  if (count < LEAST_BANDS) count = LEAST_BANDS;
  if (count > MOST_BANDS) count = MOST_BANDS;
  return count * band < w->rows ? (bands){count, w->rows / count, band} : (bands){(w->rows + band - 1) / band, band, band};
}

// The first row of a band. The bands do not lie at equal distances, as lines of text do: those of the golden ratio's
// multiples fall everywhere.
static uint64_t band_start(const bands *all, uint64_t index) {
  return index * all->distance + (all->distance - all->rows) * (index * 618 % 1000) / 1000;
}

// Bytes of the bands.
static imgcoder_status measure(const cpng_writer *w, const cpng_strategy *strategy, cpng_workshop *workshop,
                               uint64_t *total) {
  const bands all = plan_bands(w);
  *total = 0;
  for (uint64_t index = 0; index < all.count; index++) {
    cpng_part band = {.first = band_start(&all, index), .bytes = workshop->rooms};
    band.history_first = band.first;
    for (band.last = band.first; band.last < w->rows && band.last < band.first + all.rows; band.last++) {
      uint32_t y;
      band.length += 1 + cpng_written_row(w, cpng_pass_of_row(w, band.last, &y));
    }
    const imgcoder_status status = cpng_compress_part(w, strategy, workshop, &band);
    if (status != IMGCODER_STATUS_OK) return status;
    *total += band.byte_count;
  }
  return IMGCODER_STATUS_OK;
}

// What may be done with a picture, the quickest first.
//   returns  how many
static unsigned list_strategies(const cpng_writer *w, cpng_strategy *list) {
  const cpng_image *image = w->image;
  const unsigned level = image->level, ways = level == 1 ? 1 : level < 5 ? 2 : level <= CPNG_OWN_LEVEL ? 4 : 16;
  // At the first level, matches begin at whole pixels after the last one.
  const unsigned stride = level == 1 ? (unsigned)w->stored_pixel : 1, patience = level == 1 ? 3 : 6;
  const int is_adaptive = image->filter == CPNG_FILTER_ADAPTIVE;
  const deflate_effort runs = {.ways = 0, .stride = 1, .patience = patience, .key = 3};
  // Of rows as they are, pixels come again.
  const deflate_effort pixels = {ways, stride, patience, w->stored_pixel == 3 ? 3 : 4, level > CPNG_OWN_LEVEL};
  // Of filtered rows, few bytes that come again take more bits than their literals.
  const deflate_effort differences = {ways < 4 ? ways : ways / 2, stride, patience, 5, level > 4};
  const unsigned unfiltered = is_adaptive ? CPNG_FILTER_FLAT : image->filter;
  unsigned count = 0;
  list[count++] = (cpng_strategy){image->filter, 0, runs};
  if (is_adaptive || image->filter == CPNG_FILTER_NONE) list[count++] = (cpng_strategy){unfiltered, 0, pixels};
  if (level > 1) list[count++] = (cpng_strategy){image->filter, 0, differences};
  if (level > CPNG_OWN_LEVEL || ((image->color_type == 3 || image->is_animated) && level > 4)) {
    // Indexes have no order, and animations often have few colors: what there is are short matches far away, of which
    // libdeflate finds more.
    const unsigned other = level > CPNG_OWN_LEVEL ? level : CPNG_OWN_LEVEL;
    list[count++] = (cpng_strategy){unfiltered, other, runs};
    if (is_adaptive) list[count++] = (cpng_strategy){image->filter, other, runs};
    // What it does at the levels above is not always smaller, before it tries all matches.
    if (level > CPNG_OWN_LEVEL && level < 10) list[count++] = (cpng_strategy){unfiltered, CPNG_OWN_LEVEL, runs};
  }
  return count;
}

imgcoder_status cpng_choose_strategy(cpng_writer *w) {
  cpng_strategy list[6];
  const unsigned count = list_strategies(w, list);
  int is_far_smaller = 0;
  cpng_workshop workshop;
  w->strategy = list[0];
  w->least = UINT64_MAX;
  if (w->image->level == 0 || w->rows == 0) return IMGCODER_STATUS_OK;
  if (!cpng_open_workshop(w, &workshop, 0, plan_bands(w).rows * w->longest_row, 1)) return IMGCODER_STATUS_OUT_OF_MEMORY;
  imgcoder_status status = IMGCODER_STATUS_OK;
  for (unsigned i = 0; i < count && status == IMGCODER_STATUS_OK; i++) {
    uint64_t total;
    // Where unfiltered rows are smaller by far, filtered ones are not tried further.
    if (w->strategy.filter == CPNG_FILTER_FLAT && list[i].filter == CPNG_FILTER_ADAPTIVE && is_far_smaller) continue;
    status = measure(w, &list[i], &workshop, &total);
    if (status != IMGCODER_STATUS_OK || total >= w->least) continue;
    is_far_smaller = total < w->least - w->least / 4;
    w->least = total;
    w->strategy = list[i];
  }
  cpng_close_workshop(w, &workshop);
  return status;
}
