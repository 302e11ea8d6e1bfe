/* SPDX-License-Identifier: Apache-2.0 */
#include "floor.h"

#include <avif/avif.h>
#include <stdlib.h>
#include <string.h>

static int matches(struct input input) {
  avifROData head = {input.bytes, input.size};
  return avifPeekCompatibleFileType(&head);
}

static avifDecoder *open_file(struct input input) {
  avifDecoder *decoder = avifDecoderCreate();
  decoder->strictFlags = AVIF_STRICT_DISABLED;
  if (avifDecoderSetIOMemory(decoder, input.bytes, input.size) == AVIF_RESULT_OK &&
      avifDecoderParse(decoder) == AVIF_RESULT_OK) {
    return decoder;
  }
  avifDecoderDestroy(decoder);
  return NULL;
}

static int convert(const avifImage *image, struct picture *picture) {
  avifRGBImage rgb;
  avifRGBImageSetDefaults(&rgb, image);
  rgb.depth = 8;
  picture->width = image->width;
  picture->height = image->height;
  picture->pixels = malloc(picture->width * picture->height * 4);
  rgb.pixels = picture->pixels;
  rgb.rowBytes = image->width * 4;
  return avifImageYUVToRGB(image, &rgb) == AVIF_RESULT_OK;
}

static int full(struct input input, struct picture *picture) {
  avifDecoder *decoder = open_file(input);
  if (!decoder) return 0;
  int done = avifDecoderNextImage(decoder) == AVIF_RESULT_OK && convert(decoder->image, picture);
  avifDecoderDestroy(decoder);
  return done;
}

/* libavif decodes whole pictures only. */
static int thumbnail(struct input input, struct picture *picture) {
  struct picture whole = {0};
  if (!full(input, &whole)) return 0;
  struct cells cells;
  cells_begin(&cells, whole.width, whole.height, THUMBNAIL);
  for (size_t y = 0; y < whole.height; y++) cells_add(&cells, whole.pixels + y * whole.width * 4);
  *picture = cells_end(&cells);
  free(whole.pixels);
  return 1;
}

static int all(struct input input, uint64_t *hash, double *hash_ms) {
  avifDecoder *decoder = open_file(input);
  if (!decoder) return 0;
  while (avifDecoderNextImage(decoder) == AVIF_RESULT_OK) {
    struct picture picture = {0};
    if (!convert(decoder->image, &picture)) return 0;
    if (hash) {
      double start = now_ms();
      *hash = hash_bytes(*hash, picture.pixels, picture.width * picture.height * 4);
      *hash_ms += now_ms() - start;
    }
    free(picture.pixels);
  }
  avifDecoderDestroy(decoder);
  return 1;
}

const struct floor_format avif_floor = {.matches = matches, .full = full, .thumbnail = thumbnail, .all = all};
