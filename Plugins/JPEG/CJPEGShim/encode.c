// SPDX-License-Identifier: Apache-2.0

#include "destination.h"
#include "gray.h"
#include "plain.h"
#include "small.h"

#include <limits.h>
#include <string.h>

enum { BATCH = 16 };  // rows given to libjpeg at a time

// One encode in progress. What libjpeg jumps out of is in memory that a jump cannot lose.
struct cjpeg_encoder {
  struct jpeg_compress_struct cinfo;
  failure failure;
  destination destination;
  struct jpeg_progress_mgr progress;
  recoder recoder;  // where a file gets tables of its own
  small_picture small;
  gray_rows gray;
  const imgcoder_host *host;
  const imgcoder_output *output;
  cjpeg_encode_options options;
  uint8_t *segments;  // of the options, while rows are kept
};

static int is_small(const cjpeg_encoder *encoder) { return encoder->options.effort == CJPEG_EFFORT_SMALL; }

// Called for every batch of rows, and in the passes that follow the last.
static void on_progress(j_common_ptr cinfo) {
  const struct jpeg_progress_mgr *progress = cinfo->progress;
  const imgcoder_host *host = ((cjpeg_encoder *)cinfo->client_data)->host;
  if (host->is_cancelled(host)) failure_escape(cinfo, IMGCODER_STATUS_CANCELLED);
  // While files are tried, nobody knows how many passes will follow.
  if (((cjpeg_encoder *)cinfo->client_data)->options.is_thumbnail || is_small(cinfo->client_data)) return;
  if (progress->pass_limit > 0 && progress->total_passes > 0) {
    double pass = (double)progress->pass_counter / (double)progress->pass_limit;
    double done = (progress->completed_passes + pass) / progress->total_passes;
    // Giving the file its tables takes as long as the rest of an encode.
    host->progress(host, ((cjpeg_encoder *)cinfo->client_data)->destination.recoder ? done / 2 : done);
  }
}

// While levels are chosen.
static void on_levels(j_common_ptr cinfo, double done) {
  const imgcoder_host *host = ((cjpeg_encoder *)cinfo->client_data)->host;
  if (host->is_cancelled(host)) failure_escape(cinfo, IMGCODER_STATUS_CANCELLED);
  host->progress(host, done);
}

// Tables of our own for each channel, in place of those of T.81 annex K.
static void set_tables(j_compress_ptr cinfo, const cjpeg_encode_options *options) {
  const double quality = tuning_quality(options->quality, options->effort == CJPEG_EFFORT_SMALL);
  const tuning tuning = tuning_for(quality);
  for (int i = 0; i < cinfo->num_components; i++) {
    uint32_t steps[DCTSIZE2];
    unsigned int table[DCTSIZE2];
    tuning_steps(&tuning, quality, i, steps);
    for (int k = 0; k < DCTSIZE2; k++) table[k] = steps[k];
    jpeg_add_quant_table(cinfo, i, table, 100, TRUE);
    cinfo->comp_info[i].quant_tbl_no = i;
  }
}

static void configure(j_compress_ptr cinfo) {
  const cjpeg_encoder *encoder = cinfo->client_data;
  const cjpeg_encode_options *options = &encoder->options;
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
  jpeg_set_defaults(cinfo);
  if (options->effort == CJPEG_EFFORT_FAST) jpeg_set_quality(cinfo, (int)(options->quality + 0.5), TRUE);
  else set_tables(cinfo, options);
  cinfo->dct_method = JDCT_ISLOW;
  cinfo->restart_in_rows = (int)options->restart_rows;
  if (cinfo->num_components == 3) {
    cinfo->comp_info[0].h_samp_factor = (int)options->horizontal;
    cinfo->comp_info[0].v_samp_factor = (int)options->vertical;
  }
  if (options->density_x != 0) {
    cinfo->density_unit = (UINT8)options->density_unit;
    cinfo->X_density = (UINT16)options->density_x;
    cinfo->Y_density = (UINT16)options->density_y;
  }
  if (options->is_thumbnail) cinfo->write_JFIF_header = FALSE;
  if (options->is_progressive) jpeg_simple_progression(cinfo);
}

