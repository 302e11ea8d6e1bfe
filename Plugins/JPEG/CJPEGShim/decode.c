// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "decoder.h"
#include "eighths.h"
#include "inks.h"
#include "opening.h"
#include "source.h"

enum { BATCH = 16 };    // rows asked of the sink at a time
enum { PREVIEWS = 4 };  // times that a picture is shown before all of its scans are there
enum { MARGIN = 2 };    // columns beside a part, so that chroma between columns is that of the whole picture
enum { SKIP = 1024 };   // rows that are left out before the host is asked whether it still waits

static void keep_frame(decoder *decoder) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  decoder->frame.width = cinfo->image_width;
  decoder->frame.height = cinfo->image_height;
  decoder->frame.precision = cinfo->data_precision;
  decoder->frame.components = cinfo->num_components;
  decoder->frame.is_progressive = cinfo->progressive_mode;
  decoder->frame.is_arithmetic = cinfo->arith_code;
}

static void restore_frame(decoder *decoder) {
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  cinfo->image_width = decoder->frame.width;
  cinfo->image_height = decoder->frame.height;
  cinfo->data_precision = decoder->frame.precision;
  cinfo->num_components = decoder->frame.components;
  cinfo->progressive_mode = decoder->frame.is_progressive;
  cinfo->arith_code = decoder->frame.is_arithmetic;
}

static J_COLOR_SPACE color_space(imgcoder_pixel_format format) {
  switch (format) {
    case IMGCODER_PIXEL_GRAY8: return JCS_GRAYSCALE;
    case IMGCODER_PIXEL_RGBA8: return JCS_EXT_RGBA;
    case IMGCODER_PIXEL_BGRA8: return JCS_EXT_BGRA;
    default: return JCS_RGB;
  }
}

static void configure(decoder *decoder) {
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  const cjpeg_decode_options *options = decoder->options;
  if (cinfo->image_width != options->width || cinfo->image_height != options->height) {
    snprintf(decoder->failure.report->message, sizeof decoder->failure.report->message,
             "frame header of %ux%u where %ux%u was read before", cinfo->image_width, cinfo->image_height,
             options->width, options->height);
    failure_escape((j_common_ptr)cinfo, IMGCODER_STATUS_MALFORMED);
  }
  cinfo->scale_num = options->eighths;
  cinfo->scale_denom = 8;
  cinfo->dct_method = JDCT_ISLOW;
  // Smoothing guesses at AC coefficients that a later scan brings; a small picture does not show them.
  cinfo->do_block_smoothing = options->eighths == 8;
  cinfo->out_color_space = color_space(options->pixel_format);
  if (cinfo->jpeg_color_space == JCS_CMYK || cinfo->jpeg_color_space == JCS_YCCK) cinfo->out_color_space = JCS_CMYK;
  if (options->is_inks && (cinfo->out_color_space != JCS_CMYK || options->pixel_format != IMGCODER_PIXEL_RGBA8)) {
    failure_escape((j_common_ptr)cinfo, IMGCODER_STATUS_INVALID_ARGUMENT);
  }
  jpeg_calc_output_dimensions(cinfo);
  if (cinfo->output_width != options->output_width || cinfo->output_height != options->output_height) {
    failure_escape((j_common_ptr)cinfo, IMGCODER_STATUS_INVALID_ARGUMENT);
  }
  if (options->part_width == 0 || options->part_height == 0 || options->part_x > cinfo->output_width ||
      options->part_width > cinfo->output_width - options->part_x || options->part_y > cinfo->output_height ||
      options->part_height > cinfo->output_height - options->part_y) {
    failure_escape((j_common_ptr)cinfo, IMGCODER_STATUS_INVALID_ARGUMENT);
  }
  if (cinfo->out_color_space == JCS_CMYK || options->part_width < cinfo->output_width) {
    const uint64_t row = (uint64_t)cinfo->output_width * (uint64_t)cinfo->out_color_components;
    decoder->lines = decoder->host->allocate(decoder->host, BATCH * row, 0);
    if (!decoder->lines) failure_escape((j_common_ptr)cinfo, IMGCODER_STATUS_OUT_OF_MEMORY);
  }
}

