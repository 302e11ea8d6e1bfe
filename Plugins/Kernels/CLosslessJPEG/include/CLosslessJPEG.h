// SPDX-License-Identifier: Apache-2.0
//
// Scans of the lossless process of JPEG with Huffman codes, as samples of 2 to 16 bits: ITU-T T.81 annex H. Each sample is
// told by its difference from its neighbors.

#ifndef CLOSSLESSJPEG_H
#define CLOSSLESSJPEG_H

#include <stddef.h>
#include <stdint.h>

#define LOSSLESS_CHANNELS 4
// Bits that are looked at together.
#define LOSSLESS_LOOK_BITS 10

// Codes of one table, ready to be looked up.
typedef struct {
  uint16_t look[1u << LOSSLESS_LOOK_BITS];  // by the next bits: the code's length and its value; 0 for a longer code
  int32_t largest[18];  // by length, the largest code, or -1; the last one is larger than any
  int32_t offsets[17];  // by length, what is added to a code for its place among the values
  uint8_t values[256];
  uint32_t count;
} lossless_codes;

// Makes a table of what a DHT segment has, T.81 B.2.4.2: codes of 1 to 16 bits, and their values, as many as the counts say and
// 256 at most. Answers 0 for more codes than there can be.
int lossless_codes_make(lossless_codes *codes, const uint8_t counts[16], const uint8_t *values);

typedef struct {
  const lossless_codes *codes;
  uint16_t *samples;
  size_t row, step;  // samples from one row to the next, and from one sample of a row to the next
} lossless_channel;

typedef struct {
  lossless_channel channels[LOSSLESS_CHANNELS];
  uint32_t channel_count;  // of the scan, from 1 on
  uint32_t width, height;  // samples of each
  uint32_t predictor;        // 1 to 7, table H.1
  uint32_t precision;        // 2 to 16
  uint32_t point_transform;  // bits that are left out of each sample, fewer than those of the precision
  uint32_t restart_interval;  // MCUs, which are whole rows (H.1.2.1), or 0

  // Where the scan is: `bytes` and `length` are given, `position` is that of the first coded byte, the rest is 0.
  const uint8_t *bytes;
  size_t length, position;
  uint64_t buffer, missing;
  uint32_t count, y, until_restart;
} lossless_scan;

// Decodes the next `count` rows at most. Answers how many are there; fewer mean the end of the picture, or of what is coded.
uint32_t lossless_rows(lossless_scan *scan, uint32_t count);

#endif
