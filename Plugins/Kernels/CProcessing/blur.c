// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "CProcessing.h"
#include "wide.h"

// Samples are summed in blocks of SETS vectors. BLOCK is the most that one has.
enum { SETS = 4, BLOCK = 16 * SETS };

typedef struct kernel {
  const uint16_t *weights;
  uint32_t reach;
  uint16_t bias;  // what the products are too small by, as they are rounded down, and what rounds the sum
} kernel;

#define LANES 8
#define ATTRIBUTE
#define NAME(name) name##_narrow
#include "blur_lanes.h"
#ifdef HAS_WIDE
#undef LANES
#undef ATTRIBUTE
#undef NAME
#define LANES 16
#define ATTRIBUTE WIDE
#define NAME(name) name##_wide
#include "blur_lanes.h"
#endif

static size_t samples(const processing_picture *picture) { return (size_t)picture->width * picture->channels; }
static size_t padded(size_t count) { return (count + BLOCK) & ~(size_t)(BLOCK - 1); }

// Whether rows become words before they are summed: to be multiplied by alpha, or because they are shorter than a block.
static int has_ring(const processing_picture *picture) {
  return picture->last == PROCESSING_STRAIGHT || samples(picture) < BLOCK;
}

// A line of words with the outermost pixels repeated on both sides, a line that is summed, the addresses of rows, and the rows
// that become words.
size_t processing_blur_scratch(const processing_picture *picture, uint32_t reach) {
  const size_t count = padded(samples(picture)), rows = 2 * (size_t)reach + 1;
  const size_t sides = padded(2 * (size_t)reach * picture->channels);
  return 2 * (2 * count + sides) + rows * sizeof(void *) + (has_ring(picture) ? 2 * rows * count : 0);
}

// 256ths of a level, multiplied by alpha if there is one. `premultiplied` is rounded to the nearest.
static void widen(const processing_picture *picture, uint32_t y, uint16_t *line) {
  const uint8_t *row = picture->pixels + y * picture->stride;
  const size_t count = samples(picture), channels = picture->channels;
  for (size_t i = 0; i < count; i++) line[i] = (uint16_t)(row[i] << 8);
  if (picture->last != PROCESSING_STRAIGHT) return;
  for (size_t i = 0; i < count; i += channels) {
    const uint32_t alpha = row[i + channels - 1];
    for (size_t c = 0; c + 1 < channels; c++) {
      const uint32_t product = row[i + c] * alpha;
      line[i + c] = (uint16_t)(product + (product + 127) / 255);
    }
  }
}

static void repeat_edges(uint16_t *line, uint32_t width, uint32_t channels, uint32_t reach) {
  uint16_t *end = line + (size_t)width * channels;
  for (size_t n = 1; n <= reach; n++) {
    memcpy(line - n * channels, line, 2 * channels);
    memcpy(end + (n - 1) * channels, end - channels, 2 * channels);
  }
}

// Rounded words as bytes.
static void narrow(const uint16_t *line, uint8_t *out, size_t count) {
  for (size_t i = 0; i < count; i++) out[i] = (uint8_t)(line[i] >> 8);
}

// Colors divided by alpha again; 0 where alpha is.
static void divide(const uint16_t *line, uint8_t *out, size_t count, size_t channels) {
  for (size_t i = 0; i < count; i += channels) {
    const uint32_t alpha = line[i + channels - 1];
    const uint8_t rounded = (uint8_t)((alpha + 128) >> 8);
    for (size_t c = 0; c + 1 < channels; c++) {
      const uint32_t color = rounded == 0 ? 0 : (line[i + c] * 255u + alpha / 2) / alpha;
      out[i + c] = (uint8_t)(color > 255 ? 255 : color);
    }
    out[i + channels - 1] = rounded;
  }
}

void processing_blur(const processing_picture *picture, const uint16_t *weights, uint32_t reach, uint32_t first, uint32_t end,
                     uint8_t *out, size_t out_stride, void *scratch) {
  const size_t count = samples(picture), channels = picture->channels, rows = 2 * (size_t)reach + 1;
  const int is_straight = picture->last == PROCESSING_STRAIGHT, is_ring = has_ring(picture);
  // Nothing is lost of a color that is 0. Divided by a small alpha, what would be added for it would be seen.
  const uint16_t lost = (uint16_t)(is_straight ? 0 : (reach + 1) / 2);
  const kernel down = {weights, reach, lost}, across = {weights, reach, (uint16_t)(is_straight ? 0 : lost + 128)};
  const void **row = scratch;
  uint16_t *summed = (uint16_t *)(row + rows), *line = summed + padded(count) + (size_t)reach * channels;
  uint16_t *ring = summed + 2 * padded(count) + padded(2 * (size_t)reach * channels);
  const int64_t last = (int64_t)picture->height - 1;
  int64_t known = (int64_t)first - reach;  // rows before it are in the ring
  if (is_ring) memset(ring, 0, 2 * rows * padded(count));
  memset(summed, 0, 2 * (2 * padded(count) + padded(2 * (size_t)reach * channels)));
  for (int64_t y = first; y < (int64_t)end; y++, out += out_stride) {
    for (int64_t n = -(int64_t)reach; n <= (int64_t)reach; n++) {
      const int64_t at = y + n < 0 ? 0 : y + n > last ? last : y + n;
      uint16_t *slot = ring + (size_t)at % rows * padded(count);
      if (is_ring && at >= known) {
        widen(picture, (uint32_t)at, slot);
        known = at + 1;
      }
      row[n + reach] = is_ring ? (const void *)slot : picture->pixels + (size_t)at * picture->stride;
    }
    if (is_ring) {
      CHOSEN(columns16, (const uint16_t *const *)row, &down, line, count);
    } else {
      CHOSEN(columns8, (const uint8_t *const *)row, &down, line, count);
    }
    repeat_edges(line, picture->width, picture->channels, reach);
    CHOSEN(row, line, channels, &across, summed, count);
    if (is_straight) {
      divide(summed, out, count, channels);
    } else {
      narrow(summed, out, count);
    }
    if (picture->last == PROCESSING_OPAQUE) {
      for (size_t i = channels - 1; i < count; i += channels) out[i] = 255;
    }
  }
}