static void see_components(decoder *decoder) {
  for (int i = 0; i < decoder->cinfo.comps_in_scan; i++) {
    decoder->components_seen |= 1u << decoder->cinfo.cur_comp_info[i]->component_index;
  }
}

static void deliver(decoder *decoder);

// Shows the scans that are complete, while the next bytes are on their way. A file that comes slowly is shown again when
// its bytes have doubled, and PREVIEWS times at most: each time costs a sixth of what a decode costs.
static void show_scans(decoder *decoder) {
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  boolean smoothing = cinfo->do_block_smoothing;
  uint64_t position = source_position(decoder);
  int complete = cinfo->input_scan_number - 1;
  if (decoder->passes == PREVIEWS || complete < 1 || position < decoder->next_pass) return;
  // Smoothing takes as long as everything else, and is seen where all that is there are the blocks' means.
  cinfo->do_block_smoothing = smoothing && decoder->passes == 0;
  jpeg_start_output(cinfo, complete);
  deliver(decoder);
  jpeg_finish_output(cinfo);
  cinfo->do_block_smoothing = smoothing;
  decoder->passes += 1;
  decoder->next_pass = 2 * position;
}

// Reads the scans of a file that has several, into libjpeg's coefficients.
static void read_scans(decoder *decoder) {
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  see_components(decoder);
  for (;;) {
    int result = jpeg_consume_input(cinfo);
    if (result == JPEG_SUSPENDED) {
      show_scans(decoder);
      source_resume(decoder);
    }
    if (result == JPEG_REACHED_EOI || decoder->is_cut) return;
    if (result == JPEG_SCAN_COMPLETED) decoder->can_recover = 1;
    if (result == JPEG_REACHED_SOS) {
      see_components(decoder);
      if ((uint32_t)cinfo->input_scan_number > decoder->host->limits->max_scans) {
        decoder->excess_scans = (uint32_t)cinfo->input_scan_number;
        failure_escape((j_common_ptr)cinfo, IMGCODER_STATUS_LIMIT_EXCEEDED);
      }
    }
    decoder_check_cancelled(decoder);
  }
}

// Whether the scans so far hold every bit of every coefficient.
static int has_all_scans(const decoder *decoder) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  if (decoder->components_seen + 1 != 1u << cinfo->num_components) return 0;
  if (!cinfo->progressive_mode) return 1;
  for (int i = 0; i < cinfo->num_components; i++) {
    for (int k = 0; k < DCTSIZE2; k++) {
      if (cinfo->coef_bits[i][k] != 0) return 0;
    }
  }
  return 1;
}

// How many rows, from the top, hold what the file has for them.
static uint32_t usable_rows(const decoder *decoder) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  uint32_t rows;
  // After the first scan every row has something to show, if coarse.
  if (!decoder->is_cut || decoder->cut_scan > 1) return cinfo->output_height;
  rows = decoder->cut_row * (uint32_t)cinfo->max_v_samp_factor * decoder->options->eighths;
  // Upsampling blends the last row of an MCU row with the chroma of the next.
  if (rows > 0 && cinfo->max_v_samp_factor > 1) rows -= 1;
  return rows < cinfo->output_height ? rows : cinfo->output_height;
}

