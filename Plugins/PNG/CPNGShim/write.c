// SPDX-License-Identifier: Apache-2.0
//
// Writing the image data of one picture: rows are filtered, parts of them deflated by libdeflate on as many threads as the
// host likes, and put into IDAT or fdAT chunks in their order.

#include "write.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "session.h"

// Filtered bytes that one part has at least. What stands before a part is no dictionary for it, so parts are large; and
// cancelling waits for the parts in progress, so they are not too large.
#define PART_SIZE (3u << 20)
// Rows of a band with which filters are tried, about how many bands there are, and the highest level for that.
#define BAND 16u
#define BANDS 6u
#define TRIAL_LEVEL 6u
// Parts that are in memory at a time.
#define BATCH 8u

// A pass of an interlaced picture (PNG Third Edition §8), or the whole picture.
typedef struct pass {
  uint32_t x, y, dx, dy;
  uint32_t width, height;  // in pixels of the pass
} pass;

typedef struct part {
  uint64_t first, last;  // rows of all passes, counted through
  uint8_t *bytes;        // deflated
  size_t length;
  uint32_t adler;
  uint64_t source_length;
  imgcoder_status status;
} part;

typedef struct writer {
  cpng_image *image;
  cpng_failure *failure;
  pass passes[7];
  unsigned pass_count;
  size_t stored_bits;   // of a pixel in the file
  size_t stored_pixel;  // bytes of it, at least 1
  uint64_t rows;
  unsigned filter;       // of cpng_filter
  int is_one_part;
  part parts[BATCH];
} writer;

static imgcoder_status fail(writer *w, imgcoder_status status, const char *message) {
  w->failure->status = status;
  w->failure->offset = -1;
  strncpy(w->failure->message, message, sizeof w->failure->message - 1);
  return status;
}

static void find_passes(writer *w) {
  static const pass adam7[7] = {{0, 0, 8, 8, 0, 0}, {4, 0, 8, 8, 0, 0}, {0, 4, 4, 8, 0, 0}, {2, 0, 4, 4, 0, 0},
                                {0, 2, 2, 4, 0, 0}, {1, 0, 2, 2, 0, 0}, {0, 1, 1, 2, 0, 0}};
  static const pass whole = {0, 0, 1, 1, 0, 0};
  const cpng_image *image = w->image;
  unsigned count = image->is_interlaced ? 7 : 1;
  for (unsigned i = 0; i < count; i++) {
    pass p = image->is_interlaced ? adam7[i] : whole;
    if (p.x >= image->width || p.y >= image->height) continue;
    p.width = (image->width - p.x + p.dx - 1) / p.dx;
    p.height = (image->height - p.y + p.dy - 1) / p.dy;
    w->passes[w->pass_count++] = p;
    w->rows += p.height;
  }
}

// Bytes of a row of a pass in the file.
static size_t row_length(const writer *w, const pass *p) { return (p->width * w->stored_bits + 7) / 8; }

// The pass of a row, and the row's number in it.
static const pass *pass_of(const writer *w, uint64_t row, uint32_t *y) {
  const pass *p = w->passes;
  while (row >= p->height) row -= p++->height;
  *y = (uint32_t)row;
  return p;
}

static void pack_pixel(const cpng_image *image, const uint8_t *from, uint8_t *to, size_t stored) {
  if (image->bit_depth == 16 && cpng_is_little_endian()) {
    for (size_t i = 0; i < stored; i += 2) {
      to[i] = from[i + 1];
      to[i + 1] = from[i];
    }
  } else if (image->transforms & CPNG_BGR) {
    to[0] = from[2];
    to[1] = from[1];
    to[2] = from[0];
    if (stored == 4) to[3] = from[3];
  } else {
    memcpy(to, from, stored);
  }
}

// Indexes of fewer than 8 bits, the first in the highest ones (§7.2). Indexes cover the picture.
static void pack_indexes(const writer *w, const pass *p, const uint8_t *line, uint8_t *out) {
  unsigned bits = (unsigned)w->stored_bits, filled = 0;
  uint8_t byte = 0;
  for (uint32_t i = 0; i < p->width; i++) {
    byte = (uint8_t)(byte << bits | line[p->x + i * p->dx]);
    filled += bits;
    if (filled < 8) continue;
    *out++ = byte;
    byte = 0;
    filled = 0;
  }
  if (filled) *out = (uint8_t)(byte << (8 - filled));
}

// The samples of a row of a pass, as they are stored.
static void pack_row(const writer *w, const pass *p, uint32_t row, uint8_t *out) {
  const cpng_image *image = w->image;
  uint32_t y = p->y + row * p->dy;
  size_t stored = w->stored_pixel, held = image->bytes_per_pixel;
  if (y < image->y || y - image->y >= image->pixel_height) {
    memset(out, 0, p->width * stored);
    return;
  }
  const uint8_t *line = image->pixels + (y - image->y) * image->stride;
  if (w->stored_bits < 8) {
    pack_indexes(w, p, line, out);
    return;
  }
  int is_plain = held == stored && image->bit_depth == 8 && !(image->transforms & CPNG_BGR);
  if (p->dx == 1 && is_plain && image->pixel_width == image->width) {
    memcpy(out, line, p->width * stored);
    return;
  }
  for (uint32_t i = 0; i < p->width; i++, out += stored) {
    uint32_t x = p->x + i * p->dx;
    if (x < image->x || x - image->x >= image->pixel_width) {
      memset(out, 0, stored);
    } else {
      pack_pixel(image, line + (uint64_t)(x - image->x) * held, out, stored);
    }
  }
}

