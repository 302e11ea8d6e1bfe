/* SPDX-License-Identifier: Apache-2.0 */
#include "floor.h"

#include <jxl/decode.h>
#include <stdlib.h>

static int matches(struct input input) {
  JxlSignature signature = JxlSignatureCheck(input.bytes, input.size);
  return signature == JXL_SIG_CODESTREAM || signature == JXL_SIG_CONTAINER;
}

static int full(struct input input, struct picture *picture) {
  JxlPixelFormat format = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  JxlDecoder *decoder = JxlDecoderCreate(NULL);
  int done = 0;
  picture->pixels = NULL;
  JxlDecoderSetUnpremultiplyAlpha(decoder, JXL_TRUE);
  JxlDecoderSubscribeEvents(decoder, JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE);
  JxlDecoderSetInput(decoder, input.bytes, input.size);
  JxlDecoderCloseInput(decoder);
  for (;;) {
    JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
    if (status == JXL_DEC_BASIC_INFO) {
      JxlBasicInfo info;
      JxlDecoderGetBasicInfo(decoder, &info);
      picture->width = info.xsize;
      picture->height = info.ysize;
    } else if (status == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
      size_t size = picture->width * picture->height * 4;
      picture->pixels = malloc(size);
      if (JxlDecoderSetImageOutBuffer(decoder, &format, picture->pixels, size) != JXL_DEC_SUCCESS) break;
    } else {
      done = status == JXL_DEC_FULL_IMAGE;
      break;
    }
  }
  JxlDecoderDestroy(decoder);
  return done;
}

static int thumbnail(struct input input, struct picture *picture) {
  struct picture whole;
  struct cells cells;
  if (!full(input, &whole)) return 0;
  cells_begin(&cells, whole.width, whole.height, THUMBNAIL);
  for (size_t y = 0; y < whole.height; y++) cells_add(&cells, whole.pixels + y * whole.width * 4);
  free(whole.pixels);
  *picture = cells_end(&cells);
  return 1;
}

const struct floor_format jxl_floor = {.matches = matches, .full = full, .thumbnail = thumbnail, .all = NULL};
