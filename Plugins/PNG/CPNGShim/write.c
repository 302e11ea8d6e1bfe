// SPDX-License-Identifier: Apache-2.0
//
// Writing the image data of one picture: parts of it are compressed on as many threads as the host likes, and put into
// IDAT or fdAT chunks in their order.

#include <libdeflate.h>
#include <stdatomic.h>
#include <string.h>
#include <zlib.h>

#include "pack.h"
#include "parts.h"
#include "session.h"

// Filtered bytes that one part has at least, with our own compression and with libdeflate's: to that, what stands before
// a part is not known, so its parts are large.
#define PART_SIZE (512u << 10)
#define LIBDEFLATE_PART_SIZE (3u << 20)
// A picture of up to so many parts is one with libdeflate.
#define LIBDEFLATE_WHOLE 2u
// Parts that are in memory at a time.
#define BATCH 4u

typedef struct batch {
  cpng_writer *writer;
  cpng_workshop workshops[BATCH];  // the first has the rooms of all parts
  atomic_flag is_taken[BATCH];
  cpng_part parts[BATCH];
  size_t size;             // filtered bytes of a part, at least
  size_t length, history;  // most bytes of a part, and of the rows before it
  unsigned rooms;          // parts at a time
  uint64_t row;            // the first that is not compressed yet
  uint32_t adler;
} batch;

static imgcoder_status fail(cpng_writer *w, imgcoder_status status, const char *message) {
  w->failure->status = status;
  w->failure->offset = -1;
  strncpy(w->failure->message, message, sizeof w->failure->message - 1);
  return status;
}

static imgcoder_status fail_part(cpng_writer *w, imgcoder_status status) {
  switch (status) {
    case IMGCODER_STATUS_CANCELLED: return fail(w, status, "cancelled by the caller");
    case IMGCODER_STATUS_OUT_OF_MEMORY: return fail(w, status, "no memory to compress rows");
    default: return fail(w, status, "libdeflate makes no stream");
  }
}

// The first workshop where nobody works. There are as many as parts, so one is always free; one thread alone takes the same
// again, so that no more memory is touched than threads need.
static unsigned take_workshop(batch *b) {
  for (unsigned i = 0;; i = (i + 1) % BATCH) {
    if (b->workshops[i].memory && !atomic_flag_test_and_set_explicit(&b->is_taken[i], memory_order_acquire)) return i;
  }
}

static void IMGCODER_ABI run_part(void *argument, uint32_t index) {
  batch *b = argument;
  const imgcoder_host *host = b->writer->image->host;
  cpng_part *part = &b->parts[index];
  part->status = IMGCODER_STATUS_CANCELLED;
  if (host->is_cancelled(host)) return;
  const unsigned taken = take_workshop(b);
  part->status = cpng_compress_part(b->writer, &b->writer->strategy, &b->workshops[taken], part);
  atomic_flag_clear_explicit(&b->is_taken[taken], memory_order_release);
}

