/* SPDX-License-Identifier: Apache-2.0 */
#include "floor.h"

#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>

static int decode(struct input input, struct picture *picture, size_t box) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) return 0;
  if (WebPGetFeatures(input.bytes, input.size, &config.input) != VP8_STATUS_OK) return 0;
  picture->width = (size_t)config.input.width;
  picture->height = (size_t)config.input.height;
  size_t longer = picture->width > picture->height ? picture->width : picture->height;
  if (box && longer > box) {
    picture->width = (picture->width * box + longer / 2) / longer;
    picture->height = (picture->height * box + longer / 2) / longer;
    config.options.use_scaling = 1;
    config.options.scaled_width = (int)picture->width;
    config.options.scaled_height = (int)picture->height;
  }
  picture->pixels = malloc(picture->width * picture->height * 4);
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = picture->pixels;
  config.output.u.RGBA.stride = (int)picture->width * 4;
  config.output.u.RGBA.size = picture->width * picture->height * 4;
  int status = WebPDecode(input.bytes, input.size, &config);
  WebPFreeDecBuffer(&config.output);
  return status == VP8_STATUS_OK;
}

static int webp_full(struct input input, struct picture *picture) { return decode(input, picture, 0); }

static int webp_thumbnail(struct input input, struct picture *picture) { return decode(input, picture, THUMBNAIL); }

static int webp_all(struct input input, uint64_t *hash, double *hash_ms) {
  WebPData data = {input.bytes, input.size};
  WebPAnimInfo info;
  WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, NULL);
  if (!decoder || !WebPAnimDecoderGetInfo(decoder, &info)) return 0;
  size_t size = (size_t)info.canvas_width * info.canvas_height * 4;
  while (WebPAnimDecoderHasMoreFrames(decoder)) {
    uint8_t *canvas;
    int timestamp;
    if (!WebPAnimDecoderGetNext(decoder, &canvas, &timestamp)) return 0;
    /* A player gets a canvas of its own, as a caller of ours does. */
    uint8_t *shown = malloc(size);
    memcpy(shown, canvas, size);
    if (hash) {
      double start = now_ms();
      *hash = hash_bytes(*hash, shown, size);
      *hash_ms += now_ms() - start;
    }
    free(shown);
  }
  WebPAnimDecoderDelete(decoder);
  return 1;
}

static int webp_matches(struct input input) { return memcmp(input.bytes, "RIFF", 4) == 0; }

const struct floor_format webp_floor = {
    .matches = webp_matches, .full = webp_full, .thumbnail = webp_thumbnail, .all = webp_all};