// Decodes up to BATCH rows to where the sink wants them.
static uint32_t read_rows(decoder *decoder, const imgcoder_rows *granted, uint32_t count) {
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  JSAMPROW rows[BATCH];
  uint32_t filled = 0;
  const uint64_t pixel = (uint64_t)cinfo->out_color_components;
  const uint32_t columns = decoder->options->part_width;
  uint64_t stride = decoder->lines ? cinfo->output_width * pixel : granted->stride;
  uint8_t *base = decoder->lines ? decoder->lines : granted->pixels;
  for (uint32_t i = 0; i < count; i++) rows[i] = base + i * stride;
  while (filled < count && cinfo->output_scanline < usable_rows(decoder)) {
    filled += jpeg_read_scanlines(cinfo, rows + filled, count - filled);
  }
  for (uint32_t i = 0; decoder->lines && i < filled; i++) {
    uint8_t *pixels = granted->pixels + i * granted->stride;
    const uint8_t *line = rows[i] + (decoder->options->part_x - decoder->first_column) * pixel;
    if (cinfo->out_color_space != JCS_CMYK) memcpy(pixels, line, columns * pixel);
    else if (decoder->options->is_inks) inks_to_amounts(line, pixels, columns);
    else inks_to_rgb(line, pixels, columns, decoder->options->pixel_format);
  }
  return filled;
}

// Goes to the first row of the part. What lies above it and beside it is read, and no pixels are made of it.
static void go_to_part(decoder *decoder) {
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  const cjpeg_decode_options *options = decoder->options;
  decoder->first_column = 0;
  // Where scans are missing, libjpeg guesses at coefficients by the blocks beside them.
  if (options->part_width < cinfo->output_width && (!cinfo->buffered_image || has_all_scans(decoder))) {
    const JDIMENSION right = cinfo->output_width - options->part_x - options->part_width;
    JDIMENSION first = options->part_x > MARGIN ? options->part_x - MARGIN : 0;
    JDIMENSION count = options->part_x - first + options->part_width + (right < MARGIN ? right : MARGIN);
    jpeg_crop_scanline(cinfo, &first, &count);
    decoder->first_column = first;
  }
  while (cinfo->output_scanline < options->part_y) {
    const JDIMENSION left = options->part_y - cinfo->output_scanline;
    if (jpeg_skip_scanlines(cinfo, left < SKIP ? left : SKIP) == 0) return;
    decoder_check_cancelled(decoder);
  }
}

// How many rows of the part, from its top, hold what the file has for them.
static uint32_t usable_part(const decoder *decoder) {
  const cjpeg_decode_options *options = decoder->options;
  const uint32_t rows = usable_rows(decoder);
  if (rows <= options->part_y) return 0;
  return rows - options->part_y < options->part_height ? rows - options->part_y : options->part_height;
}

static void deliver(decoder *decoder) {
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  const imgcoder_sink *sink = decoder->sink;
  uint32_t y = 0, usable;
  go_to_part(decoder);
  while (y < (usable = usable_part(decoder))) {
    imgcoder_rows granted = {0};
    uint32_t count = usable - y < BATCH ? usable - y : BATCH;
    imgcoder_status status = sink->rows(sink, y, count, &granted);
    if (status != IMGCODER_STATUS_OK) failure_escape((j_common_ptr)cinfo, status);
    count = read_rows(decoder, &granted, granted.count < count ? granted.count : count);
    usable = usable_part(decoder);
    if (usable <= y) return;
    if (count > usable - y) count = usable - y;
    if (count == 0) return;
    status = sink->done(sink, y, count, decoder->passes);
    if (status != IMGCODER_STATUS_OK) failure_escape((j_common_ptr)cinfo, status);
    y += count;
    decoder->failure.report->rows = y;
    decoder_check_cancelled(decoder);
  }
}

static void conclude(decoder *decoder, int is_complete) {
  cjpeg_report *report = decoder->failure.report;
  const imgcoder_host *host = decoder->host;
  if (decoder->is_corrupt) {
    report->status = IMGCODER_STATUS_MALFORMED;
  } else if (decoder->excess_scans > 0) {
    report->status = IMGCODER_STATUS_LIMIT_EXCEEDED;
    report->scans = decoder->excess_scans;
  } else if (decoder->is_cut || (decoder->has_ended && !is_complete)) {
    report->status = IMGCODER_STATUS_TRUNCATED;
    report->offset = (int64_t)decoder->source->size;
  } else if (decoder->has_ended) {
    static const char text[] = "the source ends without an EOI marker, after all of the picture";
    host->log(host, IMGCODER_LOG_WARNING, (imgcoder_string){text, sizeof text - 1});
  }
}

