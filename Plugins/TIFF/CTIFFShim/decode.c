// SPDX-License-Identifier: Apache-2.0
//
// A picture, some rows of strips or tiles at a time, each strip or tile on whichever thread is free.

#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "strile.h"

// Bytes of the host's rows that are decoded between two looks at the host.
#define BATCH_BYTES (4u << 20)
#define MOST_WORKERS 16u
#define MOST_ITEMS 4096u
// Coded bytes of an incremental file that are worth a batch, and those that are worth a second thread.
#define INCREMENTAL_BYTES 4096u
#define THREAD_BYTES (32u << 10)

typedef struct decoding {
  rows_plan plan;
  const ctiff_picture *picture;
  const imgcoder_sink *sink;
  ctiff_failure *failure;
  worker workers[MOST_WORKERS];
  uint32_t worker_count;

  uint32_t most_bands;         // in a batch: bands are rows of strips or tiles
  uint32_t first_band, bands;  // of the batch
  uint32_t items;
  uint32_t threads;
  coded *coded;                // of each item, for each plane
  outcome *outcomes;
  uint8_t *pixels;             // of the batch's first row
  uint64_t stride;
  uint8_t *rows;               // memory for a batch, when the sink wants rows one after the other
  atomic_uint next;

  const uint8_t *whole;        // the source, once all of it is shown
  uint64_t whole_length;
} decoding;

static uint32_t least(uint64_t a, uint64_t b) { return (uint32_t)(a < b ? a : b); }

static uint32_t band_rows(const decoding *d, uint32_t band) {
  const ctiff_picture *picture = d->picture;
  return least(picture->strile_height, picture->height - (uint64_t)band * picture->strile_height);
}

// Rows that an item decodes: tiles are whole, the last strip is as long as the picture.
static uint32_t coded_rows(const decoding *d, uint32_t band) {
  return d->picture->flags & CTIFF_TILED ? d->picture->strile_height : band_rows(d, band);
}

static void decode_item(decoding *d, worker *worker, uint32_t item) {
  const ctiff_picture *picture = d->picture;
  const rows_plan *plan = &d->plan;
  const uint8_t *planes[CTIFF_MAX_CHANNELS] = {0};
  uint32_t band = d->first_band + item / picture->across, column = item % picture->across;
  uint32_t x = column * picture->strile_width, columns = least(picture->strile_width, picture->width - x);
  uint32_t rows = band_rows(d, band), all = coded_rows(d, band);
  outcome *outcome = &d->outcomes[item];
  uint8_t *pixels = d->pixels + (uint64_t)(item / picture->across) * picture->strile_height * d->stride +
                    (uint64_t)x * plan->pixel_bytes;
  int is_same = plan->is_direct && !(picture->flags & (CTIFF_RAW | CTIFF_TILED)) && d->stride == plan->plane_row_bytes;
  strile_decode(plan, worker, d->coded + (uint64_t)item * plan->planes, band * picture->across + column,
                picture->across * picture->down, all, is_same ? pixels : NULL, planes, outcome);
  if (outcome->rows > rows) outcome->rows = rows;
  // What a tile lacks below the picture's edge is not missed.
  if (outcome->rows == rows && outcome->status != IMGCODER_STATUS_OUT_OF_MEMORY) outcome->status = IMGCODER_STATUS_OK;
  if (outcome->rows > 0 && planes[0] != pixels) {
    rows_convert(plan, planes, 0, outcome->rows, columns, pixels, d->stride, worker->scratch);
  }
}

static void IMGCODER_ABI work(void *argument, uint32_t index) {
  decoding *d = argument;
  const imgcoder_host *host = d->picture->host;
  for (;;) {
    uint32_t item = atomic_fetch_add(&d->next, 1);
    if (item >= d->items || host->is_cancelled(host)) return;
    decode_item(d, &d->workers[index], item);
  }
}

