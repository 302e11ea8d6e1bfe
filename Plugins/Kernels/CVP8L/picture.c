// SPDX-License-Identifier: Apache-2.0

#include <stdlib.h>

#include "CPixelBytes.h"
#include "CVP8L.h"
#include "premultiplied.h"
#include "transforms.h"

enum {
  MOST_TRANSFORMS = 4,
  // About as many pixels are decoded before their transforms are undone: what the second cache has room for.
  PIXELS_AT_ONCE = 1 << 16,
  // Pixels that are kept: when there is no room left, those that may be copied move to the front.
  WINDOW = 3 * FURTHEST,
  // What loops of four pixels may touch beside a row.
  MARGIN = 8,
};

struct vp8l {
  bits from;
  uint32_t width, height;
  uint32_t next_row;
  transform transforms[MOST_TRANSFORMS];
  uint32_t transform_count;
  image image;
  window window;
  // Rows between transforms: what the predictor makes of this row and of the one above it, and two for all others.
  uint32_t *memory, *predicted[2], *spare[2];
  int is_damaged, is_cut;
  // Where rows began whose bytes may not be there.
  struct {
    bits from;
    size_t end;
    uint32_t cache[1 << MOST_CACHE_BITS];
  } begin;
};

// Colors are stored as differences to the one before, RFC 9649 §3.5.4; indexes without a color are transparent black.
static uint32_t *read_colors(bits *from, uint32_t count, uint32_t bits_of_width) {
  uint32_t *stored = vp8l_image_read(from, count, 1);
  uint32_t *colors = calloc((size_t)1 << (8 >> bits_of_width), sizeof *colors);
  if (stored && colors) {
    uint32_t color = 0;
    for (uint32_t index = 0; index < count; index++) {
      color = (((color & 0xff00ff00) + (stored[index] & 0xff00ff00)) & 0xff00ff00) |
              (((color & 0x00ff00ff) + (stored[index] & 0x00ff00ff)) & 0x00ff00ff);
      colors[index] = color;
    }
    free(stored);
    return colors;
  }
  free(stored);
  free(colors);
  return NULL;
}

// Reads the transforms, each at most once. Answers the width of the coded rows, or 0 at damage.
static uint32_t read_transforms(vp8l *picture) {
  bits *from = &picture->from;
  uint32_t width = picture->width, seen = 0;
  while (take(from, 1)) {
    const transform_kind kind = (transform_kind)take(from, 2);
    if (seen & 1u << kind || is_past_end(from)) return 0;
    seen |= 1u << kind;
    transform *transform = &picture->transforms[picture->transform_count++];
    transform->kind = kind;
    transform->width = width;
    switch (kind) {
      case PREDICTOR:
      case CROSS_COLOR:
        transform->bits = 2 + take(from, 3);
        transform->tiles_in_row = tiles_of(width, transform->bits);
        transform->data = vp8l_image_read(from, transform->tiles_in_row, tiles_of(picture->height, transform->bits));
        if (!transform->data) return 0;
        break;
      case COLOR_INDEXING: {
        const uint32_t count = take(from, 8) + 1;
        transform->bits = count > 16 ? 0 : count > 4 ? 1 : count > 2 ? 2 : 3;
        transform->data = read_colors(from, count, transform->bits);
        if (!transform->data) return 0;
        width = tiles_of(width, transform->bits);
        break;
      }
      case SUBTRACT_GREEN: break;
    }
  }
  return width;
}

static int make_rows(vp8l *picture) {
  const size_t total = (size_t)picture->image.width * picture->height;
  // A copy may go after the rows that are wanted, never after the last one.
  picture->window.capacity = total < WINDOW ? total : WINDOW + PIXELS_AT_ONCE + LONGEST_COPY;
  picture->window.pixels = malloc(picture->window.capacity * sizeof(uint32_t));
  const size_t row = picture->width + 2 * MARGIN;
  picture->memory = malloc(4 * row * sizeof(uint32_t));
  if (!picture->window.pixels || !picture->memory) return 0;
  for (size_t index = 0; index < 2; index++) {
    picture->predicted[index] = picture->memory + index * row + MARGIN;
    picture->spare[index] = picture->memory + (index + 2) * row + MARGIN;
  }
  return 1;
}

vp8l *vp8l_open(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, int *is_cut) {
  *is_cut = 0;
  vp8l *picture = calloc(1, sizeof *picture);
  if (!picture) return NULL;
  picture->from = (bits){.bytes = bytes, .size = count};
  picture->width = width;
  picture->height = height;
  const uint32_t coded_width = read_transforms(picture);
  if (coded_width && vp8l_image_open(&picture->image, &picture->from, coded_width, height, 1) && make_rows(picture)) return picture;
  *is_cut = is_past_end(&picture->from);
  vp8l_close(picture);
  return NULL;
}

void vp8l_extend(vp8l *picture, const uint8_t *bytes, size_t count) {
  // Bits that were fetched from after the end are none.
  const uint64_t taken = (uint64_t)picture->from.next * 8 - picture->from.count;
  picture->from = (bits){.bytes = bytes, .size = count, .next = (size_t)(taken >> 3)};
  fill(&picture->from);
  drop(&picture->from, taken & 7);
  picture->is_cut = 0;
}

int vp8l_is_cut(const vp8l *picture) { return picture->is_cut; }

size_t vp8l_position(const vp8l *picture) { return picture->from.next - picture->from.count / 8; }