// Writes a chunk of image data: up to three pieces, one after the other.
static imgcoder_status put_chunk(cpng_writer *w, const uint8_t *lead, size_t lead_length, const uint8_t *bytes,
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
static imgcoder_status put_parts(cpng_writer *w, const cpng_part *parts, unsigned count, uint32_t *adler) {
  const uint32_t level = w->image->level;
  uint8_t lead[2] = {0x78, level < 2 ? 0x01 : level < 6 ? 0x5E : level == 6 ? 0x9C : 0xDA}, trail[4];
  for (unsigned i = 0; i < count; i++) {
    const cpng_part *part = &parts[i];
    const int is_last = part->last == w->rows;
    *adler = part->first == 0 ? part->adler : (uint32_t)adler32_combine(*adler, part->adler, (z_off_t)part->length);
    cpng_store32(trail, *adler);
    imgcoder_status status = put_chunk(w, lead, part->first == 0 ? sizeof lead : 0, part->bytes, part->byte_count,
                                       trail, is_last ? sizeof trail : 0);
    if (status != 0) return status;
  }
  return 0;
}

// Filtered bytes of the picture, as far as they are no more than `most`.
static size_t bytes_up_to(const cpng_writer *w, size_t most) {
  const cpng_part all = cpng_plan_part(w, 0, most);
  return all.last == w->rows ? all.length : most;
}

static void begin_batches(batch *b) {
  const cpng_writer *w = b->writer;
  const int is_own = w->strategy.libdeflate == 0;
  b->size = is_own ? PART_SIZE : LIBDEFLATE_PART_SIZE;
  const size_t most = bytes_up_to(w, is_own ? b->size : LIBDEFLATE_WHOLE * b->size);
  const int is_whole = most < (is_own ? b->size : LIBDEFLATE_WHOLE * b->size);
  if (is_whole) b->size = most;
  b->rooms = is_whole ? 1 : BATCH;
  b->length = is_whole ? most : b->size + w->longest_row;
  b->history = is_whole || !is_own ? 0 : DEFLATE_HISTORY + w->longest_row;
  b->adler = 1;
}

// Compresses and writes the next parts of the first `rows` rows; of a part that ends after them, nothing.
static imgcoder_status write_batch(batch *b, uint64_t rows, uint32_t *count) {
  cpng_writer *w = b->writer;
  const imgcoder_host *host = w->image->host;
  *count = 0;
  for (uint64_t row = b->row; *count < b->rooms && row < rows; *count += 1) {
    cpng_part part = cpng_plan_part(w, row, b->size);
    if (part.last > rows) break;
    if (w->strategy.libdeflate == 0) cpng_plan_history(w, &part);
    row = part.last;
    cpng_workshop *workshop = &b->workshops[*count];
    if (!workshop->memory && !cpng_open_workshop(w, workshop, b->history, b->length, *count == 0 ? b->rooms : 0)) {
      return fail_part(w, IMGCODER_STATUS_OUT_OF_MEMORY);
    }
    part.bytes = b->workshops[0].rooms + *count * b->workshops[0].room;
    b->parts[*count] = part;
  }
  if (*count == 0) return 0;
  if (*count == 1) {
    run_part(b, 0);
  } else {
    host->parallel_for(host, *count, run_part, b);
  }
  for (uint32_t i = 0; i < *count; i++) {
    if (b->parts[i].status != 0) return fail_part(w, b->parts[i].status);
  }
  const imgcoder_status status = put_parts(w, b->parts, *count, &b->adler);
  if (status != 0) return status;
  b->row = b->parts[*count - 1].last;
  host->progress(host, (double)b->row / (double)w->rows);
  return 0;
}

static void end_batches(batch *b) {
  for (unsigned i = 0; i < BATCH; i++) cpng_close_workshop(b->writer, &b->workshops[i]);
}

// Describes how the picture is stored, and checks that its pixels lie in it.
static imgcoder_status begin(cpng_writer *w) {
  const cpng_image *image = w->image;
  static const uint8_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
  w->stored_bits = (size_t)channels[image->color_type % 7] * image->bit_depth;
  w->stored_pixel = (w->stored_bits + 7) / 8;
  if (image->pixel_width > image->width || image->x > image->width - image->pixel_width ||
      image->pixel_height > image->height || image->y > image->height - image->pixel_height ||
      w->stored_pixel == 0 || w->stored_pixel > image->bytes_per_pixel ||
      image->stride < (uint64_t)image->pixel_width * image->bytes_per_pixel ||
      (w->stored_bits < 8 && image->pixel_width != image->width)) {
    return fail(w, IMGCODER_STATUS_INVALID_ARGUMENT, "pixels outside the picture");
  }
  cpng_find_passes(w);
  return 0;
}

imgcoder_status cpng_measure(const cpng_image *image, uint64_t *size, cpng_failure *failure) {
  cpng_image same = *image;
  cpng_writer w = {.image = &same, .failure = failure};
  imgcoder_status status = begin(&w);
  if (status != 0) return status;
  status = cpng_choose_strategy(&w);
  *size = w.least;
  if (status == 0 && (uint64_t)image->width * image->height <= CPNG_SMALL_PIXELS) {
    cpng_part all = cpng_plan_part(&w, 0, SIZE_MAX);
    cpng_workshop workshop;
    status = IMGCODER_STATUS_OUT_OF_MEMORY;
    if (cpng_open_workshop(&w, &workshop, 0, all.length, 1)) {
      all.bytes = workshop.rooms;
      status = cpng_compress_part(&w, &w.strategy, &workshop, &all);
      cpng_close_workshop(&w, &workshop);
    }
    *size = all.byte_count;
  }
  return status == 0 ? status : fail_part(&w, status);
}

imgcoder_status cpng_encode(cpng_image *image, cpng_failure *failure) {
  cpng_writer w = {.image = image, .failure = failure};
  imgcoder_status status = begin(&w);
  if (status != 0) return status;
  status = cpng_choose_strategy(&w);
  if (status != 0) return fail_part(&w, status);
  batch b = {.writer = &w};
  begin_batches(&b);
  while (status == 0 && b.row < w.rows) {
    uint32_t count;
    status = write_batch(&b, w.rows, &count);
  }
  end_batches(&b);
  return status;
}

// Rows that came and are still needed: those of parts that are not compressed yet, and of the history before them.
struct cpng_rows {
  cpng_writer writer;
  batch batch;
  uint8_t *pixels;
  uint64_t stride;
  uint32_t capacity;         // rows that there is room for
  uint32_t first, held;      // the first row that is held, and how many are
  int has_strategy;
};

int cpng_takes_rows(const cpng_image *image) {
  return !image->is_interlaced && image->bit_depth >= 8 && image->color_type != 3 && image->level <= CPNG_OWN_LEVEL &&
         image->x == 0 && image->y == 0 && image->pixel_width == image->width && image->pixel_height == image->height;
}

imgcoder_status cpng_rows_begin(cpng_image *image, cpng_rows **result, cpng_failure *failure) {
  const imgcoder_host *host = image->host;
  cpng_writer w = {.image = image, .failure = failure};
  *result = NULL;
  if (!cpng_takes_rows(image)) return fail(&w, IMGCODER_STATUS_INVALID_ARGUMENT, "a picture that is needed whole");
  image->stride = (uint64_t)image->width * image->bytes_per_pixel;
  image->first_row = 0;
  imgcoder_status status = begin(&w);
  if (status != 0) return status;
  // As many as BATCH parts and their history have, with the row above.
  const uint64_t wanted =
      BATCH * (PART_SIZE / w.longest_row + 1) + DEFLATE_HISTORY / w.longest_row + 3;
  const uint32_t capacity = wanted < image->height ? (uint32_t)wanted : image->height;
  cpng_rows *rows = host->allocate(host, sizeof *rows + capacity * image->stride, 64);
  if (!rows) return fail_part(&w, IMGCODER_STATUS_OUT_OF_MEMORY);
  *rows = (cpng_rows){.writer = w, .pixels = (uint8_t *)(rows + 1), .stride = image->stride, .capacity = capacity};
  rows->batch.writer = &rows->writer;
  image->pixels = rows->pixels;
  *result = rows;
  return 0;
}

// Chooses the strategy on the rows that are held.
static imgcoder_status choose_strategy(cpng_rows *rows) {
  cpng_writer seen = rows->writer;
  if (rows->has_strategy) return 0;
  seen.rows = seen.passes[0].height = rows->held;
  const imgcoder_status status = cpng_choose_strategy(&seen);
  if (status != 0) return fail_part(&rows->writer, status);
  rows->writer.strategy = seen.strategy;
  rows->has_strategy = 1;
  begin_batches(&rows->batch);
  return 0;
}

// Compresses whole parts of what is held, and makes room.
static imgcoder_status write_held(cpng_rows *rows) {
  cpng_image *image = rows->writer.image;
  imgcoder_status status = choose_strategy(rows);
  for (uint32_t count = 1; status == 0 && count > 0;) {
    status = write_batch(&rows->batch, (uint64_t)rows->first + rows->held, &count);
  }
  if (status != 0) return status;
  cpng_part next = {.first = rows->batch.row, .history_first = rows->batch.row};
  cpng_plan_history(&rows->writer, &next);
  const uint32_t keep = next.history_first > 0 ? (uint32_t)next.history_first - 1 : 0;  // with the row above
  const uint32_t gone = keep - rows->first;
  rows->held -= gone;
  rows->first = image->first_row = keep;
  memmove(rows->pixels, rows->pixels + gone * rows->stride, rows->held * rows->stride);
  return 0;
}

imgcoder_status cpng_rows_add(cpng_rows *rows, const uint8_t *pixels, uint64_t stride, uint32_t count,
                              cpng_failure *failure) {
  const cpng_image *image = rows->writer.image;
  rows->writer.failure = failure;
  if (stride < rows->stride || count > image->height - rows->first - rows->held) {
    return fail(&rows->writer, IMGCODER_STATUS_INVALID_ARGUMENT, "rows that the picture does not have");
  }
  for (uint32_t i = 0; i < count; i++) {
    if (rows->held == rows->capacity) {
      const imgcoder_status status = write_held(rows);
      if (status != 0) return status;
    }
    memcpy(rows->pixels + rows->held++ * rows->stride, pixels + i * stride, rows->stride);
  }
  return 0;
}

imgcoder_status cpng_rows_end(cpng_rows *rows, cpng_failure *failure) {
  rows->writer.failure = failure;
  if ((uint64_t)rows->first + rows->held != rows->writer.rows) {
    return fail(&rows->writer, IMGCODER_STATUS_OUT_OF_ORDER, "rows are missing");
  }
  return write_held(rows);
}

void cpng_rows_free(cpng_rows *rows) {
  if (!rows) return;
  end_batches(&rows->batch);
  rows->writer.image->host->free(rows->writer.image->host, rows);
}
