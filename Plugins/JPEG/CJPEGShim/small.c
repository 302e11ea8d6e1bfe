// SPDX-License-Identifier: Apache-2.0

#include "small.h"

#include <string.h>

// How the coefficients of luma are told apart. DC of luma has a scan of its own, in the order of rows and not of MCUs.
typedef enum script {
  WHOLE,        // one scan: the least for small files
  BANDS,        // low frequencies, middle ones, high ones: the least for most
  APPROXIMATE,  // the last bit of middle and high ones later, and bands of chroma: the least for large files
  SEQUENTIAL,   // one scan for everything
} script;

// Bits for a pixel up to which WHOLE may be the least, and from which on APPROXIMATE may be.
static const double whole_up_to = 0.9, approximate_from = 1.0;

enum { MOST_SCANS = 11 };

void small_begin(small_picture *small, j_compress_ptr cinfo, const imgcoder_host *host,
                 const cjpeg_encode_options *options) {
  // Two bytes for each sample, and two for its coefficient.
  const uint64_t luma = (uint64_t)options->width * options->height;
  const uint64_t chroma = options->pixel_format == IMGCODER_PIXEL_GRAY8 ? 0 : luma / (options->horizontal * options->vertical);
  if ((luma + 2 * chroma) * 4 > host->limits->max_memory) {
    strcpy(((failure *)cinfo->err)->report->message, "a whole picture");
    failure_escape((j_common_ptr)cinfo, IMGCODER_STATUS_LIMIT_EXCEEDED);
  }
  imgcoder_status status = planes_begin(&small->planes, host, options);
  if (status != IMGCODER_STATUS_OK) failure_escape((j_common_ptr)cinfo, status);
  small->tuning = tuning_for(tuning_quality(options->quality, 1));
  for (uint32_t i = 0; i < small->planes.count; i++) {
    levels_channel *channel = &small->channel[i];
    const jpeg_component_info *info = &cinfo->comp_info[i];
    const plane *plane = &small->planes.plane[i];
    channel->plane = plane;
    channel->mask = i == 0 ? small->tuning.mask : small->tuning.chroma_mask;
    channel->lambda = i == 0 ? small->tuning.lambda : small->tuning.chroma_lambda;
    for (int k = 0; k < DCTSIZE2; k++) channel->steps[k] = cinfo->quant_tbl_ptrs[info->quant_tbl_no]->quantval[k];
    channel->busyness = host->allocate(host, (uint64_t)plane->columns * plane->rows * sizeof(float), 0);
    if (!channel->busyness) failure_escape((j_common_ptr)cinfo, IMGCODER_STATUS_OUT_OF_MEMORY);
    // libjpeg asks for as many rows at once as an MCU has; those after the last are never written.
    const JDIMENSION tall = (JDIMENSION)info->v_samp_factor;
    small->blocks[i] = cinfo->mem->request_virt_barray(
        (j_common_ptr)cinfo, JPOOL_IMAGE, TRUE, plane->columns, (plane->rows + tall - 1) / tall * tall, tall);
  }
  cinfo->mem->realize_virt_arrays((j_common_ptr)cinfo);
}

static void choose_levels(small_picture *small, j_compress_ptr cinfo, small_visit *visit) {
  enum { PASSES = 2 };
  uint32_t visited = 0, total = 0;
  for (uint32_t i = 0; i < small->planes.count; i++) total += PASSES * small->channel[i].plane->rows;
  memset(small->counts, 0, sizeof small->counts);
  for (int pass = 0; pass < PASSES; pass++) {
    levels_bits bits[2];
    if (pass == 1) {
      for (int i = 0; i < 2; i++) bits[i] = levels_bits_of(&small->counts[i]);
    }
    for (uint32_t i = 0; i < small->planes.count; i++) {
      const levels_channel *channel = &small->channel[i];
      for (uint32_t row = 0; row < channel->plane->rows; row++) {
        // Files are tried in about as much time.
        visit((j_common_ptr)cinfo, 0.5 * visited++ / total);
        if (pass == 0) {
          levels_measure(channel, row, &small->counts[i > 0]);
          continue;
        }
        JBLOCKARRAY blocks = cinfo->mem->access_virt_barray((j_common_ptr)cinfo, small->blocks[i], row, 1, TRUE);
        levels_choose(channel, row, &bits[i > 0], blocks[0]);
      }
    }
  }
}