// SOI and APP0, as libjpeg writes them, and the segments; the rest of the file comes after the last row.
static void begin_small(cjpeg_encoder *encoder) {
  struct jpeg_compress_struct *cinfo = &encoder->cinfo;
  const uint8_t start[] = {
      0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 1, cinfo->density_unit, (uint8_t)(cinfo->X_density >> 8),
      (uint8_t)cinfo->X_density, (uint8_t)(cinfo->Y_density >> 8), (uint8_t)cinfo->Y_density, 0, 0};
  cinfo->dest->init_destination(cinfo);
  destination_write(cinfo, start, sizeof start);
  destination_write(cinfo, encoder->options.segments, encoder->options.segments_length);
}

// The header of the file that libjpeg writes; frame and scan headers follow with the first row.
static void begin_file(cjpeg_encoder *encoder) {
  struct jpeg_compress_struct *cinfo = &encoder->cinfo;
  // Progressive files have tables of their own in any case.
  const int is_recoded = encoder->options.is_optimized && !encoder->options.is_progressive;
  if (is_recoded) plain_set_tables(cinfo);
  jpeg_start_compress(cinfo, TRUE);
  // SOI and APP0, if any, are in the chunk.
  destination_write(cinfo, encoder->options.segments, encoder->options.segments_length);
  encoder->recoder.host = encoder->host;
  encoder->recoder.most_pieces = 3 + encoder->options.counted_bytes / PIECE;
  if (is_recoded) encoder->destination.recoder = &encoder->recoder;
}

// Whether rows are kept for now.
static int begin_gray(cjpeg_encoder *encoder) {
  cjpeg_encode_options *options = &encoder->options;
  const imgcoder_host *host = encoder->host;
  if (options->effort == CJPEG_EFFORT_DEFAULT) gray_begin(&encoder->gray, host, options);
  if (!encoder->gray.samples) return 0;
  // The segments are the caller's, and the file begins when its channels are known.
  encoder->segments = host->allocate(host, options->segments_length + 1, 0);
  if (!encoder->segments) failure_escape((j_common_ptr)&encoder->cinfo, IMGCODER_STATUS_OUT_OF_MEMORY);
  if (options->segments_length > 0) memcpy(encoder->segments, options->segments, options->segments_length);
  options->segments = encoder->segments;
  return 1;
}

static void begin(cjpeg_encoder *encoder) {
  struct jpeg_compress_struct *cinfo = &encoder->cinfo;
  jpeg_create_compress(cinfo);
  cinfo->client_data = encoder;
  destination_begin(cinfo, &encoder->destination, encoder->host, encoder->output);
  encoder->progress.progress_monitor = on_progress;
  cinfo->progress = &encoder->progress;
  configure(cinfo);
  if (is_small(encoder)) begin_small(encoder);
  else if (!begin_gray(encoder)) begin_file(encoder);
}

static void write_rows(j_compress_ptr cinfo, const uint8_t *pixels, uint64_t stride, uint32_t count) {
  const JDIMENSION first = cinfo->next_scanline;
  for (uint32_t done = 0; done < count; done = cinfo->next_scanline - first) {
    JSAMPROW rows[BATCH];
    uint32_t batch = count - done < BATCH ? count - done : BATCH;
    // libjpeg's type has no const, and it does not write to its input.
    for (uint32_t i = 0; i < batch; i++) rows[i] = (JSAMPROW)(pixels + (done + i) * stride);
    jpeg_write_scanlines(cinfo, rows, batch);
  }
}

// Begins the file and writes the rows that were kept, as gray or as the colors that they came as.
static void end_gray(cjpeg_encoder *encoder, int is_gray) {
  struct jpeg_compress_struct *cinfo = &encoder->cinfo;
  gray_rows *gray = &encoder->gray;
  if (is_gray) {
    encoder->options.pixel_format = IMGCODER_PIXEL_GRAY8;
    configure(cinfo);
  }
  begin_file(encoder);
  if (is_gray) {
    write_rows(cinfo, gray->samples, gray->width, gray->count);
  } else {
    // libjpeg frees it with the rest of its memory.
    JSAMPROW row = cinfo->mem->alloc_large((j_common_ptr)cinfo, JPOOL_IMAGE, (size_t)gray->width * gray->bytes);
    for (uint32_t y = 0; y < gray->count; y++) {
      gray_pixels(gray, y, row);
      jpeg_write_scanlines(cinfo, &row, 1);
    }
  }
  gray_free(gray);
}