static void decode(decoder *decoder) {
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  decoder_begin(decoder);
  keep_frame(decoder);
  configure(decoder);
  cinfo->buffered_image = jpeg_has_multiple_scans(cinfo);
  if (decoder->options->eighths == 1 && !cinfo->buffered_image && !decoder->options->is_incremental && eighths_deliver(decoder)) return;
  // Looking for scans that are not needed would wait for the last byte.
  if (cinfo->progressive_mode && decoder->options->eighths == 1 && !decoder->options->is_incremental) source_skip_unused_scans(decoder);
  jpeg_start_decompress(cinfo);
  // libjpeg's arithmetic decoder cannot stop where bytes are missing.
  decoder->may_suspend = cinfo->buffered_image && decoder->options->is_incremental && !cinfo->arith_code;
  if (!cinfo->buffered_image) {
    deliver(decoder);
    conclude(decoder, 1);
  } else {
    read_scans(decoder);
    decoder->may_suspend = 0;
    decoder->can_recover = 0;
    jpeg_start_output(cinfo, cinfo->input_scan_number);
    deliver(decoder);
    conclude(decoder, has_all_scans(decoder));
  }
}

// Shows what complete scans hold when the bytes after them cannot be read, or are too many; the error stands.
static void recover(decoder *decoder) {
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  imgcoder_status status = decoder->failure.report->status;
  decoder->can_recover = 0;
  restore_frame(decoder);
  // Smoothing looks ahead into scans that cannot be read.
  cinfo->do_block_smoothing = FALSE;
  // Of one scan too many, libjpeg knows the header.
  jpeg_start_output(cinfo, cinfo->input_scan_number - (decoder->excess_scans > 0 ? 1 : 0));
  deliver(decoder);
  decoder->failure.report->status = status;
}

// A function of its own, because a jump back leaves the locals of the function with setjmp undefined.
static void run(decoder *decoder) {
  cjpeg_report *report = decoder->failure.report;
  if (setjmp(decoder->failure.escape) == 0) {
    decode(decoder);
    return;
  }
  if (decoder->excess_scans > 0) report->scans = decoder->excess_scans;
  if (report->status == IMGCODER_STATUS_MALFORMED && report->offset < 0) {
    // Tables that end early are read to their end out of EOI markers, and rarely make sense then.
    if (decoder->has_ended) report->status = IMGCODER_STATUS_TRUNCATED;
    report->offset = (int64_t)source_position(decoder);
  }
  // After a scan, a marker that this library does not know is damage, not a feature.
  if (decoder->can_recover && report->status == IMGCODER_STATUS_UNSUPPORTED) {
    report->status = IMGCODER_STATUS_MALFORMED;
    report->offset = (int64_t)source_position(decoder);
  }
  // A second jump comes back here, with can_recover off.
  if (decoder->can_recover &&
      (decoder->excess_scans > 0 || report->status >> 4 == IMGCODER_STATUS_MALFORMED >> 4)) {
    recover(decoder);
  }
}

imgcoder_status cjpeg_decode(const imgcoder_host *host, const imgcoder_source *source, const imgcoder_sink *sink,
                             const cjpeg_decode_options *options, cjpeg_report *report) {
  decoder decoder;
  memset(&decoder, 0, sizeof decoder);
  decoder.host = host;
  decoder.source = source;
  decoder.sink = sink;
  decoder.options = options;
  decoder.height[0] = (uint8_t)(options->height >> 8);
  decoder.height[1] = (uint8_t)options->height;
  decoder.cinfo.err = failure_begin(&decoder.failure, report, 1);
  run(&decoder);
  jpeg_destroy_decompress(&decoder.cinfo);
  host->free(host, decoder.lines);
  host->free(host, decoder.skips);
  host->free(host, decoder.eighths);
  return report->status;
}