static imgcoder_status view(decoding *d, uint64_t offset, uint64_t wanted, const uint8_t **bytes, uint64_t *length) {
  const imgcoder_source *source = d->picture->source;
  imgcoder_status status = source->view(source, offset, wanted, bytes, length);
  if (status != IMGCODER_STATUS_OK && status != IMGCODER_STATUS_CANCELLED) {
    ctiff_fail(d->failure, status, (int64_t)offset, "the source has no bytes at %llu", (unsigned long long)offset);
  }
  return status;
}

static int is_incremental(const decoding *d) { return d->picture->source->size == UINT64_MAX; }

// Where the bytes of a band end in the source; adds them to `sum`.
static uint64_t band_end(const decoding *d, uint32_t band, uint64_t *sum) {
  const ctiff_picture *picture = d->picture;
  uint32_t per_plane = picture->across * picture->down;
  uint64_t end = 0;
  for (uint32_t plane = 0; plane < d->plan.planes; plane++) {
    for (uint32_t column = 0; column < picture->across; column++) {
      uint32_t index = plane * per_plane + band * picture->across + column;
      uint64_t offset = picture->offsets[index], length = picture->lengths[index];
      uint64_t last = length > UINT64_MAX - offset ? UINT64_MAX : offset + length;
      if (last > end) end = last;
      *sum = length > UINT64_MAX - *sum ? UINT64_MAX : *sum + length;
    }
  }
  return end;
}

// Of an incremental file, makes the batch of the bands that are there, after waiting for one that is worth it.
static imgcoder_status wait_for_batch(decoding *d) {
  const ctiff_picture *picture = d->picture;
  d->threads = d->worker_count;
  const imgcoder_source *source = picture->source;
  const uint8_t *bytes;
  uint64_t length, sum = 0, end = 0;
  if (picture->flags & CTIFF_OLD_JPEG || !is_incremental(d)) return IMGCODER_STATUS_OK;
  uint32_t bands = 0;
  while (bands < d->bands && sum < INCREMENTAL_BYTES) {
    uint64_t last = band_end(d, d->first_band + bands, &sum);
    if (last > end) end = last;
    bands++;
  }
  imgcoder_status status = imgcoder_source_view_available(source, 0, end, UINT64_MAX, &bytes, &length);
  if (status != IMGCODER_STATUS_OK) return status;
  if (!is_incremental(d)) return IMGCODER_STATUS_OK;
  while (bands < d->bands && band_end(d, d->first_band + bands, &sum) <= length) bands++;
  d->bands = bands;
  d->items = bands * picture->across;
  if (sum < THREAD_BYTES) d->threads = 1;
  return IMGCODER_STATUS_OK;
}

