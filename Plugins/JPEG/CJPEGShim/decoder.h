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
  uint8_t *inks;     // CMYK rows on their way to RGB
} decoder;

// Makes cinfo, whose error manager is set, and reads the file up to its first scan.
void decoder_begin(decoder *decoder);

// Attaches the source to cinfo.
void source_begin(decoder *decoder);

// Waits for more bytes after libjpeg was told that there are none now.
void source_resume(decoder *decoder);

// The offset of the next byte that libjpeg will take.
uint64_t source_position(const decoder *decoder);

// Hides the scans that a picture at 1/8 has no use for.
void source_skip_unused_scans(decoder *decoder);

// Decodes and delivers a picture at 1/8 without libjpeg, which is asked if the answer is 0.
int eighths_deliver(decoder *decoder);

// Escapes if the host wants no more.
void decoder_check_cancelled(decoder *decoder);

// Shows libjpeg the bytes from an offset on again.
void source_return(decoder *decoder, uint64_t offset);

// More bytes from an offset on, none at the end; or why there are none.
imgcoder_status source_look(const decoder *decoder, uint64_t offset, const uint8_t **bytes, uint64_t *length);

// Converts a row of four inks, as libjpeg delivers them, to RGB.
void inks_to_rgb(const uint8_t *inks, uint8_t *pixels, uint32_t count, imgcoder_pixel_format format);

// Turns a row of what four inks leave of the light into how much of each ink there is.
void inks_to_amounts(const uint8_t *inks, uint8_t *pixels, uint32_t count);

#endif
