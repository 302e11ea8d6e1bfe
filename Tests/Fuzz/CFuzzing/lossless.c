// SPDX-License-Identifier: Apache-2.0
//
// The lossless pixels of the WebP coder beside libwebp's, for bitstreams of a fuzzer. As in inflate.c, the coder's sources are
// compiled once more, under other names, and the library is loaded.

#include <dlfcn.h>

#include "CFuzzing.h"

#if __has_include(<webp/decode.h>)
#include <webp/decode.h>

// The loops of processors without vectors: the others are those of the targets that read WebP files.
#define VP8L_PLAIN
#define vp8l_open fuzzing_vp8l_open
#define vp8l_close fuzzing_vp8l_close
#define vp8l_extend fuzzing_vp8l_extend
#define vp8l_is_cut fuzzing_vp8l_is_cut
#define vp8l_position fuzzing_vp8l_position
#define vp8l_rows fuzzing_vp8l_rows
#define vp8l_make_code fuzzing_vp8l_make_code
#define vp8l_read_lengths fuzzing_vp8l_read_lengths
#define vp8l_image_open fuzzing_vp8l_image_open
#define vp8l_image_close fuzzing_vp8l_image_close
#define vp8l_image_decode fuzzing_vp8l_image_decode
#define vp8l_image_read fuzzing_vp8l_image_read
#define vp8l_undo_predictor fuzzing_vp8l_undo_predictor
#define vp8l_undo_cross_color fuzzing_vp8l_undo_cross_color
#define vp8l_undo_subtract_green fuzzing_vp8l_undo_subtract_green
#define vp8l_undo_color_indexing fuzzing_vp8l_undo_color_indexing
#define pixel_bytes_narrow fuzzing_pixel_bytes_narrow
#include "../../../Plugins/Kernels/CVP8L/codes.c"
#include "../../../Plugins/Kernels/CVP8L/pixels.c"
#include "../../../Plugins/Kernels/CVP8L/predictors.c"
#include "../../../Plugins/Kernels/CVP8L/transforms.c"
#include "../../../Plugins/Kernels/CVP8L/picture.c"

// Rows of three bytes are not asked for here.
void fuzzing_pixel_bytes_narrow(const uint8_t *from, uint8_t *to, size_t count, int swaps) {
  (void)from, (void)to, (void)count, (void)swaps;
}

static int (*init_config)(WebPDecoderConfig *, int);
static WebPIDecoder *(*begin)(const uint8_t *, size_t, WebPDecoderConfig *);
static VP8StatusCode (*update)(WebPIDecoder *, const uint8_t *, size_t);
static uint8_t *(*rows_so_far)(const WebPIDecoder *, int *, int *, int *, int *);
static void (*end)(WebPIDecoder *);

int fuzzing_has_libwebp(void) {
  if (end) return 1;
  void *library = dlopen("libwebp.so.7", RTLD_NOW);
  if (!library) return 0;
  init_config = (int (*)(WebPDecoderConfig *, int))dlsym(library, "WebPInitDecoderConfigInternal");
  begin = (WebPIDecoder * (*)(const uint8_t *, size_t, WebPDecoderConfig *)) dlsym(library, "WebPIDecode");
  update = (VP8StatusCode(*)(WebPIDecoder *, const uint8_t *, size_t))dlsym(library, "WebPIUpdate");
  rows_so_far = (uint8_t * (*)(const WebPIDecoder *, int *, int *, int *, int *)) dlsym(library, "WebPIDecGetRGB");
  end = (void (*)(WebPIDecoder *))dlsym(library, "WebPIDelete");
  return init_config && begin && update && rows_so_far && end;
}

int fuzzing_decodes_as_libwebp(const uint8_t *bitstream, size_t length, uint32_t at_once) {
  // libwebp waits for twelve bytes, those of a RIFF header, before it looks at any.
  enum { MOST_PIXELS = 1 << 20, HEADER = 5, LEAST = 12 };
  static uint32_t *ours, *theirs;
  if (!ours) ours = malloc(MOST_PIXELS * sizeof *ours), theirs = malloc(MOST_PIXELS * sizeof *theirs);
  if (length < LEAST || bitstream[0] != 0x2f || bitstream[4] >> 5) return 1;
  uint32_t fields;
  memcpy(&fields, bitstream + 1, sizeof fields);
  const uint32_t width = (fields & 0x3fff) + 1, height = (fields >> 14 & 0x3fff) + 1;
  if ((uint64_t)width * height > MOST_PIXELS) return 1;

  uint32_t done = 0;
  int is_cut = 1;
  // A quarter of the bytes, then twice as many, until all are there.
  size_t given = (length - HEADER) / 4;
  vp8l *picture = NULL;
  while (!picture && is_cut && given <= length - HEADER) {
    picture = vp8l_open(bitstream + HEADER, given, width, height, &is_cut);
    if (!picture) given = given == length - HEADER ? given + 1 : given * 2 < length - HEADER ? given * 2 + 1 : length - HEADER;
  }
  while (picture && done < height) {
    const uint32_t wanted = height - done < at_once ? height - done : at_once;
    const uint32_t right = vp8l_rows(picture, wanted, (uint8_t *)(ours + (size_t)done * width), width * 4, VP8L_RGBA, 0);
    done += right;
    if (right == wanted) continue;
    if (!vp8l_is_cut(picture) || given == length - HEADER) break;
    given = given * 2 < length - HEADER ? given * 2 + 1 : length - HEADER;
    vp8l_extend(picture, bitstream + HEADER, given);
  }
  vp8l_close(picture);

  WebPDecoderConfig config;
  if (!init_config(&config, WEBP_DECODER_ABI_VERSION)) return 1;
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = (uint8_t *)theirs;
  config.output.u.RGBA.stride = (int)width * 4;
  config.output.u.RGBA.size = (size_t)width * height * 4;
  WebPIDecoder *decoder = begin(NULL, 0, &config);
  if (!decoder) return 1;
  const VP8StatusCode status = update(decoder, bitstream, length);
  int complete = 0;
  rows_so_far(decoder, &complete, NULL, NULL, NULL);
  if (status == VP8_STATUS_OK) complete = (int)height;
  end(decoder);
  if (status == VP8_STATUS_OUT_OF_MEMORY) return 1;
  const uint32_t common = done < (uint32_t)complete ? done : (uint32_t)complete;
  return (done < height || status == VP8_STATUS_OK) && memcmp(ours, theirs, (size_t)common * width * 4) == 0;
}
#else
int fuzzing_has_libwebp(void) { return 0; }

int fuzzing_decodes_as_libwebp(const uint8_t *bitstream, size_t length, uint32_t at_once) { return 1; }
#endif