// Shows the coded bytes of the batch: in one view where they lie together, else the whole source.
static imgcoder_status show_batch(decoding *d) {
  const ctiff_picture *picture = d->picture;
  uint64_t start = UINT64_MAX, end = 0, sum = 0;
  uint32_t per_plane = picture->across * picture->down;
  imgcoder_status waited = wait_for_batch(d);
  if (waited != IMGCODER_STATUS_OK) return waited;
  if (picture->flags & CTIFF_OLD_JPEG) {
    imgcoder_status status = view(d, 0, UINT64_MAX, &d->whole, &d->whole_length);
    if (status != IMGCODER_STATUS_OK) return status;
  }
  uint64_t size = picture->source->size;
  for (uint32_t item = 0; item < d->items; item++) {
    for (uint32_t plane = 0; plane < d->plan.planes; plane++) {
      coded *coded = &d->coded[(uint64_t)item * d->plan.planes + plane];
      uint32_t index = plane * per_plane + d->first_band * picture->across + item;
      uint64_t offset = picture->offsets[index], length = picture->lengths[index];
      memset(coded, 0, sizeof *coded);
      coded->offset = offset;
      coded->is_blank = offset == 0 && length == 0;
      coded->missing = offset >= size ? length : 0;
      if (offset >= size || length == 0) continue;
      coded->length = length < size - offset ? length : size - offset;
      coded->missing = length - coded->length;
      sum += coded->length;
      if (offset < start) start = offset;
      if (offset + coded->length > end) end = offset + coded->length;
    }
  }
  if (sum == 0 && !(picture->flags & CTIFF_OLD_JPEG)) return IMGCODER_STATUS_OK;
  const uint8_t *bytes = d->whole;
  uint64_t length = d->whole_length;
  // An incremental source has its bytes in memory, wherever they are; all of them are not there yet.
  if (!bytes && !is_incremental(d) && (end - start) / 2 > sum + BATCH_BYTES) {
    imgcoder_status status = view(d, 0, UINT64_MAX, &d->whole, &d->whole_length);
    if (status != IMGCODER_STATUS_OK) return status;
    bytes = d->whole;
    length = d->whole_length;
  }
  if (bytes) {
    start = 0;
  } else {
    imgcoder_status status = view(d, start, end - start, &bytes, &length);
    if (status != IMGCODER_STATUS_OK) return status;
  }
  if (sum > 0 && !(picture->flags & CTIFF_OLD_JPEG) && length < end - start) {
    return ctiff_fail(d->failure, IMGCODER_STATUS_IO, (int64_t)(start + length),
                      "the source shows %llu bytes where its size promises %llu", (unsigned long long)length,
                      (unsigned long long)(end - start));
  }
  for (uint64_t i = 0; i < (uint64_t)d->items * d->plan.planes; i++) {
    if (d->coded[i].length > 0) d->coded[i].bytes = bytes + (d->coded[i].offset - start);
    if (picture->flags & CTIFF_OLD_JPEG) {
      d->coded[i].bytes = bytes;
      d->coded[i].length = length;
      d->coded[i].is_blank = 0;
    }
  }
  return IMGCODER_STATUS_OK;
}

static imgcoder_status refuse(decoding *d, imgcoder_status status) {
  d->failure->status = IMGCODER_STATUS_OK;  // what the host says counts more than what the file lacks
  return ctiff_fail(d->failure, status, -1, status == IMGCODER_STATUS_CANCELLED ? "cancelled by the caller"
                                                                                : "the host takes no more rows");
}

static void note(decoding *d, const outcome *outcome) {
  ctiff_fail(d->failure, outcome->status, outcome->offset, "%s", outcome->message);
}

// Rows of a band that are right in all its strips or tiles.
static uint32_t judge_band(decoding *d, uint32_t band) {
  uint32_t rows = band_rows(d, d->first_band + band), across = d->picture->across;
  for (uint32_t column = 0; column < across; column++) {
    const outcome *outcome = &d->outcomes[band * across + column];
    if (outcome->status != IMGCODER_STATUS_OK) note(d, outcome);
    if (outcome->rows < rows) rows = outcome->rows;
  }
  return rows;
}

static imgcoder_status report(decoding *d, uint32_t y, uint32_t count) {
  const imgcoder_sink *sink = d->sink;
  if (count == 0) return IMGCODER_STATUS_OK;
  imgcoder_status status = sink->done(sink, y, count, 0);
  return status == IMGCODER_STATUS_OK ? status : refuse(d, status);
}

// Hands rows of the batch's own memory to a sink that takes a few at a time.
static imgcoder_status hand_over(decoding *d, uint32_t y, uint32_t count) {
  uint64_t row_bytes = (uint64_t)d->picture->width * d->plan.pixel_bytes;
  for (uint32_t done = 0; done < count;) {
    imgcoder_rows rows = {0};
    imgcoder_status status = d->sink->rows(d->sink, y + done, count - done, &rows);
    if (status != IMGCODER_STATUS_OK) return refuse(d, status);
    uint32_t granted = least(rows.count, count - done);
    if (granted == 0) return refuse(d, IMGCODER_STATUS_INVALID_ARGUMENT);
    for (uint32_t i = 0; i < granted; i++) {
      memcpy(rows.pixels + i * rows.stride, d->pixels + (uint64_t)(done + i) * d->stride, row_bytes);
    }
    status = report(d, y + done, granted);
    if (status != IMGCODER_STATUS_OK) return status;
    done += granted;
  }
  return IMGCODER_STATUS_OK;
}

