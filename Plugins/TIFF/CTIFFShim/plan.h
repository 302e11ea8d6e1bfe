// SPDX-License-Identifier: Apache-2.0
//
// How the samples of a picture become the host's pixels. Private to the shim.

#ifndef CTIFF_PLAN_H
#define CTIFF_PLAN_H

#include <CSharedPlanes.h>

#include "CTIFFShim.h"

// Prepared once for a picture, and only read after that.
typedef struct rows_plan {
  const ctiff_picture *picture;
  uint32_t depth;          // bytes of a sample between unpacking and the host: 1, 2 or 4 (float)
  uint32_t channels;       // samples in one plane's pixel
  uint32_t planes;         // 1, or the samples when they are planar
  uint32_t pixel_bytes;    // of the host's
  uint64_t plane_row_bytes, strile_bytes;  // of one plane; a row is a row of blocks for CTIFF_YCBCR
  int is_direct;           // a decoded row is a row of the host's
  int is_packed;           // RGB of whole bytes goes to four channels
  int is_ready;            // decoded bytes are samples
  uint32_t gray_mask;      // flips gray samples
  uint8_t scale[256];      // up to 8 bits to the full range
  uint8_t octets[256][8];  // bytes of 1-bit samples, each as 8 full-range samples
  int32_t ycc[4][256];     // in 1/65536: what Cr adds to red, Cb to green, Cr to green, Cb to blue
  int32_t luma[256];       // Y with ReferenceBlackWhite
  float lab_curve[LAB_CURVE_COUNT];  // of CTIFF_LAB
} rows_plan;

#endif
