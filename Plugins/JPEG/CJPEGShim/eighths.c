// SPDX-License-Identifier: Apache-2.0

#include "eighths.h"

#include <CJPEGEighths.h>

#include "source.h"

enum { BATCH = 16 };  // rows asked of the sink at a time
// Of fewer pixels, the tables of codes take longer than is saved. The fuzzer's files are small.
#ifdef FUZZING
enum { LEAST_PIXELS = 1 };
#else
enum { LEAST_PIXELS = 128 * 128 };
#endif

typedef struct input {
  eighths_input shown;
  decoder *decoder;
  uint64_t end;  // the offset of the byte behind those that are shown
} input;

static int more(eighths_input *shown) {
  input *input = shown->context;
  const uint64_t offset = input->end - (uint64_t)(shown->end - shown->next);
  const uint8_t *bytes = NULL;
  uint64_t length = 0;
  decoder_check_cancelled(input->decoder);
  // What cannot be read is libjpeg's to report, with the rows before it.
  if (source_look(input->decoder, offset, &bytes, &length) != IMGCODER_STATUS_OK) return 0;
  const int is_more = offset + length > input->end;
  shown->next = bytes;
  shown->end = bytes + length;
  input->end = offset + length;
  return is_more;
}

static eighths_format format_of(imgcoder_pixel_format format) {
  switch (format) {
    case IMGCODER_PIXEL_GRAY8: return EIGHTHS_GRAY;
    case IMGCODER_PIXEL_RGBA8: return EIGHTHS_RGBA;
    case IMGCODER_PIXEL_BGRA8: return EIGHTHS_BGRA;
    default: return EIGHTHS_RGB;
  }
}

static void deliver(decoder *decoder) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  const imgcoder_sink *sink = decoder->sink;
  const cjpeg_decode_options *options = decoder->options;
  const eighths_format format = format_of(options->pixel_format);
  uint32_t y = 0;
  while (y < options->part_height) {
    imgcoder_rows granted = {0};
    uint32_t count = options->part_height - y < BATCH ? options->part_height - y : BATCH;
    imgcoder_status status = sink->rows(sink, y, count, &granted);
    if (status != IMGCODER_STATUS_OK) failure_escape((j_common_ptr)cinfo, status);
    if (granted.count < count) count = granted.count;
    if (count == 0) return;
    for (uint32_t i = 0; i < count; i++) {
      const uint8_t *lines[EIGHTHS_CHANNELS];
      for (uint32_t channel = 0; channel < EIGHTHS_CHANNELS; channel++) {
        const int of = cinfo->num_components == 1 ? 0 : (int)channel;
        lines[channel] = eighths_line(decoder->eighths, (uint32_t)of, options->part_y + y + i) + options->part_x;
      }
      eighths_pixels(lines, options->part_width, cinfo->jpeg_color_space == JCS_YCbCr, format,
                     granted.pixels + i * granted.stride);
    }
    status = sink->done(sink, y, count, 0);
    if (status != IMGCODER_STATUS_OK) failure_escape((j_common_ptr)cinfo, status);
    y += count;
    decoder->failure.report->rows = y;
    decoder_check_cancelled(decoder);
  }
}

int eighths_deliver(decoder *decoder) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  const J_COLOR_SPACE stored = cinfo->jpeg_color_space;
  if ((uint64_t)cinfo->image_width * cinfo->image_height < LEAST_PIXELS) return 0;
  if (stored != JCS_GRAYSCALE && stored != JCS_YCbCr && stored != JCS_RGB) return 0;
  if (cinfo->out_color_space == JCS_GRAYSCALE && stored != JCS_GRAYSCALE) return 0;
  eighths_frame frame;
  const size_t bytes = eighths_describe(cinfo, &frame) ? eighths_bytes(&frame) : 0;
  if (bytes == 0) return 0;
  decoder->eighths = decoder->host->allocate(decoder->host, bytes, 0);
  if (!decoder->eighths || !eighths_make(decoder->eighths, &frame, 0)) return 0;
  const uint64_t start = source_position(decoder);
  input input = {.decoder = decoder, .end = start};
  input.shown = (eighths_input){.context = &input, .more = more};
  if (eighths_decode(decoder->eighths, &input.shown)) {
    deliver(decoder);
    return 1;
  }
  source_return(decoder, start);
  return 0;
}