static void finish(cjpeg_encoder *encoder) {
  if (is_small(encoder)) {
    if (encoder->small.planes.next < encoder->options.height) {
      failure_escape((j_common_ptr)&encoder->cinfo, IMGCODER_STATUS_OUT_OF_ORDER);
    }
    if (encoder->options.may_be_gray && planes_are_gray(&encoder->small.planes)) {
      encoder->small.planes.count = 1;
      encoder->options.pixel_format = IMGCODER_PIXEL_GRAY8;
    }
    small_write(&encoder->small, &encoder->cinfo, &encoder->options, configure, on_levels, encoder->output);
    return;
  }
  if (encoder->gray.samples) end_gray(encoder, encoder->gray.count == encoder->options.height);
  jpeg_finish_compress(&encoder->cinfo);
  if (!encoder->destination.recoder) return;
  imgcoder_status status = recode_write(&encoder->recoder, encoder->output);
  if (status != IMGCODER_STATUS_OK) failure_escape((j_common_ptr)&encoder->cinfo, status);
}

// The row that comes next.
static JDIMENSION next_row(const cjpeg_encoder *encoder) {
  if (encoder->gray.samples) return encoder->gray.count;
  return is_small(encoder) ? encoder->small.planes.next : encoder->cinfo.next_scanline;
}

static void add(cjpeg_encoder *encoder, const uint8_t *pixels, uint64_t stride, uint32_t count) {
  struct jpeg_compress_struct *cinfo = &encoder->cinfo;
  const JDIMENSION next = next_row(encoder);
  if (stride < (uint64_t)cinfo->image_width * (uint64_t)cinfo->input_components || count > cinfo->image_height - next) {
    failure_escape((j_common_ptr)cinfo, IMGCODER_STATUS_INVALID_ARGUMENT);
  }
  if (is_small(encoder)) {
    if (next == 0) small_begin(&encoder->small, cinfo, encoder->host, &encoder->options);
    for (uint32_t i = 0; i < count; i++) planes_add(&encoder->small.planes, pixels + i * stride);
    return;
  }
  for (; encoder->gray.samples && count > 0; pixels += stride, count--) {
    if (encoder->host->is_cancelled(encoder->host)) failure_escape((j_common_ptr)cinfo, IMGCODER_STATUS_CANCELLED);
    if (gray_keep(&encoder->gray, pixels)) continue;
    end_gray(encoder, 0);
    break;
  }
  write_rows(cinfo, pixels, stride, count);
}

imgcoder_status cjpeg_encode_begin(const imgcoder_host *host, const imgcoder_output *output,
                                   const cjpeg_encode_options *options, cjpeg_encoder **result,
                                   cjpeg_report *report) {
  memset(report, 0, sizeof *report);
  report->offset = -1;
  *result = NULL;
  cjpeg_encoder *encoder = host->allocate(host, sizeof *encoder, 0);
  if (encoder == NULL) return report->status = IMGCODER_STATUS_OUT_OF_MEMORY;
  memset(encoder, 0, sizeof *encoder);
  encoder->host = host;
  encoder->output = output;
  encoder->options = *options;
  encoder->cinfo.err = failure_begin(&encoder->failure, report, 0);
  if (setjmp(encoder->failure.escape) == 0) begin(encoder);
  // The segments are the caller's, and written or copied.
  encoder->options.segments = encoder->segments;
  *result = encoder;
  return report->status;
}

imgcoder_status cjpeg_encode_add(cjpeg_encoder *encoder, const uint8_t *pixels, uint64_t stride, uint32_t count,
                                 cjpeg_report *report) {
  encoder->cinfo.err = failure_begin(&encoder->failure, report, 0);
  if (setjmp(encoder->failure.escape) == 0) add(encoder, pixels, stride, count);
  return report->status;
}

imgcoder_status cjpeg_encode_end(cjpeg_encoder *encoder, cjpeg_report *report) {
  encoder->cinfo.err = failure_begin(&encoder->failure, report, 0);
  if (setjmp(encoder->failure.escape) == 0) finish(encoder);
  return report->status;
}

void cjpeg_encode_free(cjpeg_encoder *encoder) {
  if (encoder == NULL) return;
  small_free(&encoder->small);
  gray_free(&encoder->gray);
  if (encoder->segments) encoder->host->free(encoder->host, encoder->segments);
  jpeg_destroy_compress(&encoder->cinfo);
  destination_end(&encoder->destination);
  if (encoder->recoder.host) recode_free(&encoder->recoder);
  encoder->host->free(encoder->host, encoder);
}
