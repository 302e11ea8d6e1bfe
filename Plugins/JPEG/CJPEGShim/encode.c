// SPDX-License-Identifier: Apache-2.0

#include "destination.h"

#include <limits.h>
#include <string.h>

enum { BATCH = 16 };  // rows given to libjpeg at a time

// One encode in progress; nothing of it is in a local variable that a longjmp could lose.
typedef struct encoder {
  struct jpeg_compress_struct cinfo;
  failure failure;
  destination destination;
  struct jpeg_progress_mgr progress;
  const imgcoder_host *host;
  const imgcoder_output *output;
  const cjpeg_encode_options *options;
  const uint8_t *pixels;
  uint64_t stride;
} encoder;

// Called for every batch of rows, and in the passes that follow the last.
static void on_progress(j_common_ptr cinfo) {
  const struct jpeg_progress_mgr *progress = cinfo->progress;
  const imgcoder_host *host = ((encoder *)cinfo->client_data)->host;
  if (host->is_cancelled(host)) failure_escape(cinfo, IMGCODER_STATUS_CANCELLED);
  if (((encoder *)cinfo->client_data)->options->is_thumbnail) return;
  if (progress->pass_limit > 0 && progress->total_passes > 0) {
    double pass = (double)progress->pass_counter / (double)progress->pass_limit;
    host->progress(host, (progress->completed_passes + pass) / progress->total_passes);
  }
}

static void configure(encoder *encoder) {
  struct jpeg_compress_struct *cinfo = &encoder->cinfo;
  const cjpeg_encode_options *options = encoder->options;
  uint64_t memory = encoder->host->limits->max_memory;
  cinfo->mem->max_memory_to_use = memory < LONG_MAX ? (long)memory : LONG_MAX;
  cinfo->image_width = options->width;
  cinfo->image_height = options->height;
  cinfo->input_components = 4;
  switch (options->pixel_format) {
    case IMGCODER_PIXEL_GRAY8:
      cinfo->in_color_space = JCS_GRAYSCALE;
      cinfo->input_components = 1;
      break;
    case IMGCODER_PIXEL_RGBA8: cinfo->in_color_space = JCS_EXT_RGBX; break;
    case IMGCODER_PIXEL_BGRA8: cinfo->in_color_space = JCS_EXT_BGRX; break;
    default:
      cinfo->in_color_space = JCS_RGB;
      cinfo->input_components = 3;
  }
  if (encoder->stride < (uint64_t)options->width * (uint64_t)cinfo->input_components) {
    failure_escape((j_common_ptr)cinfo, IMGCODER_STATUS_INVALID_ARGUMENT);
  }
  jpeg_set_defaults(cinfo);
  jpeg_set_quality(cinfo, (int)options->quality, TRUE);
  cinfo->dct_method = JDCT_ISLOW;
  cinfo->optimize_coding = options->is_optimized != 0;
  cinfo->restart_in_rows = (int)options->restart_rows;
  if (cinfo->num_components == 3) {
    cinfo->comp_info[0].h_samp_factor = (int)options->horizontal;
    cinfo->comp_info[0].v_samp_factor = (int)options->vertical;
  }
  if (options->is_thumbnail) cinfo->write_JFIF_header = FALSE;
  if (options->is_progressive) jpeg_simple_progression(cinfo);
}

static void encode(encoder *encoder) {
  struct jpeg_compress_struct *cinfo = &encoder->cinfo;
  jpeg_create_compress(cinfo);
  cinfo->client_data = encoder;
  destination_begin(cinfo, &encoder->destination, encoder->host, encoder->output);
  encoder->progress.progress_monitor = on_progress;
  cinfo->progress = &encoder->progress;
  configure(encoder);
  jpeg_start_compress(cinfo, TRUE);
  // SOI and APP0, if any, are in the chunk; frame and scan headers follow with the first row.
  destination_write(cinfo, encoder->options->segments, encoder->options->segments_length);
  while (cinfo->next_scanline < cinfo->image_height) {
    JSAMPROW rows[BATCH];
    uint32_t rest = cinfo->image_height - cinfo->next_scanline, count = rest < BATCH ? rest : BATCH;
    const uint8_t *first = encoder->pixels + cinfo->next_scanline * encoder->stride;
    // libjpeg's type has no const, and it does not write to its input.
    for (uint32_t i = 0; i < count; i++) rows[i] = (JSAMPROW)(first + i * encoder->stride);
    jpeg_write_scanlines(cinfo, rows, count);
  }
  jpeg_finish_compress(cinfo);
}

static void run(encoder *encoder) {
  if (setjmp(encoder->failure.escape) == 0) encode(encoder);
}

imgcoder_status cjpeg_encode(const imgcoder_host *host, const imgcoder_output *output,
                             const cjpeg_encode_options *options, const uint8_t *pixels, uint64_t stride,
                             cjpeg_report *report) {
  encoder encoder;
  memset(&encoder, 0, sizeof encoder);
  encoder.host = host;
  encoder.output = output;
  encoder.options = options;
  encoder.pixels = pixels;
  encoder.stride = stride;
  encoder.cinfo.err = failure_begin(&encoder.failure, report, 0);
  run(&encoder);
  jpeg_destroy_compress(&encoder.cinfo);
  destination_end(&encoder.destination);
  return report->status;
}
