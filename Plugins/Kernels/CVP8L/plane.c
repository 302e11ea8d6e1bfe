// SPDX-License-Identifier: Apache-2.0

#include <stdlib.h>
#include <string.h>

#include "CVP8L.h"
#include "premultiplied.h"

enum { NONE, HORIZONTAL, VERTICAL, GRADIENT };

struct vp8l_plane {
  vp8l *picture;          // NULL: samples are stored as they are
  const uint8_t *stored;  // the next of these
  uint32_t width, next_row;
  uint32_t filter;
  uint32_t at_once;
  // Rows that are decoded together, after the one above them.
  uint8_t *rows;
};

vp8l_plane *vp8l_plane_open(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height) {
  if (count < 1) return NULL;
  const uint32_t method = bytes[0] & 3, filter = bytes[0] >> 2 & 3, was_reduced = bytes[0] >> 4 & 3, reserved = bytes[0] >> 6;
  // As libwebp has it; what it refuses, it is left to refuse.
  if (method > 1 || was_reduced > 1 || reserved > 1) return NULL;
  if (method == 0 && count - 1 < (size_t)width * height) return NULL;
  vp8l_plane *plane = calloc(1, sizeof *plane);
  if (!plane) return NULL;
  plane->width = width;
  plane->filter = filter;
  plane->stored = bytes + 1;
  plane->at_once = (1u << 16) / width + 1;
  if (plane->at_once > height) plane->at_once = height;
  plane->rows = malloc((size_t)(plane->at_once + 1) * width);
  int is_cut;
  if (method == 1) plane->picture = vp8l_open(bytes + 1, count - 1, width, height, &is_cut);
  if (plane->rows && (method == 0 || plane->picture)) return plane;
  vp8l_plane_close(plane);
  return NULL;
}

void vp8l_plane_close(vp8l_plane *plane) {
  if (!plane) return;
  vp8l_close(plane->picture);
  free(plane->rows);
  free(plane);
}

static inline uint8_t clamped(int32_t value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

// Adds what the filter subtracted. Of the first row, all filters predict each sample by the one on its left.
static void unfilter(uint32_t filter, const uint8_t *above, uint8_t *row, uint32_t width) {
  if (filter == NONE) return;
  uint8_t left = above ? above[0] : 0;
  if (!above || filter == HORIZONTAL) {
    for (uint32_t x = 0; x < width; x++) row[x] = left = (uint8_t)(row[x] + left);
  } else if (filter == VERTICAL) {
    for (uint32_t x = 0; x < width; x++) row[x] = (uint8_t)(row[x] + above[x]);
  } else {
    for (uint32_t x = 0, corner = left; x < width; corner = above[x++]) {
      row[x] = left = (uint8_t)(row[x] + clamped((int32_t)left + above[x] - (int32_t)corner));
    }
  }
}

static void set_alpha(const uint8_t *samples, uint8_t *pixels, uint32_t width, int premultiplies) {
  stored_pixel *out = (stored_pixel *)pixels;
  if (premultiplies) {
    for (uint32_t x = 0; x < width; x++) out[x] = premultiplied((out[x] & 0xffffff) | (uint32_t)samples[x] << 24);
  } else {
    for (uint32_t x = 0; x < width; x++) out[x] = (out[x] & 0xffffff) | (uint32_t)samples[x] << 24;
  }
}

uint32_t vp8l_plane_rows(vp8l_plane *plane, uint32_t count, uint8_t *pixels, size_t stride, int premultiplies) {
  const uint32_t width = plane->width;
  uint8_t *const first = plane->rows + width;
  uint32_t written = 0;
  while (written < count) {
    uint32_t rows = count - written < plane->at_once ? count - written : plane->at_once;
    const uint32_t wanted = rows;
    if (plane->picture) {
      rows = vp8l_rows(plane->picture, rows, first, width, VP8L_GREEN, 0);
    } else {
      memcpy(first, plane->stored, (size_t)rows * width);
      plane->stored += (size_t)rows * width;
    }
    for (uint32_t index = 0; index < rows; index++, written++, plane->next_row++) {
      uint8_t *row = first + (size_t)index * width;
      unfilter(plane->filter, plane->next_row > 0 ? row - width : NULL, row, width);
      set_alpha(row, pixels + written * stride, width, premultiplies);
    }
    if (rows < wanted) break;
    memcpy(plane->rows, first + (size_t)(rows - 1) * width, width);
  }
  return written;
}
