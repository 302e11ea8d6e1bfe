/* SPDX-License-Identifier: Apache-2.0
 *
 * QOI has no library: this is the format's one page in plain C, pixel by pixel, as its author's decoder goes about
 * it. */
#include "floor.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 14, MARKER = 8 };

typedef struct {
  uint8_t r, g, b, a;
} pixel;

struct chunks {
  const uint8_t *bytes;
  size_t position, end;
  pixel seen[64], previous;
  int run, is_opaque;
};

static uint32_t big_endian(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int is_qoi(struct input input) {
  return input.size > HEADER + MARKER && memcmp(input.bytes, "qoif", 4) == 0;
}

/* The end marker is longer than any chunk is beyond its first byte. */
static void begin(struct chunks *chunks, struct input input) {
  memset(chunks, 0, sizeof *chunks);
  chunks->bytes = input.bytes;
  chunks->position = HEADER;
  chunks->end = input.size - MARKER;
  chunks->previous.a = 255;
  chunks->is_opaque = input.bytes[12] == 3;
}

static inline void decode(struct chunks *chunks, uint8_t *target, size_t count) {
  const uint8_t *bytes = chunks->bytes;
  size_t position = chunks->position;
  pixel p = chunks->previous;
  int run = chunks->run;
  for (size_t i = 0; i < count; i++, target += 4) {
    if (run > 0) {
      run--;
    } else if (position < chunks->end) {
      int tag = bytes[position++];
      if (tag == 0xFE) {
        p.r = bytes[position++];
        p.g = bytes[position++];
        p.b = bytes[position++];
      } else if (tag == 0xFF) {
        p.r = bytes[position++];
        p.g = bytes[position++];
        p.b = bytes[position++];
        p.a = bytes[position++];
      } else if ((tag & 0xC0) == 0x00) {
        p = chunks->seen[tag];
      } else if ((tag & 0xC0) == 0x40) {
        p.r += (uint8_t)((tag >> 4 & 3) - 2);
        p.g += (uint8_t)((tag >> 2 & 3) - 2);
        p.b += (uint8_t)((tag & 3) - 2);
      } else if ((tag & 0xC0) == 0x80) {
        int second = bytes[position++];
        int green = (tag & 0x3F) - 32;
        p.r += (uint8_t)(green - 8 + (second >> 4 & 0x0F));
        p.g += (uint8_t)green;
        p.b += (uint8_t)(green - 8 + (second & 0x0F));
      } else {
        run = tag & 0x3F;
      }
      chunks->seen[(p.r * 3 + p.g * 5 + p.b * 7 + p.a * 11) & 63] = p;
    }
    pixel shown = p;
    if (chunks->is_opaque) shown.a = 255;
    memcpy(target, &shown, 4);
  }
  chunks->position = position;
  chunks->previous = p;
  chunks->run = run;
}

static int full(struct input input, struct picture *picture) {
  if (!is_qoi(input)) return 0;
  struct chunks chunks;
  begin(&chunks, input);
  picture->width = big_endian(input.bytes + 4);
  picture->height = big_endian(input.bytes + 8);
  picture->pixels = malloc(picture->width * picture->height * 4);
  if (!picture->pixels) return 0;
  decode(&chunks, picture->pixels, picture->width * picture->height);
  return 1;
}

static int thumbnail(struct input input, struct picture *picture) {
  if (!is_qoi(input)) return 0;
  struct chunks chunks;
  begin(&chunks, input);
  size_t width = big_endian(input.bytes + 4), height = big_endian(input.bytes + 8);
  uint8_t *row = malloc(width * 4);
  if (!row) return 0;
  struct cells cells;
  cells_begin(&cells, width, height, THUMBNAIL);
  for (size_t y = 0; y < height; y++) {
    decode(&chunks, row, width);
    cells_add(&cells, row);
  }
  free(row);
  *picture = cells_end(&cells);
  return 1;
}

const struct floor_format qoi_floor = {.matches = is_qoi, .full = full, .thumbnail = thumbnail, .all = NULL};