static imgcoder_status finish_batch(decoding *d, int is_own) {
  uint32_t y = d->first_band * d->picture->strile_height;
  int is_top_down = (d->picture->flags & CTIFF_TOP_DOWN) != 0;
  uint32_t start = y, count = 0;  // rows that are right and not reported yet
  for (uint32_t band = 0; band < d->bands; band++) {
    uint32_t rows = band_rows(d, d->first_band + band), good = judge_band(d, band);
    count += good;
    y += rows;
    if (good == rows && band + 1 < d->bands) continue;
    imgcoder_status status = is_own ? hand_over(d, start, count) : report(d, start, count);
    if (status != IMGCODER_STATUS_OK) return status;
    if (good < rows && is_top_down) return d->failure->status;
    start = y;
    count = 0;
  }
  return IMGCODER_STATUS_OK;
}

static imgcoder_status decode_batch(decoding *d, imgcoder_rows *granted) {
  const ctiff_picture *picture = d->picture;
  const imgcoder_host *host = picture->host;
  uint32_t y = d->first_band * picture->strile_height;
  int is_own = 0;
  if (host->is_cancelled(host)) return refuse(d, IMGCODER_STATUS_CANCELLED);
  imgcoder_status status = show_batch(d);
  if (status != IMGCODER_STATUS_OK) return status == IMGCODER_STATUS_CANCELLED ? refuse(d, status) : status;
  uint32_t rows = least((uint64_t)d->bands * picture->strile_height, picture->height - y);
  if (picture->flags & CTIFF_TOP_DOWN) {
    imgcoder_rows answer = {0};
    status = d->sink->rows(d->sink, y, rows, &answer);
    if (status != IMGCODER_STATUS_OK) return refuse(d, status);
    is_own = answer.count < rows;
    d->pixels = answer.pixels;
    d->stride = answer.stride;
    if (is_own) {
      d->stride = (uint64_t)picture->width * d->plan.pixel_bytes;
      uint64_t most = least((uint64_t)d->most_bands * picture->strile_height, picture->height);
      if (!d->rows) d->rows = host->allocate(host, most * d->stride, 64);
      if (!d->rows) {
        return ctiff_fail(d->failure, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for %llu bytes of rows",
                          (unsigned long long)(most * d->stride));
      }
      d->pixels = d->rows;
    }
  } else {
    d->pixels = granted->pixels + y * granted->stride;
    d->stride = granted->stride;
  }
  atomic_store(&d->next, 0);
  uint32_t count = least(d->threads, d->items);
  if (count > 1) host->parallel_for(host, count, work, d);
  else work(d, 0);
  if (host->is_cancelled(host)) return refuse(d, IMGCODER_STATUS_CANCELLED);
  return finish_batch(d, is_own);
}

static uint32_t bands_at_a_time(const rows_plan *plan) {
  const ctiff_picture *picture = plan->picture;
  uint64_t band = (uint64_t)picture->width * picture->strile_height * plan->pixel_bytes;
  uint64_t bands = band < BATCH_BYTES ? BATCH_BYTES / (band ? band : 1) : 1;
  // Two threads want two strips at least, when strips are large.
  if (bands < picture->workers && picture->across < picture->workers) bands = picture->workers;
  if (bands > 1 && bands * picture->across > MOST_ITEMS) bands = MOST_ITEMS / picture->across;
  return least(bands ? bands : 1, picture->down);
}

