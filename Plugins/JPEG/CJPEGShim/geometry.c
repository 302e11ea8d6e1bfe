// SPDX-License-Identifier: Apache-2.0

#include <limits.h>
#include <string.h>

#include "destination.h"
#include "opening.h"

// One change in progress; nothing of it is in a local variable that a longjmp could lose.
typedef struct change {
  decoder decoder;
  struct jpeg_progress_mgr reading;
  struct jpeg_compress_struct cinfo;
  failure failure;
  destination destination;
  const imgcoder_output *output;
  const cjpeg_geometry *geometry;
  cjpeg_decode_options options;
  jvirt_barray_ptr turned[MAX_COMPONENTS];
} change;

// Reading coefficients is one call of libjpeg's: scans are counted here, and cancelling is seen.
static void on_progress(j_common_ptr cinfo) {
  decoder *decoder = cinfo->client_data;
  const imgcoder_host *host = decoder->host;
  if (host->is_cancelled(host)) failure_escape(cinfo, IMGCODER_STATUS_CANCELLED);
  if ((uint32_t)decoder->cinfo.input_scan_number > host->limits->max_scans) {
    decoder->failure.report->scans = (uint32_t)decoder->cinfo.input_scan_number;
    failure_escape(cinfo, IMGCODER_STATUS_LIMIT_EXCEEDED);
  }
}

static JDIMENSION divided_up(JDIMENSION value, JDIMENSION divisor) { return (value + divisor - 1) / divisor; }

// Blocks of one channel that a side of the picture takes.
static JDIMENSION blocks(JDIMENSION side, int factor, int largest) {
  return divided_up(side * (JDIMENSION)factor, (JDIMENSION)largest * DCTSIZE);
}

// A channel that stands alone is stored block by block, whatever its factors are (T.81 A.2.2).
static void simplify_factors(j_compress_ptr cinfo) {
  if (cinfo->num_components != 1) return;
  cinfo->comp_info[0].h_samp_factor = 1;
  cinfo->comp_info[0].v_samp_factor = 1;
}

static void transpose_tables(j_compress_ptr cinfo) {
  for (int i = 0; i < NUM_QUANT_TBLS; i++) {
    JQUANT_TBL *table = cinfo->quant_tbl_ptrs[i];
    if (!table) continue;
    for (int v = 0; v < DCTSIZE; v++) {
      for (int u = 0; u < v; u++) {
        UINT16 value = table->quantval[v * DCTSIZE + u];
        table->quantval[v * DCTSIZE + u] = table->quantval[u * DCTSIZE + v];
        table->quantval[u * DCTSIZE + v] = value;
      }
    }
  }
}

static void transpose_factors(j_compress_ptr cinfo) {
  for (int i = 0; i < cinfo->num_components; i++) {
    jpeg_component_info *channel = &cinfo->comp_info[i];
    int factor = channel->h_samp_factor;
    channel->h_samp_factor = channel->v_samp_factor;
    channel->v_samp_factor = factor;
  }
}

// The new file has the old one's tables and channels, turned.
static void configure(change *change) {
  struct jpeg_decompress_struct *old = &change->decoder.cinfo;
  struct jpeg_compress_struct *cinfo = &change->cinfo;
  const cjpeg_geometry *geometry = change->geometry;
  jpeg_create_compress(cinfo);
  cinfo->client_data = change;
  destination_begin(cinfo, &change->destination, change->decoder.host, change->output);
  jpeg_copy_critical_parameters(old, cinfo);
  simplify_factors(cinfo);
  cinfo->image_width = geometry->is_transposed ? geometry->height : geometry->width;
  cinfo->image_height = geometry->is_transposed ? geometry->width : geometry->height;
  if (geometry->is_transposed) {
    transpose_factors(cinfo);
    transpose_tables(cinfo);
  }
  // The header segments are given, with those that libjpeg would write.
  cinfo->write_JFIF_header = FALSE;
  cinfo->write_Adobe_marker = FALSE;
  cinfo->optimize_coding = TRUE;
  if (old->progressive_mode) jpeg_simple_progression(cinfo);
}

static int largest_factor(const struct jpeg_compress_struct *cinfo, int is_vertical) {
  int largest = 1;
  for (int i = 0; i < cinfo->num_components; i++) {
    int factor = is_vertical ? cinfo->comp_info[i].v_samp_factor : cinfo->comp_info[i].h_samp_factor;
    if (factor > largest) largest = factor;
  }
  return largest;
}

typedef struct channel {
  JDIMENSION columns, rows;  // blocks of the new picture
  JDIMENSION padded_rows;    // libjpeg reads whole MCU rows
  JDIMENSION left, top;      // of the part in the old picture, blocks
} channel;

static channel channel_of(const change *change, int index) {
  const struct jpeg_compress_struct *cinfo = &change->cinfo;
  const jpeg_component_info *info = &cinfo->comp_info[index];
  const cjpeg_geometry *geometry = change->geometry;
  int widest = largest_factor(cinfo, 0), tallest = largest_factor(cinfo, 1);
  int h = info->h_samp_factor, v = info->v_samp_factor;
  channel channel;
  channel.columns = blocks(cinfo->image_width, h, widest);
  channel.rows = blocks(cinfo->image_height, v, tallest);
  channel.padded_rows = divided_up(channel.rows, (JDIMENSION)v) * (JDIMENSION)v;
  if (geometry->is_transposed) {
    channel.left = blocks(geometry->x, v, tallest);
    channel.top = blocks(geometry->y, h, widest);
  } else {
    channel.left = blocks(geometry->x, h, widest);
    channel.top = blocks(geometry->y, v, tallest);
  }
  return channel;
}

