// SPDX-License-Identifier: Apache-2.0

#include "decode.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <libde265/de265.h>

struct heif_decoder {
  de265_decoder_context *context;
};

// libde265 hands out pictures of which it decoded only a part, with whatever its memory held before in the rest, and
// its interface does not tell. This function of its own, which it exports for its viewer, marks the left and upper edge of
// every coding block that was decoded. Versions without it leave the question open.
extern void draw_CB_grid(const struct de265_image *image, uint8_t *pixels, int stride, uint32_t value, int pixel_size)
    __attribute__((weak));

// Rows above the first coding tree block that was not decoded; SIZE_MAX when there is no memory.
static size_t decoded_rows(const struct de265_image *image, size_t width, size_t height, size_t block) {
  if (!draw_CB_grid || !block) return height;
  // The conformance window may hide columns and rows on every side, which libde265 marks as well.
  size_t stride = width + 2 * block;
  uint8_t *marks = calloc(height + 2 * block, stride);
  if (!marks) return SIZE_MAX;
  draw_CB_grid(image, marks, (int)stride, 1, 1);
  size_t rows = height;
  for (size_t y = 0; y < height && rows == height; y += block) {
    for (size_t x = 0; x < width; x += block) {
      if (!marks[y * stride + x]) {
        rows = y;
        break;
      }
    }
  }
  free(marks);
  return rows;
}

int heif_keep_tables(void) {
  static atomic_flag is_kept = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&is_kept)) return 1;
  if (de265_init() == DE265_OK) return 1;
  atomic_flag_clear(&is_kept);
  return 0;
}

heif_decoder *heif_decoder_new(void) {
  if (!heif_keep_tables()) return NULL;
  heif_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  decoder->context = de265_new_decoder();
  if (!decoder->context) {
    free(decoder);
    return NULL;
  }
  return decoder;
}

void heif_decoder_free(heif_decoder *decoder) {
  if (!decoder) return;
  de265_free_decoder(decoder->context);
  free(decoder);
}

int heif_decoder_push(heif_decoder *decoder, const uint8_t *unit, size_t length) {
  if (length > INT_MAX) return HEIF_DECODE_NO_MEMORY;
  de265_error error = de265_push_NAL(decoder->context, unit, (int)length, 0, NULL);
  return error == DE265_OK ? HEIF_DECODE_OK : HEIF_DECODE_NO_MEMORY;
}

static int describe(const struct de265_image *image, heif_decoded *decoded) {
  const enum de265_chroma chroma = de265_get_chroma_format(image);
  decoded->planes.has_chroma = chroma != de265_chroma_mono;
  decoded->planes.shift_x = chroma == de265_chroma_420 || chroma == de265_chroma_422;
  decoded->planes.shift_y = chroma == de265_chroma_420;
  decoded->planes.bits = (uint32_t)de265_get_bits_per_pixel(image, 0);
  decoded->chroma_bits = (uint32_t)de265_get_bits_per_pixel(image, decoded->planes.has_chroma ? 1 : 0);
  int width = de265_get_image_width(image, 0), height = de265_get_image_height(image, 0);
  if (width <= 0 || height <= 0) return 0;
  decoded->width = (size_t)width;
  decoded->height = (size_t)height;
  for (int plane = 0; plane < (decoded->planes.has_chroma ? 3 : 1); plane++) {
    int stride = 0;
    decoded->planes.plane[plane] = (uint8_t *)de265_get_image_plane(image, plane, &stride);
    decoded->planes.stride[plane] = (size_t)stride;
    if (!decoded->planes.plane[plane] || stride <= 0) return 0;
    if (plane > 0) {
      // Every column and row of luma has its chroma sample.
      size_t needed_width = (decoded->width - 1) >> decoded->planes.shift_x;
      size_t needed_height = (decoded->height - 1) >> decoded->planes.shift_y;
      if (de265_get_image_width(image, plane) <= (int)needed_width) return 0;
      if (de265_get_image_height(image, plane) <= (int)needed_height) return 0;
    }
  }
  decoded->is_full_range = de265_get_image_full_range_flag(image) != 0;
  decoded->primaries = (uint32_t)de265_get_image_colour_primaries(image);
  decoded->transfer = (uint32_t)de265_get_image_transfer_characteristics(image);
  decoded->matrix = (uint32_t)de265_get_image_matrix_coefficients(image);
  return 1;
}

int heif_decoder_run(heif_decoder *decoder, size_t width, size_t height, size_t block, heif_decoded *decoded) {
  memset(decoded, 0, sizeof *decoded);
  de265_flush_data(decoder->context);
  const struct de265_image *image = NULL;
  de265_error error = DE265_OK;
  int more = 1;
  while (!image && more) {
    more = 0;
    error = de265_decode(decoder->context, &more);
    image = de265_peek_next_picture(decoder->context);
    if (error != DE265_OK && !image) break;
  }
  int is_damaged = error != DE265_OK;
  if (is_damaged) decoded->message = de265_get_error_text(error);
  de265_error warning;
  while ((warning = de265_get_warning(decoder->context)) != DE265_OK) {
    if (!decoded->message) decoded->message = de265_get_error_text(warning);
    is_damaged = 1;
  }
  if (error == DE265_ERROR_OUT_OF_MEMORY) return HEIF_DECODE_NO_MEMORY;
  if (!image || !describe(image, decoded)) return HEIF_DECODE_NO_PICTURE;
  decoded->rows = decoded_rows(image, width, height, block);
  if (decoded->rows == SIZE_MAX) return HEIF_DECODE_NO_MEMORY;
  if (decoded->rows < height) {
    is_damaged = 1;
    if (!decoded->message) decoded->message = "blocks are missing";
  }
  return is_damaged ? HEIF_DECODE_DAMAGED : HEIF_DECODE_OK;
}