// Filters the rows of a part one after the other.
static void filter_rows(const writer *w, const part *job, uint8_t *out, uint8_t *lines, size_t line_size) {
  uint8_t *row = lines, *above = lines + line_size, *spare = lines + 2 * line_size;
  for (uint64_t index = job->first; index < job->last; index++) {
    uint32_t y;
    const pass *p = pass_of(w, index, &y);
    size_t length = row_length(w, p);
    if (y == 0) {
      memset(above, 0, length);
    } else if (index == job->first) {
      pack_row(w, p, y - 1, above);
    }
    pack_row(w, p, y, row);
    cpng_filter(w->filter, row, above, length, w->stored_pixel, out, spare);
    out += 1 + length;
    uint8_t *done = row;
    row = above;
    above = done;
  }
}

static imgcoder_status deflate_rows(const writer *w, part *job) {
  const imgcoder_host *host = w->image->host;
  if (host->is_cancelled(host)) return IMGCODER_STATUS_CANCELLED;
  size_t line_size = (size_t)w->image->width * w->stored_pixel + 64;
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor((int)w->image->level);
  uint8_t *lines = host->allocate(host, 3 * line_size, 0);
  uint8_t *filtered = host->allocate(host, job->source_length, 0);
  size_t bound = libdeflate_deflate_compress_bound(compressor, job->source_length);
  job->bytes = host->allocate(host, bound + CPNG_OPEN_ROOM, 0);
  imgcoder_status status = compressor && lines && filtered && job->bytes ? 0 : IMGCODER_STATUS_OUT_OF_MEMORY;
  if (status == 0) {
    filter_rows(w, job, filtered, lines, line_size);
    job->adler = libdeflate_adler32(1, filtered, job->source_length);
    job->length = libdeflate_deflate_compress(compressor, filtered, job->source_length, job->bytes, bound);
    if (job->last < w->rows && job->length) job->length = cpng_leave_open(job->bytes, job->length);
    if (job->length == 0) status = IMGCODER_STATUS_LIBRARY;
  }
  host->free(host, filtered);
  host->free(host, lines);
  libdeflate_free_compressor(compressor);
  return status;
}

static void IMGCODER_ABI run_part(void *argument, uint32_t index) {
  writer *w = argument;
  w->parts[index].status = deflate_rows(w, &w->parts[index]);
}

// Takes rows for the next part, from `row` on.
static uint64_t plan_part(const writer *w, uint64_t row, part *job) {
  *job = (part){.first = row};
  while (row < w->rows && (job->source_length < PART_SIZE || w->is_one_part)) {
    uint32_t y;
    job->source_length += 1 + row_length(w, pass_of(w, row, &y));
    row++;
  }
  job->last = row;
  return row;
}

// Writes a chunk of image data: up to three pieces, one after the other.
static imgcoder_status put_chunk(writer *w, const uint8_t *lead, size_t lead_length, const uint8_t *bytes,
                                 size_t length, const uint8_t *trail, size_t trail_length) {
  cpng_image *image = w->image;
  const imgcoder_output *output = image->output;
  uint8_t head[12], crc_bytes[4];
  size_t head_length = image->is_frame_data ? 12 : 8;
  cpng_store32(head, (uint32_t)(head_length - 8 + lead_length + length + trail_length));
  cpng_store32(head + 4, image->is_frame_data ? CPNG_FDAT : CPNG_IDAT);
  if (image->is_frame_data) cpng_store32(head + 8, image->sequence++);
  uint32_t crc = libdeflate_crc32(0, head + 4, head_length - 4);
  crc = libdeflate_crc32(crc, lead, lead_length);
  crc = libdeflate_crc32(crc, bytes, length);
  crc = libdeflate_crc32(crc, trail, trail_length);
  cpng_store32(crc_bytes, crc);
  imgcoder_status status = output->write(output, head, head_length);
  if (status == 0 && lead_length) status = output->write(output, lead, lead_length);
  if (status == 0) status = output->write(output, bytes, length);
  if (status == 0 && trail_length) status = output->write(output, trail, trail_length);
  if (status == 0) status = output->write(output, crc_bytes, sizeof crc_bytes);
  if (status != 0) return fail(w, status, "the output takes no more bytes");
  image->written += head_length + lead_length + length + trail_length + sizeof crc_bytes;
  return status;
}

