/* SPDX-License-Identifier: Apache-2.0
 *
 * The largest picture that an icon stores itself, in plain C: planes of 24 bits with a mask of 8. */
#include "floor.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  char color[5], mask[5];
  size_t side, padding;
} types[] = {{"it32", "t8mk", 128, 4}, {"ih32", "h8mk", 48, 0}, {"il32", "l8mk", 32, 0}, {"is32", "s8mk", 16, 0}};

static uint32_t big_endian(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The data of an element, or none. */
static struct input element(struct input file, const char *code) {
  struct input none = {NULL, 0};
  size_t offset = 8;
  while (file.size - offset >= 8) {
    size_t length = big_endian(file.bytes + offset + 4);
    if (length < 8 || length > file.size - offset) break;
    if (memcmp(file.bytes + offset, code, 4) == 0) return (struct input){file.bytes + offset + 8, length - 8};
    offset += length;
  }
  return none;
}

static int largest(struct input input) {
  if (input.size < 8 || memcmp(input.bytes, "icns", 4) != 0) return -1;
  for (int i = 0; i < 4; i++)
    if (element(input, types[i].color).bytes) return i;
  return -1;
}

static int matches(struct input input) { return largest(input) >= 0; }

static int full(struct input input, struct picture *picture) {
  int type = largest(input);
  if (type < 0) return 0;
  struct input color = element(input, types[type].color), mask = element(input, types[type].mask);
  size_t count = types[type].side * types[type].side, position = types[type].padding;
  picture->width = picture->height = types[type].side;
  picture->pixels = malloc(count * 4);
  if (!picture->pixels) return 0;
  for (size_t channel = 0; channel < 3; channel++) {
    for (size_t pixel = 0; pixel < count;) {
      if (position + 1 >= color.size) return 0;
      uint8_t lead = color.bytes[position++];
      size_t length = lead < 128 ? lead + 1u : lead - 125u;
      if (length > count - pixel || (lead < 128 && length > color.size - position)) return 0;
      for (size_t i = 0; i < length; i++)
        picture->pixels[4 * (pixel + i) + channel] = color.bytes[lead < 128 ? position + i : position];
      position += lead < 128 ? length : 1;
      pixel += length;
    }
  }
  for (size_t pixel = 0; pixel < count; pixel++)
    picture->pixels[4 * pixel + 3] = mask.size >= count ? mask.bytes[pixel] : 255;
  return 1;
}

static int thumbnail(struct input input, struct picture *picture) { return full(input, picture); }

const struct floor_format icns_floor = {.matches = matches, .full = full, .thumbnail = thumbnail, .all = NULL};
