// SPDX-License-Identifier: Apache-2.0
//
// Rows of colors that are all gray so far: whether their file gets one channel or three is known when one shows a color, or after
// the last. Private to the shim.

#ifndef CJPEG_GRAY_H
#define CJPEG_GRAY_H

#include <stdint.h>

#include "CJPEGShim.h"

// Pictures of more pixels are written as they come: this is the memory that a gray one takes.
enum { GRAY_MOST_PIXELS = 64 << 20 };

typedef struct gray_rows {
  const imgcoder_host *host;
  uint8_t *samples;  // null: none are kept
  uint32_t width, count;
  uint32_t bytes;    // of a pixel
} gray_rows;

// Makes room for a picture, if it is one that may turn out to be gray. Without memory for it, rows are not kept.
void gray_begin(gray_rows *rows, const imgcoder_host *host, const cjpeg_encode_options *options);

// Keeps the next row; 0 if it has a color.
int gray_keep(gray_rows *rows, const uint8_t *pixels);

// A kept row as the pixels that it came as.
void gray_pixels(const gray_rows *rows, uint32_t index, uint8_t *pixels);

void gray_free(gray_rows *rows);

#endif