// Writes the parts of a batch: the first of the picture with the zlib stream's header, the last with its checksum.
static imgcoder_status put_parts(writer *w, unsigned count, uint32_t *adler) {
  uint32_t level = w->image->level;
  uint8_t lead[2] = {0x78, level < 2 ? 0x01 : level < 6 ? 0x5E : level == 6 ? 0x9C : 0xDA}, trail[4];
  for (unsigned i = 0; i < count; i++) {
    const part *job = &w->parts[i];
    int is_last = job->last == w->rows;
    *adler = job->first == 0 ? job->adler : (uint32_t)adler32_combine(*adler, job->adler, (z_off_t)job->source_length);
    cpng_store32(trail, *adler);
    imgcoder_status status = put_chunk(w, lead, job->first == 0 ? sizeof lead : 0, job->bytes, job->length, trail,
                                       is_last ? sizeof trail : 0);
    if (status != 0) return status;
  }
  return 0;
}

// Deflated bytes of some bands of rows with a filter, or 0 when there is no memory.
static uint64_t try_filter(writer *w, unsigned filter) {
  const imgcoder_host *host = w->image->host;
  const size_t row = row_length(w, w->passes) + 1, size = row * BAND, line_size = row + 64;
  const unsigned level = w->image->level < TRIAL_LEVEL ? w->image->level : TRIAL_LEVEL;
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor((int)level);
  const size_t bound = libdeflate_deflate_compress_bound(compressor, size);
  uint8_t *memory = host->allocate(host, 3 * line_size + size + bound, 0);
  uint64_t total = 0, distance = w->rows / BANDS;
  w->filter = filter;
  if (distance < BAND) distance = BAND;
  for (uint64_t first = 0; compressor && memory && first < w->rows; first += distance) {
    const part band = {.first = first, .last = first + BAND < w->rows ? first + BAND : w->rows};
    uint8_t *filtered = memory + 3 * line_size;
    filter_rows(w, &band, filtered, memory, line_size);
    total += libdeflate_deflate_compress(compressor, filtered, row * (band.last - first), filtered + size, bound);
  }
  host->free(host, memory);
  libdeflate_free_compressor(compressor);
  return total;
}

// Of a picture that is not interlaced, bands are deflated both ways when nothing else is asked for: the sum of absolute
// differences says little of rows in which the same colors come again.
static void choose_filter(writer *w) {
  w->filter = w->image->filter;
  if (w->filter != CPNG_FILTER_ADAPTIVE || w->image->is_interlaced || w->image->level == 0 || w->rows == 0) return;
  const uint64_t flat = try_filter(w, CPNG_FILTER_FLAT), adaptive = try_filter(w, CPNG_FILTER_ADAPTIVE);
  w->filter = flat > 0 && flat < adaptive ? CPNG_FILTER_FLAT : CPNG_FILTER_ADAPTIVE;
}

static imgcoder_status write_batches(writer *w) {
  const imgcoder_host *host = w->image->host;
  uint32_t adler = 1;
  for (uint64_t row = 0; row < w->rows;) {
    uint32_t count = 0;
    while (count < BATCH && row < w->rows) row = plan_part(w, row, &w->parts[count++]);
    if (count == 1) {
      run_part(w, 0);
    } else {
      host->parallel_for(host, count, run_part, w);
    }
    imgcoder_status status = 0;
    for (uint32_t i = 0; i < count && status == 0; i++) {
      status = w->parts[i].status;
      if (status == IMGCODER_STATUS_CANCELLED) fail(w, status, "cancelled by the caller");
      if (status == IMGCODER_STATUS_OUT_OF_MEMORY) fail(w, status, "no memory to deflate rows");
      if (status == IMGCODER_STATUS_LIBRARY) fail(w, status, "libdeflate makes no stream");
    }
    if (status == 0) status = put_parts(w, count, &adler);
    for (uint32_t i = 0; i < count; i++) host->free(host, w->parts[i].bytes);
    if (status != 0) return status;
    host->progress(host, (double)row / (double)w->rows);
  }
  return 0;
}

imgcoder_status cpng_encode(cpng_image *image, cpng_failure *failure) {
  writer w = {.image = image, .failure = failure};
  static const uint8_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
  w.stored_bits = (size_t)channels[image->color_type % 7] * image->bit_depth;
  w.stored_pixel = (w.stored_bits + 7) / 8;
  if (image->pixel_width > image->width || image->x > image->width - image->pixel_width ||
      image->pixel_height > image->height || image->y > image->height - image->pixel_height ||
      w.stored_pixel == 0 || w.stored_pixel > image->bytes_per_pixel ||
      image->stride < (uint64_t)image->pixel_width * image->bytes_per_pixel ||
      (w.stored_bits < 8 && image->pixel_width != image->width)) {
    return fail(&w, IMGCODER_STATUS_INVALID_ARGUMENT, "pixels outside the picture");
  }
  find_passes(&w);
  choose_filter(&w);
  // One part for whatever is deflated within a moment: it needs no joining.
  w.is_one_part = (uint64_t)image->width * image->height * w.stored_pixel <= 2 * PART_SIZE;
  return write_batches(&w);
}
