/* SPDX-License-Identifier: Apache-2.0
 *
 * P5 and P6 of 8 bits, plainly: find the raster, spread its samples. */
#include "floor.h"

#include <stdlib.h>
#include <string.h>

struct map {
  size_t width, height, samples;
  const uint8_t *raster;
};

static int parse(struct input input, struct map *map) {
  if (input.size < 3 || input.bytes[0] != 'P' || (input.bytes[1] != '5' && input.bytes[1] != '6')) return 0;
  size_t numbers[3], position = 2;
  for (int i = 0; i < 3; i++) {
    while (position < input.size && (input.bytes[position] < '0' || input.bytes[position] > '9')) {
      if (input.bytes[position] == '#')
        while (position < input.size && input.bytes[position] != '\n') position++;
      position++;
    }
    numbers[i] = 0;
    while (position < input.size && input.bytes[position] >= '0' && input.bytes[position] <= '9')
      numbers[i] = numbers[i] * 10 + (size_t)(input.bytes[position++] - '0');
  }
  map->samples = input.bytes[1] == '6' ? 3 : 1;
  map->width = numbers[0];
  map->height = numbers[1];
  map->raster = input.bytes + position + 1;
  return numbers[2] == 255 && input.size - position - 1 >= map->width * map->height * map->samples;
}

static int matches(struct input input) {
  struct map map;
  return parse(input, &map);
}

static void spread(const uint8_t *source, uint8_t *target, size_t count, size_t samples) {
  if (samples == 3) {
    for (size_t i = 0; i < count; i++) {
      target[4 * i] = source[3 * i];
      target[4 * i + 1] = source[3 * i + 1];
      target[4 * i + 2] = source[3 * i + 2];
      target[4 * i + 3] = 255;
    }
  } else {
    for (size_t i = 0; i < count; i++) {
      target[4 * i] = target[4 * i + 1] = target[4 * i + 2] = source[i];
      target[4 * i + 3] = 255;
    }
  }
}

static int full(struct input input, struct picture *picture) {
  struct map map;
  if (!parse(input, &map)) return 0;
  picture->width = map.width;
  picture->height = map.height;
  picture->pixels = malloc(map.width * map.height * 4);
  if (!picture->pixels) return 0;
  spread(map.raster, picture->pixels, map.width * map.height, map.samples);
  return 1;
}

static int thumbnail(struct input input, struct picture *picture) {
  struct map map;
  if (!parse(input, &map)) return 0;
  uint8_t *row = malloc(map.width * 4);
  if (!row) return 0;
  struct cells cells;
  cells_begin(&cells, map.width, map.height, THUMBNAIL);
  for (size_t y = 0; y < map.height; y++) {
    spread(map.raster + y * map.width * map.samples, row, map.width, map.samples);
    cells_add(&cells, row);
  }
  free(row);
  *picture = cells_end(&cells);
  return 1;
}

const struct floor_format pnm_floor = {.matches = matches, .full = full, .thumbnail = thumbnail, .all = NULL};
