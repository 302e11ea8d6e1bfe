// SPDX-License-Identifier: Apache-2.0
//
// Writing the image data of one picture: parts of it are compressed on as many threads as the host likes, and put into
// IDAT or fdAT chunks in their order.

#include "write.h"

#include <libdeflate.h>
#include <string.h>
#include <zlib.h>

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
  cpng_workshop workshops[BATCH];
  cpng_part parts[BATCH];
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

static void IMGCODER_ABI run_part(void *argument, uint32_t index) {
  batch *b = argument;
  const imgcoder_host *host = b->writer->image->host;
  b->parts[index].status = host->is_cancelled(host) ? IMGCODER_STATUS_CANCELLED
                                                    : cpng_compress_part(b->writer, &b->writer->strategy,
                                                                         &b->workshops[index], &b->parts[index]);
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

static imgcoder_status write_batches(batch *b) {
  cpng_writer *w = b->writer;
  const imgcoder_host *host = w->image->host;
  const int is_own = w->strategy.libdeflate == 0;
  size_t size = is_own ? PART_SIZE : LIBDEFLATE_PART_SIZE;
  const size_t most = bytes_up_to(w, is_own ? size : LIBDEFLATE_WHOLE * size);
  const int is_whole = most < (is_own ? size : LIBDEFLATE_WHOLE * size);
  if (is_whole) size = most;
  const size_t length = is_whole ? most : size + w->longest_row;
  const size_t history = is_whole || !is_own ? 0 : CPNG_DEFLATE_HISTORY + w->longest_row;
  uint32_t adler = 1;
  for (uint64_t row = 0; row < w->rows;) {
    uint32_t count = 0;
    for (; count < BATCH && row < w->rows; count++) {
      cpng_part part = cpng_plan_part(w, row, size);
      if (is_own) cpng_plan_history(w, &part);
      row = part.last;
      b->parts[count] = part;
      if (!b->workshops[count].memory && !cpng_open_workshop(w, &b->workshops[count], history, length)) {
        return fail_part(w, IMGCODER_STATUS_OUT_OF_MEMORY);
      }
    }
    if (count == 1) {
      run_part(b, 0);
    } else {
      host->parallel_for(host, count, run_part, b);
    }
    for (uint32_t i = 0; i < count; i++) {
      if (b->parts[i].status != 0) return fail_part(w, b->parts[i].status);
    }
    const imgcoder_status status = put_parts(w, b->parts, count, &adler);
    if (status != 0) return status;
    host->progress(host, (double)row / (double)w->rows);
  }
  return 0;
}

imgcoder_status cpng_encode(cpng_image *image, cpng_failure *failure) {
  cpng_writer w = {.image = image, .failure = failure};
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
  cpng_find_passes(&w);
  imgcoder_status status = cpng_choose_strategy(&w);
  if (status != 0) return fail_part(&w, status);
  batch b = {.writer = &w};
  status = write_batches(&b);
  for (unsigned i = 0; i < BATCH; i++) cpng_close_workshop(&w, &b.workshops[i]);
  return status;
}
