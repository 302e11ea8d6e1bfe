// SPDX-License-Identifier: Apache-2.0
//
// A reader of each pixel format of version 1.1. A file is the word PIXELS, a byte with the number of the format, one with the
// row order, and one with what it offers to a host that asks for no inks: the format (0), or the inks all the same (1).
// Samples of the row y are the numbers from 100 * y + 1 on; of floating point, the same halves of it. Rows of any order
// come twice.

#include <string.h>

#include "imgcoder/imgcoder.h"

enum { WIDTH = 3, HEIGHT = 4, PREFIX = 9 };

struct imgcoder_reader {
  const imgcoder_host *host;
  uint8_t format, order, lies;
};

static imgcoder_status reader_open(const imgcoder_coder *coder, const imgcoder_host *host,
                                   const imgcoder_source *source, const imgcoder_open_options *options,
                                   imgcoder_reader **result) {
  const uint8_t *bytes;
  uint64_t size;
  (void)coder, (void)options;
  imgcoder_status status = source->view(source, 0, PREFIX, &bytes, &size);
  if (status) return status;
  if (size < PREFIX || memcmp(bytes, "PIXELS", 6) != 0) return IMGCODER_STATUS_WRONG_FORMAT;
  imgcoder_reader *reader = host->allocate(host, sizeof *reader, 0);
  if (!reader) return IMGCODER_STATUS_OUT_OF_MEMORY;
  *reader = (imgcoder_reader){host, bytes[6], bytes[7], bytes[8]};
  *result = reader;
  return IMGCODER_STATUS_OK;
}

static int is_inks(uint32_t format) { return format == IMGCODER_PIXEL_CMYK8 || format == IMGCODER_PIXEL_CMYK16; }

static imgcoder_status reader_info(imgcoder_reader *reader, uint32_t page, imgcoder_info *info) {
  (void)page;
  info->width = WIDTH;
  info->height = HEIGHT;
  info->pixel_format = is_inks(reader->format) ? IMGCODER_PIXEL_RGB8 : reader->format;
  if (is_inks(reader->format)) info->flags |= IMGCODER_INFO_INKS;
  info->bits_per_channel = 8;
  info->frame_count = info->page_count = 1;
  info->format = (imgcoder_string)IMGCODER_TEXT("org.example.pixels");
  IMGCODER_SET(info, imgcoder_info, pixel_aspect, 1.5);
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_frame_info(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                         imgcoder_frame_info *info) {
  (void)reader, (void)page, (void)frame;
  info->width = WIDTH;
  info->height = HEIGHT;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_negotiate(imgcoder_reader *reader, const imgcoder_request *request,
                                        imgcoder_offer *offer) {
  int asks = is_inks(request->pixel_format);
  offer->width = WIDTH;
  offer->height = HEIGHT;
  offer->pixel_format = is_inks(reader->format) && asks == reader->lies ? IMGCODER_PIXEL_RGB8 : reader->format;
  offer->row_order = reader->order;
  if (request->pixel_format != offer->pixel_format) offer->unmet |= IMGCODER_UNMET_PIXEL_FORMAT;
  return IMGCODER_STATUS_OK;
}

static void fill(uint32_t format, uint32_t y, uint8_t *row) {
  static const uint8_t channels[] = {0, 1, 2, 1, 2, 3, 4, 4, 4, 4, 4, 3, 3, 3, 1, 4, 4};
  for (uint32_t x = 0; x < WIDTH * channels[format]; x++) {
    uint32_t number = 100 * y + x + 1;
    uint16_t word = (uint16_t)number;
    float real = (float)number / 2;
    if (format == IMGCODER_PIXEL_RGB8 || format == IMGCODER_PIXEL_CMYK8) row[x] = (uint8_t)number;
    else if (format == IMGCODER_PIXEL_RGB_F32 || format == IMGCODER_PIXEL_GRAY_F32) memcpy(row + 4 * x, &real, 4);
    else memcpy(row + 2 * x, &word, 2);
  }
}

static imgcoder_status reader_decode(imgcoder_reader *reader, const imgcoder_offer *offer, const imgcoder_sink *sink) {
  static const uint8_t bytes[] = {0, 1, 2, 2, 4, 3, 4, 4, 8, 8, 16, 6, 6, 12, 4, 4, 8};
  for (uint32_t pass = 0; pass <= (reader->order == IMGCODER_ROWS_ANY); pass++) {
    for (uint32_t row = 0; row < HEIGHT; row++) {
      uint32_t y = reader->order == IMGCODER_ROWS_ANY ? HEIGHT - 1 - row : row;
      imgcoder_rows rows;
      imgcoder_status status = sink->rows(sink, y, 1, &rows);
      if (status) return status;
      // What an earlier pass has written is still there.
      for (uint32_t x = 0; x < (uint32_t)WIDTH * bytes[offer->pixel_format]; x++) {
        if (pass > 0 && rows.pixels[x] != 0x5A) return IMGCODER_STATUS_LIBRARY;
      }
      if (reader->order == IMGCODER_ROWS_ANY && pass == 0) {
        memset(rows.pixels, 0x5A, (size_t)WIDTH * bytes[offer->pixel_format]);
      } else {
        fill(offer->pixel_format, y, rows.pixels);
      }
      status = sink->done(sink, y, 1, pass);
      if (status) return status;
    }
  }
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_color(imgcoder_reader *reader, uint32_t page, imgcoder_color *color) {
  static const uint16_t curve[] = {0, 1000, 65535};
  (void)reader, (void)page;
  color->flags = IMGCODER_COLOR_CURVES | IMGCODER_COLOR_LIGHT_LEVELS;
  color->curves[0] = color->curves[1] = color->curves[2] = curve;
  color->curve_length = 3;
  color->content_peak = 400;
  return IMGCODER_STATUS_OK;
}

static void reader_close(imgcoder_reader *reader) { reader->host->free(reader->host, reader); }

static const imgcoder_reader_table reader_table = {
    sizeof(imgcoder_reader_table), 0, reader_open, reader_info, reader_frame_info, reader_negotiate, reader_decode,
    NULL, NULL, reader_close, NULL, reader_color};

static const imgcoder_coder coder = {
    sizeof(imgcoder_coder), 0, NULL, IMGCODER_TEXT("org.example.pixels"), IMGCODER_TEXT("1.0.0"), IMGCODER_TEXT(""),
    NULL, &reader_table, NULL, NULL, 0, NULL, NULL, NULL, 0};

static const imgcoder_coder *describe(const imgcoder_host *host) { return host ? &coder : NULL; }

IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
    sizeof(imgcoder_entry), IMGCODER_ABI_MAJOR, IMGCODER_ABI_MINOR, 0, IMGCODER_ENTRY_MAGIC, describe};
