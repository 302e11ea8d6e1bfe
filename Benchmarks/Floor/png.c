/* SPDX-License-Identifier: Apache-2.0 */
#include "floor.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

static void read_bytes(png_structp decoder, png_bytep target, size_t count) {
  struct input *left = png_get_io_ptr(decoder);
  if (count > left->size) png_error(decoder, "the file ends");
  memcpy(target, left->bytes, count);
  left->bytes += count;
  left->size -= count;
}

static void begin(png_structp *decoder, png_infop *info, struct input *input) {
  *decoder = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  *info = png_create_info_struct(*decoder);
  png_set_read_fn(*decoder, input, read_bytes);
  png_read_info(*decoder, *info);
  png_set_expand(*decoder);
  png_set_scale_16(*decoder);
  png_set_gray_to_rgb(*decoder);
  png_set_add_alpha(*decoder, 0xFF, PNG_FILLER_AFTER);
}

static int png_full(struct input input, struct picture *picture) {
  png_structp decoder;
  png_infop info;
  begin(&decoder, &info, &input);
  if (setjmp(png_jmpbuf(decoder))) return 0;
  int passes = png_set_interlace_handling(decoder);
  png_read_update_info(decoder, info);
  picture->width = png_get_image_width(decoder, info);
  picture->height = png_get_image_height(decoder, info);
  picture->pixels = malloc(picture->width * picture->height * 4);
  for (int pass = 0; pass < passes; pass++) {
    for (size_t y = 0; y < picture->height; y++) {
      png_read_row(decoder, picture->pixels + y * picture->width * 4, NULL);
    }
  }
  png_read_end(decoder, NULL);
  png_destroy_read_struct(&decoder, &info, NULL);
  return 1;
}

/* Files that are not interlaced only: their rows come in order. */
static int png_thumbnail(struct input input, struct picture *picture) {
  png_structp decoder;
  png_infop info;
  struct cells cells;
  begin(&decoder, &info, &input);
  if (setjmp(png_jmpbuf(decoder))) return 0;
  png_read_update_info(decoder, info);
  if (png_get_interlace_type(decoder, info) != PNG_INTERLACE_NONE) return 0;
  size_t width = png_get_image_width(decoder, info), height = png_get_image_height(decoder, info);
  cells_begin(&cells, width, height, THUMBNAIL);
  uint8_t *row = malloc(width * 4);
  for (size_t y = 0; y < height; y++) {
    png_read_row(decoder, row, NULL);
    cells_add(&cells, row);
  }
  free(row);
  *picture = cells_end(&cells);
  png_destroy_read_struct(&decoder, &info, NULL);
  return 1;
}

static int png_matches(struct input input) { return input.bytes[0] == 0x89 && input.bytes[1] == 'P'; }

const struct floor_format png_floor = {
    .matches = png_matches, .full = png_full, .thumbnail = png_thumbnail, .all = NULL};