void vp8l_close(vp8l *picture) {
  if (!picture) return;
  for (uint32_t index = 0; index < picture->transform_count; index++) free(picture->transforms[index].data);
  vp8l_image_close(&picture->image);
  free(picture->window.pixels);
  free(picture->memory);
  free(picture);
}

// Makes room for `count` pixels in all and a copy after them. What no copy can reach any more, and no row is made of, goes.
static void slide(window *window, size_t count, size_t total, size_t needed_from) {
  const size_t reach = count + LONGEST_COPY < total ? count + LONGEST_COPY : total;
  if (reach - window->first <= window->capacity) return;
  size_t first = window->end > FURTHEST ? window->end - FURTHEST : 0;
  if (first > needed_from) first = needed_from;
  memmove(window->pixels, window->pixels + (first - window->first), (window->end - first) * sizeof *window->pixels);
  window->first = first;
}

// Decodes pixels until there are so many in all. Where bytes end before, all is as it was before it.
static int decode_until(vp8l *picture, size_t count) {
  if (count <= picture->window.end) return 1;
  const size_t cache_bytes = picture->image.cache ? sizeof(uint32_t) << picture->image.cache_bits : 0;
  picture->begin.from = picture->from;
  picture->begin.end = picture->window.end;
  if (cache_bytes) memcpy(picture->begin.cache, picture->image.cache, cache_bytes);
  if (vp8l_image_decode(&picture->image, &picture->from, &picture->window, count)) return 1;
  picture->is_cut = is_past_end(&picture->from);
  picture->is_damaged = !picture->is_cut;
  picture->from = picture->begin.from;
  picture->window.end = picture->begin.end;
  if (cache_bytes) memcpy(picture->image.cache, picture->begin.cache, cache_bytes);
  return 0;
}

// Undoes the transforms of a row. The predictor's rows stay as they are, the next one needs them.
static const uint32_t *finished_row(vp8l *picture, uint32_t y) {
  const size_t at = (size_t)y * picture->image.width;
  const uint32_t *row = picture->window.pixels + (at - picture->window.first);
  for (uint32_t index = picture->transform_count; index-- > 0;) {
    const transform *transform = &picture->transforms[index];
    uint32_t *out = row == picture->spare[0] && transform->kind == COLOR_INDEXING ? picture->spare[1] : picture->spare[0];
    if (row == picture->spare[1]) out = picture->spare[1];
    switch (transform->kind) {
      case PREDICTOR:
        out = picture->predicted[y & 1];
        vp8l_undo_predictor(transform, y, row, y > 0 ? picture->predicted[~y & 1] : NULL, out);
        break;
      case CROSS_COLOR: vp8l_undo_cross_color(transform, y, row, out); break;
      case SUBTRACT_GREEN: vp8l_undo_subtract_green(row, transform->width, out); break;
      case COLOR_INDEXING: vp8l_undo_color_indexing(transform, row, out); break;
    }
    row = out;
  }
  return row;
}

static inline uint32_t red_first(uint32_t pixel) { return (pixel & 0xff00ff00) | (pixel >> 16 & 0xff) | (pixel & 0xff) << 16; }

static void write_row(const uint32_t *row, uint32_t width, uint8_t *out, vp8l_format format, uint32_t alpha) {
  switch (format) {
    case VP8L_RGB: pixel_bytes_narrow((const uint8_t *)row, out, width, 1); return;
    case VP8L_GREEN:
      for (uint32_t x = 0; x < width; x++) out[x] = (uint8_t)(row[x] >> 8);
      return;
    default: break;
  }
  stored_pixel *pixels = (stored_pixel *)out;
  switch (format) {
    case VP8L_RGBA:
      for (uint32_t x = 0; x < width; x++) pixels[x] = red_first(row[x]) | alpha;
      break;
    case VP8L_BGRA:
      for (uint32_t x = 0; x < width; x++) pixels[x] = row[x] | alpha;
      break;
    case VP8L_PREMULTIPLIED_RGBA:
      for (uint32_t x = 0; x < width; x++) pixels[x] = red_first(premultiplied(row[x] | alpha));
      break;
    default:
      for (uint32_t x = 0; x < width; x++) pixels[x] = premultiplied(row[x] | alpha);
      break;
  }
}

uint32_t vp8l_rows(vp8l *picture, uint32_t count, uint8_t *out, size_t stride, vp8l_format format, int is_opaque) {
  const uint32_t coded_width = picture->image.width;
  uint32_t at_once = coded_width < PIXELS_AT_ONCE ? PIXELS_AT_ONCE / coded_width : 1;
  uint32_t written = 0;
  while (written < count && !picture->is_damaged && !picture->is_cut) {
    const uint32_t rows = count - written < at_once ? count - written : at_once;
    const size_t from = (size_t)picture->next_row * coded_width, until = from + (size_t)rows * coded_width;
    slide(&picture->window, until, (size_t)coded_width * picture->height, from);
    if (!decode_until(picture, until)) {
      if (rows == 1) break;
      // Those before the one that is not right.
      at_once = 1;
      picture->is_damaged = picture->is_cut = 0;
      continue;
    }
    for (uint32_t row = 0; row < rows; row++, written++, picture->next_row++) {
      const uint32_t *finished = finished_row(picture, picture->next_row);
      write_row(finished, picture->width, out + written * stride, format, is_opaque ? 0xff000000 : 0);
    }
  }
  return written;
}
