/* SPDX-License-Identifier: Apache-2.0 */
#include "floor.h"

#include <libheif/heif.h>
#include <stdlib.h>
#include <string.h>

static int matches(struct input input) {
  if (input.size < 12 || memcmp(input.bytes + 4, "ftyp", 4)) return 0;
  static const char brands[][5] = {"heic", "heix", "heim", "heis", "mif1", "mif2"};
  for (size_t i = 0; i < sizeof brands / sizeof *brands; i++)
    if (!memcmp(input.bytes + 8, brands[i], 4)) return 1;
  return 0;
}

/* Decodes a handle to straight RGBA8; a thumbnail is scaled afterwards by the library. */
static int decode(const struct heif_image_handle *handle, struct picture *picture, size_t box) {
  struct heif_decoding_options *options = heif_decoding_options_alloc();
  options->convert_hdr_to_8bit = 1;
  struct heif_image *image = NULL;
  struct heif_error error =
      heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, options);
  heif_decoding_options_free(options);
  if (error.code != heif_error_Ok) return 0;
  size_t width = (size_t)heif_image_get_primary_width(image), height = (size_t)heif_image_get_primary_height(image);
  size_t longer = width > height ? width : height;
  if (box && longer > box) {
    struct heif_image *scaled = NULL;
    width = (width * box + longer / 2) / longer;
    height = (height * box + longer / 2) / longer;
    error = heif_image_scale_image(image, &scaled, (int)(width ? width : 1), (int)(height ? height : 1), NULL);
    heif_image_release(image);
    if (error.code != heif_error_Ok) return 0;
    image = scaled;
  }
  int stride = 0;
  const uint8_t *plane = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
  picture->width = (size_t)heif_image_get_primary_width(image);
  picture->height = (size_t)heif_image_get_primary_height(image);
  picture->pixels = malloc(picture->width * picture->height * 4);
  for (size_t y = 0; plane && y < picture->height; y++)
    memcpy(picture->pixels + y * picture->width * 4, plane + y * (size_t)stride, picture->width * 4);
  heif_image_release(image);
  return plane != NULL;
}

static int run(struct input input, struct picture *picture, size_t box) {
  struct heif_context *context = heif_context_alloc();
  struct heif_image_handle *handle = NULL, *small = NULL;
  heif_context_set_max_decoding_threads(context, 0);
  int done = 0;
  if (heif_context_read_from_memory_without_copy(context, input.bytes, input.size, NULL).code == heif_error_Ok &&
      heif_context_get_primary_image_handle(context, &handle).code == heif_error_Ok) {
    heif_item_id id;
    /* An embedded thumbnail that is large enough does. */
    if (box && heif_image_handle_get_list_of_thumbnail_IDs(handle, &id, 1) == 1 &&
        heif_image_handle_get_thumbnail(handle, id, &small).code == heif_error_Ok &&
        (size_t)heif_image_handle_get_width(small) < box && (size_t)heif_image_handle_get_height(small) < box) {
      heif_image_handle_release(small);
      small = NULL;
    }
    done = decode(small ? small : handle, picture, box);
  }
  if (small) heif_image_handle_release(small);
  if (handle) heif_image_handle_release(handle);
  heif_context_free(context);
  return done;
}

static int full(struct input input, struct picture *picture) { return run(input, picture, 0); }

static int thumbnail(struct input input, struct picture *picture) { return run(input, picture, THUMBNAIL); }

const struct floor_format heif_floor = {.matches = matches, .full = full, .thumbnail = thumbnail, .all = NULL};
