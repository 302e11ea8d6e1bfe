// SPDX-License-Identifier: Apache-2.0
//
// A whole picture as planes of luma and chroma, which are made row by row. Private to the shim.

#ifndef CJPEG_PLANES_H
#define CJPEG_PLANES_H

#include <stdint.h>

#include "CJPEGShim.h"

// Samples are around 0, in sixteenths of a level.
typedef int16_t plane_sample;
enum { PLANE_LEVEL = 16, PLANE_LARGEST = 128 * PLANE_LEVEL - PLANE_LEVEL / 2, PLANE_SMALLEST = -128 * PLANE_LEVEL };

typedef struct plane {
  uint32_t width, height;  // samples
  uint32_t columns, rows;  // blocks, the last of which may not be full
  plane_sample *samples;   // rows of whole blocks; beside the picture, its last samples are repeated
} plane;

typedef struct planes {
  const imgcoder_host *host;
  imgcoder_pixel_format format;
  uint32_t width, height, count;   // 1 or 3 planes
  uint32_t horizontal, vertical;   // luma samples per chroma sample
  uint32_t next;                   // the row that comes next
  plane plane[3];
  int32_t *sums[2];                // of chroma over rows that become one
} planes;

// Makes room; what is allocated is freed by planes_free, also after an error.
imgcoder_status planes_begin(planes *planes, const imgcoder_host *host, const cjpeg_encode_options *options);

void planes_add(planes *planes, const uint8_t *pixels);

// After the last row: whether chroma is 0 everywhere.
int planes_are_gray(const planes *planes);

// After the last row: fills blocks up, and corrects chroma that is stored smaller, so that it is right after a decoder has
// interpolated it.
//   returns  OK or OUT_OF_MEMORY
imgcoder_status planes_end(planes *planes, double sharpness);

void planes_free(planes *planes);

#endif
