// SPDX-License-Identifier: Apache-2.0
//
// Pixels of an entropy-coded image (RFC 9649 §3.6): literals, copies of what was before, and colors of a cache.

#ifndef VP8L_PIXELS_H
#define VP8L_PIXELS_H

#include "codes.h"

// The furthest pixel that a copy may begin with: RFC 9649 §3.6.2.2, a prefix code of 39 with its extra bits.
enum { FURTHEST = 1 << 20, LONGEST_COPY = 4096 };

// The codes of a part of the image, RFC 9649 §3.7.2.
typedef struct {
  code green, red, blue, alpha, distance;
  uint32_t constant;  // of all literals: alpha; red and blue with it; or the whole pixel, which then takes no bits
  uint8_t has_one_alpha, has_one_color, has_one_pixel;
} group;

typedef struct {
  uint32_t width, height;
  tables tables;
  group *groups;
  // Which group a tile has, in the two bytes above the lowest. NULL: all of them have the first.
  uint32_t *tiles;
  uint32_t tile_bits, tiles_in_row;
  uint32_t *cache;
  uint32_t cache_bits;  // 0: there is none
} image;

// Pixels that were decoded, the last of them: from `first` on, `end` is where the next comes.
typedef struct {
  uint32_t *pixels;
  size_t first, end, capacity;
} window;

// Reads the codes; those of a whole picture may differ from tile to tile. Answers 0 if they are damaged, or there is no memory.
int vp8l_image_open(image *image, bits *from, uint32_t width, uint32_t height, int is_picture);

void vp8l_image_close(image *image);

// Decodes pixels until there are so many in all, and up to LONGEST_COPY more, for which the window has to have room. Answers 0 at
// damage.
int vp8l_image_decode(image *image, bits *from, window *into, size_t count);

// All pixels of an image that is part of a picture's head, which the caller frees. NULL as above.
uint32_t *vp8l_image_read(bits *from, uint32_t width, uint32_t height);

static inline uint32_t tiles_of(uint32_t side, uint32_t bits) { return (side + (1u << bits) - 1) >> bits; }

#endif
