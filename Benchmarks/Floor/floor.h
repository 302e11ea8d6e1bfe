/* SPDX-License-Identifier: Apache-2.0
 *
 * What each library costs when a C program uses it plainly: bytes in memory, a fresh buffer of RGBA8 each time. */
#ifndef FLOOR_H
#define FLOOR_H

#include <stddef.h>
#include <stdint.h>

/* Pixels that came out: RGBA8, straight alpha, rows without gaps. */
struct picture {
  uint8_t *pixels;
  size_t width, height;
};

/* A file in memory. */
struct input {
  const uint8_t *bytes;
  size_t size;
};

/* Mean colors of cells of whole pixels: the simplest reduction of rows that arrive one by one. */
struct cells {
  struct picture result;
  size_t width, height, side, row;
  uint32_t *sums;
};

/* Prepares for rows of a picture, to fit a box. Alpha is averaged like a color. */
void cells_begin(struct cells *cells, size_t width, size_t height, size_t box);
void cells_add(struct cells *cells, const uint8_t *row);
struct picture cells_end(struct cells *cells);

/* What can be done with a file of one format. */
struct floor_format {
  int (*matches)(struct input input);
  /* Each fills a picture and returns 1, or returns 0. */
  int (*full)(struct input input, struct picture *picture);
  int (*thumbnail)(struct input input, struct picture *picture);
  /* Composes every frame and mixes each canvas into `hash` when it is not NULL; the time for that is not counted.
   * NULL for stills. */
  int (*all)(struct input input, uint64_t *hash, double *hash_ms);
};

uint64_t hash_bytes(uint64_t hash, const uint8_t *bytes, size_t count);
double now_ms(void);

#define HASH_START 0xCBF29CE484222325u
#define THUMBNAIL 256

/* The bytes of an opaque picture, encoded as `how` says: jpeg at quality 90, png at zlib's level 6, webpN at quality 80
 * with method N. 0: not known, or failed. */
size_t floor_encode(const char *how, struct picture picture);

#endif