// The arrays are made together with libjpeg's own, before it reads.
static void request_arrays(change *change) {
  j_common_ptr old = (j_common_ptr)&change->decoder.cinfo;
  for (int i = 0; i < change->cinfo.num_components; i++) {
    channel channel = channel_of(change, i);
    change->turned[i] = old->mem->request_virt_barray(old, JPOOL_IMAGE, TRUE, channel.columns, channel.padded_rows,
                                                      channel.padded_rows);
  }
}

// A mirrored block has the signs of its odd frequencies in that direction turned round; a transposed one has rows for
// columns.
static void turn_block(const JCOEF *from, JCOEF *to, const cjpeg_geometry *geometry) {
  for (int v = 0; v < DCTSIZE; v++) {
    for (int u = 0; u < DCTSIZE; u++) {
      int is_negated = (geometry->mirrors_columns & (uint32_t)u & 1) ^ (geometry->mirrors_rows & (uint32_t)v & 1);
      JCOEF value = geometry->is_transposed ? from[u * DCTSIZE + v] : from[v * DCTSIZE + u];
      to[v * DCTSIZE + u] = (JCOEF)(is_negated ? -value : value);
    }
  }
}

static void turn_channel(change *change, int index, jvirt_barray_ptr old) {
  j_common_ptr cinfo = (j_common_ptr)&change->decoder.cinfo;
  const cjpeg_geometry *geometry = change->geometry;
  channel channel = channel_of(change, index);
  JBLOCKARRAY to = cinfo->mem->access_virt_barray(cinfo, change->turned[index], 0, channel.padded_rows, TRUE);
  JDIMENSION columns = geometry->is_transposed ? channel.rows : channel.columns;
  JDIMENSION rows = geometry->is_transposed ? channel.columns : channel.rows;
  for (JDIMENSION y = 0; y < rows; y++) {
    JBLOCKROW from = cinfo->mem->access_virt_barray(cinfo, old, channel.top + y, 1, FALSE)[0] + channel.left;
    for (JDIMENSION x = 0; x < columns; x++) {
      JDIMENSION column = geometry->is_transposed ? y : x, row = geometry->is_transposed ? x : y;
      if (geometry->mirrors_columns) column = channel.columns - 1 - column;
      if (geometry->mirrors_rows) row = channel.rows - 1 - row;
      turn_block(from[x], to[row][column], geometry);
    }
  }
}

// Coefficients that are damaged or missing are no picture to keep.
static void check_whole(const decoder *decoder) {
  cjpeg_report *report = decoder->failure.report;
  if (decoder->is_corrupt) failure_escape((j_common_ptr)&decoder->cinfo, IMGCODER_STATUS_MALFORMED);
  if (!decoder->is_cut) return;
  report->offset = (int64_t)decoder->source->size;
  failure_escape((j_common_ptr)&decoder->cinfo, IMGCODER_STATUS_TRUNCATED);
}

static void apply(change *change) {
  struct jpeg_decompress_struct *old = &change->decoder.cinfo;
  const cjpeg_geometry *geometry = change->geometry;
  jvirt_barray_ptr *arrays;
  change->options = (cjpeg_decode_options){.eighths = DCTSIZE, .height_place = geometry->height_place};
  change->decoder.options = &change->options;
  change->decoder.height[0] = (uint8_t)(geometry->stored_height >> 8);
  change->decoder.height[1] = (uint8_t)geometry->stored_height;
  decoder_begin(&change->decoder);
  if (geometry->width > old->image_width || geometry->x > old->image_width - geometry->width ||
      geometry->height > old->image_height || geometry->y > old->image_height - geometry->height) {
    failure_escape((j_common_ptr)old, IMGCODER_STATUS_INVALID_ARGUMENT);
  }
  change->reading.progress_monitor = on_progress;
  old->progress = &change->reading;
  configure(change);
  request_arrays(change);
  arrays = jpeg_read_coefficients(old);
  check_whole(&change->decoder);
  for (int i = 0; i < change->cinfo.num_components; i++) turn_channel(change, i, arrays[i]);
  jpeg_write_coefficients(&change->cinfo, change->turned);
  destination_write(&change->cinfo, geometry->segments, geometry->segments_length);
  jpeg_finish_compress(&change->cinfo);
}

static void run(change *change) {
  if (setjmp(change->decoder.failure.escape) == 0 && setjmp(change->failure.escape) == 0) apply(change);
}

imgcoder_status cjpeg_change_geometry(const imgcoder_host *host, const imgcoder_source *source,
                                      const imgcoder_output *output, const cjpeg_geometry *geometry,
                                      cjpeg_report *report) {
  change change;
  memset(&change, 0, sizeof change);
  change.decoder.host = host;
  change.decoder.source = source;
  change.output = output;
  change.geometry = geometry;
  change.cinfo.err = failure_begin(&change.failure, report, 0);
  change.decoder.cinfo.err = failure_begin(&change.decoder.failure, report, 1);
  run(&change);
  // The new file's arrays belong to the old one's memory, so it goes last.
  jpeg_destroy_compress(&change.cinfo);
  jpeg_destroy_decompress(&change.decoder.cinfo);
  destination_end(&change.destination);
  host->free(host, change.decoder.skips);
  return report->status;
}
