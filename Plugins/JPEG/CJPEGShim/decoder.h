// SPDX-License-Identifier: Apache-2.0
//
// One decode in progress. Private to the shim.

#ifndef CJPEG_DECODER_H
#define CJPEG_DECODER_H

#include "failure.h"

// Bytes [start, end) of the source that libjpeg does not get to see.
typedef struct skipped {
  uint64_t start, end;
} skipped;

// All that lives through a longjmp: nothing of a decode is in a local variable.
typedef struct decoder {
  struct jpeg_decompress_struct cinfo;
  failure failure;
  struct jpeg_source_mgr manager;

  const imgcoder_host *host;
  const imgcoder_source *source;
  const imgcoder_sink *sink;
  const cjpeg_decode_options *options;

  uint64_t offset;   // of the byte after those that libjpeg has
  uint8_t height[2];  // what libjpeg reads at `options->height_place`
  int may_suspend;   // libjpeg is told that there are no bytes now, so that what it has can be shown
  int has_ended;     // libjpeg asked for bytes beyond the end, and got an EOI marker instead
  skipped *skips;    // in order, or null; `skip_count` of them, never more than `skip_capacity`
  uint64_t skip_capacity;
  uint32_t skip_count, next_skip;

  int is_corrupt;    // entropy-coded data broke the rules before the end of the source
  int is_cut;        // entropy-coded data was missing at the end of the source, in this scan and iMCU row
  int cut_scan;
  JDIMENSION cut_row;
  int log_lines;

  uint32_t excess_scans;  // scans of a file that has more than the limit, whose last ones libjpeg does not see; 0: not so many
  int can_recover;   // a scan is complete, so there is a picture even after a fatal error
  struct {           // what libjpeg overwrites before it refuses a second frame header
    JDIMENSION width, height;
    int precision, components;
    boolean is_progressive, is_arithmetic;
  } frame;
  uint32_t components_seen;
  uint32_t passes;     // pictures that were sent before the last scan
  uint64_t next_pass;  // the offset after which another one is worth its time
  struct eighths *eighths;  // memory of a picture that is decoded without libjpeg
  uint8_t *lines;    // rows as libjpeg makes them, where the sink gets other pixels or fewer columns
  JDIMENSION first_column;  // of the output that those rows begin with
} decoder;

// Escapes if the host wants no more.
static inline void decoder_check_cancelled(decoder *decoder) {
  if (decoder->host->is_cancelled(decoder->host)) {
    failure_escape((j_common_ptr)&decoder->cinfo, IMGCODER_STATUS_CANCELLED);
  }
}

#endif