// Scans of one channel, a band of frequencies each.
//   ends  the last frequency of each band; the last end is that of the block
//   low   bits that the scans of the bands from the third on leave out
static int add_bands(int channel, const int *ends, int low, jpeg_scan_info *scans) {
  int count = 0, first = 1;
  for (; first < DCTSIZE2; first = *ends++ + 1, count++) {
    scans[count] = (jpeg_scan_info){1, {channel}, first, *ends, 0, first > 2 ? low : 0};
  }
  return count;
}

static int make_script(script script, int channels, jpeg_scan_info *scans) {
  enum { LAST = DCTSIZE2 - 1 };
  static const int whole[] = {LAST}, halves[] = {2, LAST}, bands[] = {1, 2, 8, LAST};
  const int low = script == APPROXIMATE;
  int count = 0;
  scans[count++] = (jpeg_scan_info){1, {0}, 0, 0, 0, 0};
  if (channels == 3) scans[count++] = (jpeg_scan_info){2, {1, 2}, 0, 0, 0, 0};
  count += add_bands(0, script == WHOLE ? whole : bands, low, scans + count);
  if (low) scans[count++] = (jpeg_scan_info){1, {0}, 3, LAST, 1, 0};
  for (int i = 1; i < channels; i++) count += add_bands(i, low ? halves : whole, 0, scans + count);
  return count;
}

// Writes a file and keeps it if it is the smallest.
static void try_script(small_picture *small, j_compress_ptr cinfo, script script,
                       void (*configure)(j_compress_ptr cinfo)) {
  jpeg_scan_info scans[MOST_SCANS];
  struct jpeg_compress_struct *trial = &small->trial;
  trial->err = cinfo->err;
  jpeg_create_compress(trial);
  trial->client_data = cinfo->client_data;
  kept_begin(trial, &small->files[1], small->planes.host);
  configure(trial);
  trial->write_JFIF_header = FALSE;
  trial->num_scans = 0;
  trial->scan_info = NULL;
  trial->optimize_coding = TRUE;
  trial->progress = cinfo->progress;
  if (script != SEQUENTIAL) {
    trial->num_scans = make_script(script, trial->num_components, scans);
    trial->scan_info = scans;
  }
  jpeg_write_coefficients(trial, small->blocks);
  jpeg_finish_compress(trial);
  jpeg_destroy_compress(trial);
  if (small->files[0].length == 0 || small->files[1].length < small->files[0].length) {
    kept smaller = small->files[1];
    small->files[1] = small->files[0];
    small->files[0] = smaller;
  }
  kept_free(&small->files[1]);
}

void small_write(small_picture *small, j_compress_ptr cinfo, const cjpeg_encode_options *options,
                 void (*configure)(j_compress_ptr cinfo), small_visit *visit, const imgcoder_output *output) {
  enum { MARKER = 2 };  // SOI, which has been written
  imgcoder_status status = planes_end(&small->planes, small->tuning.sharpness);
  if (status != IMGCODER_STATUS_OK) failure_escape((j_common_ptr)cinfo, status);
  choose_levels(small, cinfo, visit);
  if (!options->is_progressive) {
    try_script(small, cinfo, SEQUENTIAL, configure);
  } else {
    try_script(small, cinfo, BANDS, configure);
    const double bits = 8.0 * (double)small->files[0].length / ((double)options->width * options->height);
    if (bits < whole_up_to) try_script(small, cinfo, WHOLE, configure);
    if (bits > approximate_from) try_script(small, cinfo, APPROXIMATE, configure);
  }
  status = kept_write(&small->files[0], MARKER, output);
  if (status != IMGCODER_STATUS_OK) failure_escape((j_common_ptr)cinfo, status);
}

void small_free(small_picture *small) {
  const imgcoder_host *host = small->planes.host;
  if (!host) return;
  jpeg_destroy_compress(&small->trial);
  for (int i = 0; i < 3; i++) host->free(host, small->channel[i].busyness);
  for (int i = 0; i < 2; i++) {
    if (small->files[i].host) kept_free(&small->files[i]);
  }
  planes_free(&small->planes);
}
