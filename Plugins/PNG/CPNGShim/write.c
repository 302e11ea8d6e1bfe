// SPDX-License-Identifier: Apache-2.0
//
// Encoding one picture with libpng.
//
// libpng writes a whole PNG file; of it, only the IDAT chunks go on to the output, as they are or as fdAT chunks.

#include <setjmp.h>
#include <string.h>

#include "session.h"

typedef struct writer {
  cpng_session session;  // first: libpng's callbacks see it
  cpng_image *image;

  // Where in libpng's stream the next byte is.
  uint32_t skip;          // bytes that do not go on
  uint8_t header[8];      // of the chunk that begins
  uint32_t header_length;
  uint32_t payload;       // bytes of the open IDAT chunk that are still to come
  int is_open;
  uint32_t crc;

  uint8_t *row;           // of the stored size, when the pixels do not cover it
} writer;

static void put(writer *w, const uint8_t *bytes, uint64_t length) {
  const imgcoder_output *output = w->image->output;
  imgcoder_status status = output->write(output, bytes, length);
  if (status != IMGCODER_STATUS_OK) {
    cpng_fail(&w->session, status, "the output takes no more bytes");
    png_error(w->session.png, "see above");
  }
  w->image->written += length;
}

// Begins an IDAT or fdAT chunk with the length of libpng's.
static void open_chunk(writer *w) {
  cpng_image *image = w->image;
  uint8_t lead[12];
  uint32_t extra = image->is_frame_data ? 4 : 0;
  cpng_store32(lead, w->payload + extra);
  cpng_store32(lead + 4, image->is_frame_data ? CPNG_FDAT : CPNG_IDAT);
  if (image->is_frame_data) cpng_store32(lead + 8, image->sequence++);
  w->crc = cpng_crc(0, lead + 4, 4 + extra);
  w->is_open = 1;
  put(w, lead, 8 + extra);
}

static void close_chunk(writer *w) {
  uint8_t crc[4];
  cpng_store32(crc, w->crc);
  w->is_open = 0;
  put(w, crc, sizeof crc);
  w->skip = 4;
}

static void on_write(png_structp png, png_bytep bytes, size_t length) {
  writer *w = png_get_io_ptr(png);
  while (length > 0) {
    uint32_t count;
    if (w->skip > 0) {
      count = w->skip < length ? w->skip : (uint32_t)length;
      w->skip -= count;
    } else if (w->is_open) {
      count = w->payload < length ? w->payload : (uint32_t)length;
      w->crc = cpng_crc(w->crc, bytes, count);
      put(w, bytes, count);
      w->payload -= count;
      if (w->payload == 0) close_chunk(w);
    } else {
      count = 1;
      w->header[w->header_length++] = *bytes;
      if (w->header_length == sizeof w->header) {
        w->header_length = 0;
        w->payload = cpng_load32(w->header);
        if (cpng_load32(w->header + 4) != CPNG_IDAT) {
          w->skip = w->payload + 4;
        } else {
          open_chunk(w);
          if (w->payload == 0) close_chunk(w);
        }
      }
    }
    bytes += count;
    length -= count;
  }
}

static void on_flush(png_structp png) { (void)png; }

static void prepare(writer *w) {
  static const int filters[] = {PNG_ALL_FILTERS, PNG_FILTER_NONE, PNG_FILTER_SUB,
                                PNG_FILTER_UP,   PNG_FILTER_AVG,  PNG_FILTER_PAETH};
  const cpng_image *image = w->image;
  png_structp png = w->session.png;
  png_infop info = w->session.info;
  png_set_write_fn(png, w, on_write, on_flush);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_compression_level(png, (int)image->level);
  png_set_compression_buffer_size(png, CPNG_BUFFER);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, filters[image->filter < 6 ? image->filter : 0]);
  png_set_IHDR(png, info, image->width, image->height, (int)image->bit_depth, (int)image->color_type,
               image->is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE,
               PNG_FILTER_TYPE_BASE);
  w->skip = 8;  // the signature
  png_write_info(png, info);
  if (image->transforms & CPNG_DROP_ALPHA) png_set_filler(png, 0, PNG_FILLER_AFTER);
  if (image->transforms & CPNG_BGR) png_set_bgr(png);
  if (image->bit_depth == 16 && cpng_is_little_endian()) png_set_swap(png);
}

// Row `y` as it is stored.
static const uint8_t *stored_row(const writer *w, uint32_t y) {
  const cpng_image *image = w->image;
  if (!w->row) return image->pixels + y * image->stride;
  uint64_t pixel = image->bytes_per_pixel;
  memset(w->row, 0, image->width * pixel);
  if (y >= image->y && y - image->y < image->pixel_height) {
    memcpy(w->row + image->x * pixel, image->pixels + (y - image->y) * image->stride, image->pixel_width * pixel);
  }
  return w->row;
}

// The only function here that longjmp returns to. Its state is the caller's.
static imgcoder_status encode_rows(writer *w) {
  const imgcoder_host *host = w->session.host;
  png_structp png = w->session.png;
  uint32_t height = w->image->height;
  if (setjmp(png_jmpbuf(png))) return w->session.failure->status;
  prepare(w);
  int passes = png_set_interlace_handling(png);
  for (int pass = 0; pass < passes; pass++) {
    for (uint32_t y = 0; y < height; y++) {
      if (host->is_cancelled(host)) {
        return cpng_fail(&w->session, IMGCODER_STATUS_CANCELLED, "cancelled by the caller");
      }
      if (y % 64 == 0) host->progress(host, (pass + (double)y / height) / passes);
      png_write_row(png, (png_const_bytep)stored_row(w, y));
    }
  }
  png_write_end(png, NULL);
  return IMGCODER_STATUS_OK;
}

imgcoder_status cpng_encode(cpng_image *image, cpng_failure *failure) {
  writer w = {0};
  cpng_session *session = &w.session;
  session->host = image->host;
  session->failure = failure;
  session->offset = -1;
  session->fallback = IMGCODER_STATUS_LIBRARY;
  w.image = image;
  if (image->pixel_width > image->width || image->x > image->width - image->pixel_width ||
      image->pixel_height > image->height || image->y > image->height - image->pixel_height) {
    return cpng_fail(session, IMGCODER_STATUS_INVALID_ARGUMENT, "pixels outside the picture");
  }
  if (image->pixel_width != image->width || image->pixel_height != image->height) {
    w.row = image->host->allocate(image->host, (uint64_t)image->width * image->bytes_per_pixel, 0);
    if (!w.row) return cpng_fail(session, IMGCODER_STATUS_OUT_OF_MEMORY, "no memory for a row");
  }
  session->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, session, cpng_on_error, cpng_on_warning, session,
                                           cpng_on_malloc, cpng_on_free);
  session->info = session->png ? png_create_info_struct(session->png) : NULL;
  imgcoder_status status = session->info ? encode_rows(&w) : cpng_no_start(session);
  png_destroy_write_struct(&session->png, &session->info);
  image->host->free(image->host, w.row);
  return status;
}
