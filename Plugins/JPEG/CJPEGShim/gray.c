// SPDX-License-Identifier: Apache-2.0

#include "gray.h"

#include <string.h>

void gray_begin(gray_rows *rows, const imgcoder_host *host, const cjpeg_encode_options *options) {
  const uint64_t pixels = (uint64_t)options->width * options->height;
  const int is_color = options->pixel_format != IMGCODER_PIXEL_GRAY8;
  if (!options->may_be_gray || !is_color || pixels > GRAY_MOST_PIXELS || pixels > host->limits->max_memory) return;
  rows->host = host;
  rows->width = options->width;
  rows->bytes = options->pixel_format == IMGCODER_PIXEL_RGBA8 || options->pixel_format == IMGCODER_PIXEL_BGRA8 ? 4 : 3;
  rows->samples = host->allocate(host, pixels, 0);
}

// Constants for `bytes` let the compiler make a loop for each.
static inline __attribute__((always_inline)) int keep(uint8_t *restrict samples, const uint8_t *restrict pixels, uint32_t width,
                                                      uint32_t bytes) {
  enum { AT_ONCE = 1024 };  // a colored row ends soon
  for (uint32_t first = 0; first < width; first += AT_ONCE) {
    const uint32_t end = width - first < AT_ONCE ? width : first + AT_ONCE;
    uint8_t differences = 0;
    for (uint32_t x = first; x < end; x++) {
      const uint8_t *pixel = pixels + (uint64_t)x * bytes;
      differences |= (pixel[0] ^ pixel[1]) | (pixel[1] ^ pixel[2]);
      samples[x] = pixel[1];
    }
    if (differences != 0) return 0;
  }
  return 1;
}

int gray_keep(gray_rows *rows, const uint8_t *pixels) {
  uint8_t *samples = rows->samples + (uint64_t)rows->count * rows->width;
  const int is_gray = rows->bytes == 4 ? keep(samples, pixels, rows->width, 4) : keep(samples, pixels, rows->width, 3);
  rows->count += (uint32_t)is_gray;
  return is_gray;
}

void gray_pixels(const gray_rows *rows, uint32_t index, uint8_t *pixels) {
  const uint8_t *samples = rows->samples + (uint64_t)index * rows->width;
  for (uint32_t x = 0; x < rows->width; x++) memset(pixels + (uint64_t)x * rows->bytes, samples[x], rows->bytes);
}

void gray_free(gray_rows *rows) {
  if (rows->samples) rows->host->free(rows->host, rows->samples);
  rows->samples = NULL;
}