static uint32_t workers_of(const rows_plan *plan, uint32_t bands) {
  const ctiff_picture *picture = plan->picture;
  uint64_t items = (uint64_t)bands * picture->across;
  uint32_t most = picture->flags & CTIFF_OLD_JPEG ? 1 : least(picture->workers, MOST_WORKERS);
  return least(items, most ? most : 1);
}

uint64_t ctiff_strile_bytes(const ctiff_picture *picture) {
  rows_plan plan;
  rows_prepare(&plan, picture);
  return plan.strile_bytes;
}

uint64_t ctiff_memory(const ctiff_picture *picture) {
  rows_plan plan;
  rows_prepare(&plan, picture);
  uint32_t bands = bands_at_a_time(&plan), workers = workers_of(&plan, bands);
  uint64_t rows = least((uint64_t)bands * picture->strile_height, picture->height);
  uint64_t items = (uint64_t)bands * picture->across;
  // A codec holds about a strip or tile more: LERC and WebP the whole of it, JPEG a row of blocks.
  uint64_t memory = workers * (plan.strile_bytes * (plan.planes + 1) + rows_scratch(&plan) + (512u << 10));
  memory += items * (plan.planes * sizeof(coded) + sizeof(outcome)) + sizeof(decoding);
  if (picture->flags & CTIFF_TOP_DOWN) memory += rows * picture->width * plan.pixel_bytes;
  if (picture->flags & CTIFF_LOSSLESS_JPEG) memory += workers * lossless_memory(&plan);
  // The coefficients of a JPEG file of several scans, of two bytes each, and what its last blocks have beyond the edge.
  if (picture->reduction > 1) memory += 3ull * workers * picture->coded_width * picture->coded_height * picture->samples;
  return memory;
}

imgcoder_status ctiff_decode(const ctiff_picture *picture, const imgcoder_sink *sink, ctiff_failure *failure) {
  imgcoder_rows granted = {0};
  imgcoder_status status = IMGCODER_STATUS_OK;
  const imgcoder_host *host = picture->host;
  memset(failure, 0, sizeof *failure);
  const char *refusal = rows_refuse(picture);
  if (refusal) return ctiff_fail(failure, IMGCODER_STATUS_INVALID_ARGUMENT, -1, "%s", refusal);
  decoding *d = calloc(1, sizeof *d);
  if (!d) return ctiff_fail(failure, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for %zu bytes", sizeof *d);
  d->picture = picture;
  d->sink = sink;
  d->failure = failure;
  rows_prepare(&d->plan, picture);
  d->most_bands = bands_at_a_time(&d->plan);
  d->worker_count = workers_of(&d->plan, d->most_bands);
  uint64_t items = (uint64_t)d->most_bands * picture->across;
  d->coded = host->allocate(host, items * d->plan.planes * sizeof *d->coded, 0);
  d->outcomes = host->allocate(host, items * sizeof *d->outcomes, 0);
  if (!d->coded || !d->outcomes) {
    status = ctiff_fail(failure, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for %llu strips or tiles",
                        (unsigned long long)items);
  } else if (!(picture->flags & CTIFF_TOP_DOWN)) {
    status = sink->rows(sink, 0, picture->height, &granted);
    if (status != IMGCODER_STATUS_OK || granted.count < picture->height) {
      status = refuse(d, status ? status : IMGCODER_STATUS_INVALID_ARGUMENT);
    }
  }
  while (status == IMGCODER_STATUS_OK && d->first_band < picture->down) {
    d->bands = least(d->most_bands, picture->down - d->first_band);
    d->items = d->bands * picture->across;
    status = decode_batch(d, &granted);
    d->first_band += d->bands;
  }
  for (uint32_t i = 0; i < MOST_WORKERS; i++) worker_close(&d->workers[i]);
  host->free(host, d->coded);
  host->free(host, d->outcomes);
  host->free(host, d->rows);
  free(d);
  return status == IMGCODER_STATUS_OK ? failure->status : status;
}
