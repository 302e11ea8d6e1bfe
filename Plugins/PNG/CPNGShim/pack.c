// SPDX-License-Identifier: Apache-2.0
//
// Pixels in memory as rows of a file.

#include "pack.h"

#include <CPNGRows.h>
#include <string.h>

#include "session.h"

#define INLINE static inline __attribute__((always_inline))

void cpng_find_passes(cpng_writer *w) {
  static const cpng_written_pass adam7[7] = {{0, 0, 8, 8, 0, 0}, {4, 0, 8, 8, 0, 0}, {0, 4, 4, 8, 0, 0},
                                             {2, 0, 4, 4, 0, 0}, {0, 2, 2, 4, 0, 0}, {1, 0, 2, 2, 0, 0},
                                             {0, 1, 1, 2, 0, 0}};
  static const cpng_written_pass whole = {0, 0, 1, 1, 0, 0};
  const cpng_image *image = w->image;
  const unsigned count = image->is_interlaced ? 7 : 1;
  for (unsigned i = 0; i < count; i++) {
    cpng_written_pass p = image->is_interlaced ? adam7[i] : whole;
    if (p.x >= image->width || p.y >= image->height) continue;
    p.width = (image->width - p.x + p.dx - 1) / p.dx;
    p.height = (image->height - p.y + p.dy - 1) / p.dy;
    w->passes[w->pass_count++] = p;
    w->rows += p.height;
    const size_t row = cpng_written_row(w, &p) + 1;
    if (row > w->longest_row) w->longest_row = row;
  }
}

size_t cpng_written_row(const cpng_writer *w, const cpng_written_pass *p) { return (p->width * w->stored_bits + 7) / 8; }

const cpng_written_pass *cpng_pass_of_row(const cpng_writer *w, uint64_t row, uint32_t *y) {
  const cpng_written_pass *p = w->passes;
  while (row >= p->height) row -= p++->height;
  *y = (uint32_t)row;
  return p;
}

// Indexes of fewer than 8 bits, the first in the highest ones (§7.2). Indexes cover the picture.
static void pack_indexes(const cpng_writer *w, const cpng_written_pass *p, const uint8_t *line, uint8_t *out) {
  const unsigned bits = (unsigned)w->stored_bits;
  unsigned filled = 0;
  uint8_t byte = 0;
  for (uint32_t i = 0; i < p->width; i++) {
    byte = (uint8_t)(byte << bits | line[p->x + i * p->dx]);
    filled += bits;
    if (filled < 8) continue;
    *out++ = byte;
    byte = 0;
    filled = 0;
  }
  if (filled) *out = (uint8_t)(byte << (8 - filled));
}

// Pixels of `held` bytes, of which the first `stored` are written, as many as make 4 or 8 at a time: what is too much
// is overwritten by the next pixel, or lies in the margin.
INLINE void pack_bytes(const uint8_t *from, uint8_t *to, uint32_t count, size_t distance, size_t held, size_t stored,
                       int is_bgr) {
  for (; count > 0; count--, from += distance, to += stored) {
    uint8_t pixel[4] = {0};
    memcpy(pixel, from, held);
    if (is_bgr) {
      pixel[0] = from[2];
      pixel[2] = from[0];
    }
    memcpy(to, pixel, held);
  }
}

// The same of 16 bits in the machine's order.
INLINE void pack_wide(const uint8_t *from, uint8_t *to, uint32_t count, size_t distance, size_t held, size_t stored) {
  const int is_swapped = cpng_is_little_endian();
  for (; count > 0; count--, from += distance, to += stored) {
    uint16_t samples[4];
    memcpy(samples, from, held);
    for (size_t i = 0; is_swapped && i < held / 2; i++) samples[i] = (uint16_t)(samples[i] << 8 | samples[i] >> 8);
    memcpy(to, samples, held);
  }
}

static void pack_pixels(const cpng_image *image, const uint8_t *from, uint8_t *to, uint32_t count, size_t distance,
                        size_t stored) {
  const int is_bgr = (image->transforms & CPNG_BGR) != 0;
  if (distance == 4 && stored == 3 && image->bit_depth == 8) {
    const size_t done = cpng_best_kernels()->without_alpha(from, to, count, is_bgr);
    from += 4 * done;
    to += 3 * done;
    count -= (uint32_t)done;
  }
  switch (image->bytes_per_pixel * 100 + stored * 10 + (image->bit_depth == 16 ? 2 : is_bgr ? 1 : 0)) {
    case 110: pack_bytes(from, to, count, distance, 1, 1, 0); break;
    case 210: pack_bytes(from, to, count, distance, 2, 1, 0); break;
    case 220: pack_bytes(from, to, count, distance, 2, 2, 0); break;
    case 330: pack_bytes(from, to, count, distance, 3, 3, 0); break;
    case 331: pack_bytes(from, to, count, distance, 3, 3, 1); break;
    case 430: pack_bytes(from, to, count, distance, 4, 3, 0); break;
    case 431: pack_bytes(from, to, count, distance, 4, 3, 1); break;
    case 440: pack_bytes(from, to, count, distance, 4, 4, 0); break;
    case 441: pack_bytes(from, to, count, distance, 4, 4, 1); break;
    case 222: pack_wide(from, to, count, distance, 2, 2); break;
    case 422: pack_wide(from, to, count, distance, 4, 2); break;
    case 442: pack_wide(from, to, count, distance, 4, 4); break;
    case 662: pack_wide(from, to, count, distance, 6, 6); break;
    case 862: pack_wide(from, to, count, distance, 8, 6); break;
    default: pack_wide(from, to, count, distance, 8, 8); break;
  }
}

void cpng_pack_row(const cpng_writer *w, const cpng_written_pass *p, uint32_t row, uint8_t *out) {
  const cpng_image *image = w->image;
  const uint32_t y = p->y + row * p->dy;
  const size_t stored = w->stored_pixel, held = image->bytes_per_pixel;
  if (y < image->y || y - image->y >= image->pixel_height) {
    memset(out, 0, cpng_written_row(w, p));
    return;
  }
  const uint8_t *line = image->pixels + (y - image->y - image->first_row) * image->stride;
  if (w->stored_bits < 8) {
    pack_indexes(w, p, line, out);
    return;
  }
  const int is_plain = held == stored && image->bit_depth == 8 && !(image->transforms & CPNG_BGR);
  if (p->dx == 1 && is_plain && image->pixel_width == image->width) {
    memcpy(out, line, p->width * stored);
    return;
  }
  // Pixels of the pass that lie left of the picture in memory, and those that do not lie right of it.
  const uint32_t left = image->x > p->x ? (image->x - p->x + p->dx - 1) / p->dx : 0;
  const uint32_t end_x = image->x + image->pixel_width;
  uint32_t end = end_x > p->x ? (end_x - p->x + p->dx - 1) / p->dx : 0;
  if (end > p->width) end = p->width;
  if (left >= end) {
    memset(out, 0, p->width * stored);
    return;
  }
  memset(out, 0, left * stored);
  const size_t first = (size_t)p->x + (size_t)left * p->dx - image->x;
  pack_pixels(image, line + first * held, out + left * stored, end - left, p->dx * held, stored);
  memset(out + end * stored, 0, (p->width - end) * stored);
}
