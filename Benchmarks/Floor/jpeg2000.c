/* SPDX-License-Identifier: Apache-2.0 */
#include "floor.h"

#include <openjpeg.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
  struct input input;
  size_t place;
};

static OPJ_SIZE_T read_bytes(void *buffer, OPJ_SIZE_T count, void *context) {
  struct cursor *cursor = context;
  size_t rest = cursor->input.size - cursor->place;
  if (!rest) return (OPJ_SIZE_T)-1;
  if (count > rest) count = rest;
  memcpy(buffer, cursor->input.bytes + cursor->place, count);
  cursor->place += count;
  return count;
}

static OPJ_OFF_T skip_bytes(OPJ_OFF_T count, void *context) {
  struct cursor *cursor = context;
  if (count < 0 || (size_t)count > cursor->input.size - cursor->place) return -1;
  cursor->place += (size_t)count;
  return count;
}

static OPJ_BOOL seek_bytes(OPJ_OFF_T place, void *context) {
  struct cursor *cursor = context;
  if (place < 0 || (size_t)place > cursor->input.size) return OPJ_FALSE;
  cursor->place = (size_t)place;
  return OPJ_TRUE;
}

static int matches(struct input input) {
  return input.size > 12 && (!memcmp(input.bytes, "\0\0\0\14jP  \r\n\207\n", 12) ||
                             !memcmp(input.bytes, "\377\117\377\121", 4));
}

/* Gray, gray and alpha, RGB or RGBA of 8 bits. */
static int convert(const opj_image_t *image, struct picture *picture) {
  unsigned count = image->numcomps;
  if (count < 1 || count > 4) return 0;
  picture->width = image->comps[0].w;
  picture->height = image->comps[0].h;
  size_t pixels = picture->width * picture->height;
  picture->pixels = malloc(pixels * 4);
  for (unsigned i = 0; i < count; i++) {
    if (image->comps[i].w != picture->width || image->comps[i].h != picture->height || image->comps[i].prec != 8) {
      return 0;
    }
  }
  const OPJ_INT32 *red = image->comps[0].data;
  const OPJ_INT32 *green = count > 2 ? image->comps[1].data : red;
  const OPJ_INT32 *blue = count > 2 ? image->comps[2].data : red;
  const OPJ_INT32 *alpha = count == 2 || count == 4 ? image->comps[count - 1].data : NULL;
  for (size_t i = 0; i < pixels; i++) {
    picture->pixels[i * 4] = (uint8_t)red[i];
    picture->pixels[i * 4 + 1] = (uint8_t)green[i];
    picture->pixels[i * 4 + 2] = (uint8_t)blue[i];
    picture->pixels[i * 4 + 3] = alpha ? (uint8_t)alpha[i] : 255;
  }
  return 1;
}

static int decode(struct input input, struct picture *picture, unsigned reduction) {
  struct cursor cursor = {input, 0};
  opj_image_t *image = NULL;
  opj_codec_t *codec = opj_create_decompress(input.bytes[0] ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
  opj_stream_t *stream = opj_stream_default_create(OPJ_TRUE);
  opj_stream_set_user_data(stream, &cursor, NULL);
  opj_stream_set_user_data_length(stream, input.size);
  opj_stream_set_read_function(stream, read_bytes);
  opj_stream_set_skip_function(stream, skip_bytes);
  opj_stream_set_seek_function(stream, seek_bytes);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  parameters.cp_reduce = reduction;
  int done = opj_setup_decoder(codec, &parameters) && opj_read_header(stream, codec, &image) &&
             opj_decode(codec, stream, image) && convert(image, picture);
  if (image) opj_image_destroy(image);
  opj_stream_destroy(stream);
  opj_destroy_codec(codec);
  return done;
}

static int full(struct input input, struct picture *picture) { return decode(input, picture, 0); }

/* The smallest resolution that is not smaller than the thumbnail, then cells. */
static int thumbnail(struct input input, struct picture *picture) {
  size_t place = 0;
  while (place + 24 < input.size && memcmp(input.bytes + place, "\377\117\377\121", 4)) place++;
  if (place + 24 >= input.size) return 0;
  const uint8_t *size = input.bytes + place + 8;
  size_t width = (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 | size[3];
  size_t height = (size_t)size[4] << 24 | (size_t)size[5] << 16 | (size_t)size[6] << 8 | size[7];
  size_t longer = width > height ? width : height;
  unsigned reduction = 0;
  while (reduction < 5 && longer >> (reduction + 1) >= THUMBNAIL) reduction++;
  struct picture reduced;
  if (!decode(input, &reduced, reduction)) return 0;
  struct cells cells;
  cells_begin(&cells, reduced.width, reduced.height, THUMBNAIL);
  for (size_t y = 0; y < reduced.height; y++) cells_add(&cells, reduced.pixels + y * reduced.width * 4);
  *picture = cells_end(&cells);
  free(reduced.pixels);
  return 1;
}

const struct floor_format jpeg2000_floor = {.matches = matches, .full = full, .thumbnail = thumbnail, .all = NULL};
