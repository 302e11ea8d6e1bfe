/* SPDX-License-Identifier: Apache-2.0 */
#include "floor.h"

#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

static void begin(struct jpeg_decompress_struct *decoder, struct jpeg_error_mgr *errors, struct input input) {
  decoder->err = jpeg_std_error(errors);
  jpeg_create_decompress(decoder);
  jpeg_mem_src(decoder, input.bytes, input.size);
  jpeg_read_header(decoder, TRUE);
  decoder->out_color_space = JCS_EXT_RGBA;
}

static int jpeg_full(struct input input, struct picture *picture) {
  struct jpeg_decompress_struct decoder;
  struct jpeg_error_mgr errors;
  begin(&decoder, &errors, input);
  jpeg_start_decompress(&decoder);
  picture->width = decoder.output_width;
  picture->height = decoder.output_height;
  picture->pixels = malloc(picture->width * picture->height * 4);
  while (decoder.output_scanline < decoder.output_height) {
    JSAMPROW row = picture->pixels + (size_t)decoder.output_scanline * picture->width * 4;
    jpeg_read_scanlines(&decoder, &row, 1);
  }
  jpeg_finish_decompress(&decoder);
  jpeg_destroy_decompress(&decoder);
  return 1;
}

/* The library's own reduction first, as far as it stays twice as large as the result. */
static int jpeg_thumbnail(struct input input, struct picture *picture) {
  struct jpeg_decompress_struct decoder;
  struct jpeg_error_mgr errors;
  struct cells cells;
  begin(&decoder, &errors, input);
  JDIMENSION longer = decoder.image_width > decoder.image_height ? decoder.image_width : decoder.image_height;
  decoder.scale_denom = 8;
  for (decoder.scale_num = 1; decoder.scale_num < 8; decoder.scale_num *= 2) {
    if (longer * decoder.scale_num / 8 >= 2 * THUMBNAIL) break;
  }
  jpeg_start_decompress(&decoder);
  cells_begin(&cells, decoder.output_width, decoder.output_height, THUMBNAIL);
  uint8_t *row = malloc((size_t)decoder.output_width * 4);
  while (decoder.output_scanline < decoder.output_height) {
    JSAMPROW rows[1] = {row};
    jpeg_read_scanlines(&decoder, rows, 1);
    cells_add(&cells, row);
  }
  free(row);
  *picture = cells_end(&cells);
  jpeg_finish_decompress(&decoder);
  jpeg_destroy_decompress(&decoder);
  return 1;
}

static int jpeg_matches(struct input input) { return input.bytes[0] == 0xFF && input.bytes[1] == 0xD8; }

const struct floor_format jpeg_floor = {
    .matches = jpeg_matches, .full = jpeg_full, .thumbnail = jpeg_thumbnail, .all = NULL};
