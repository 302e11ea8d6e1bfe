// SPDX-License-Identifier: Apache-2.0

#include "pixels.h"

#include <stdlib.h>

// Where the pixel of each short distance code is, RFC 9649 §3.6.2.2: by its distance from the pixel itself, nearer in columns first,
// left before right. Rows above in the upper four bits, columns to the right, and 8, in the lower.
static const uint8_t near[120] = {
    0x18, 0x07, 0x17, 0x19, 0x28, 0x06, 0x27, 0x29, 0x16, 0x1a, 0x26, 0x2a, 0x38, 0x05, 0x37, 0x39, 0x15, 0x1b, 0x36,
    0x3a, 0x25, 0x2b, 0x48, 0x04, 0x47, 0x49, 0x14, 0x1c, 0x35, 0x3b, 0x46, 0x4a, 0x24, 0x2c, 0x58, 0x45, 0x4b, 0x34,
    0x3c, 0x03, 0x57, 0x59, 0x13, 0x1d, 0x56, 0x5a, 0x23, 0x2d, 0x44, 0x4c, 0x55, 0x5b, 0x33, 0x3d, 0x68, 0x02, 0x67,
    0x69, 0x12, 0x1e, 0x66, 0x6a, 0x22, 0x2e, 0x54, 0x5c, 0x43, 0x4d, 0x65, 0x6b, 0x32, 0x3e, 0x78, 0x01, 0x77, 0x79,
    0x53, 0x5d, 0x11, 0x1f, 0x64, 0x6c, 0x42, 0x4e, 0x76, 0x7a, 0x21, 0x2f, 0x75, 0x7b, 0x31, 0x3f, 0x63, 0x6d, 0x52,
    0x5e, 0x00, 0x74, 0x7c, 0x41, 0x4f, 0x10, 0x20, 0x62, 0x6e, 0x30, 0x73, 0x7d, 0x51, 0x5f, 0x40, 0x72, 0x7e, 0x61,
    0x6f, 0x50, 0x71, 0x7f, 0x60, 0x70,
};

// With how many bits the first table of a code is looked up.
enum { GREEN_BITS = 10, OTHER_BITS = 9 };

static int read_group(image *image, bits *from, tables *scratch, group *group) {
  const uint32_t greens = LITERALS + LENGTHS + (image->cache_bits ? 1u << image->cache_bits : 0);
  const struct {
    code *made;
    uint32_t symbol_count, first_bits;
  } codes[5] = {
      {&group->green, greens, GREEN_BITS},       {&group->red, LITERALS, OTHER_BITS},
      {&group->blue, LITERALS, OTHER_BITS},      {&group->alpha, LITERALS, OTHER_BITS},
      {&group->distance, DISTANCES, OTHER_BITS},
  };
  uint8_t lengths[MOST_SYMBOLS];
  for (int index = 0; index < 5; index++) {
    if (!vp8l_read_lengths(from, scratch, lengths, codes[index].symbol_count)) return 0;
    if (!vp8l_make_code(&image->tables, codes[index].made, lengths, codes[index].symbol_count, codes[index].first_bits)) return 0;
    if (is_past_end(from)) return 0;
  }
  const entry *entries = image->tables.entries;
  group->has_one_alpha = group->alpha.mask == 0;
  group->has_one_color = group->has_one_alpha && group->red.mask == 0 && group->blue.mask == 0;
  group->constant = group->has_one_alpha ? entries[group->alpha.start] >> 16 << 24 : 0;
  if (group->has_one_color) group->constant |= entries[group->red.start] & 0xff0000;
  if (group->has_one_color) group->constant |= entries[group->blue.start] >> 16;
  const uint32_t green = entries[group->green.start] >> 16;
  group->has_one_pixel = group->has_one_color && group->green.mask == 0 && green < LITERALS;
  if (group->has_one_pixel) group->constant |= green << 8;
  return 1;
}

// Codes of groups that no tile has are read, and not kept.
static int read_groups(image *image, bits *from) {
  const size_t tile_count = image->tiles ? (size_t)image->tiles_in_row * tiles_of(image->height, image->tile_bits) : 0;
  uint32_t count = 1;
  for (size_t tile = 0; tile < tile_count; tile++) {
    const uint32_t number = image->tiles[tile] >> 8 & 0xffff;
    if (number >= count) count = number + 1;
  }
  uint8_t *is_used = calloc(count, 1);
  if (!is_used) return 0;
  uint32_t *places = NULL;
  uint32_t used = image->tiles ? 0 : 1;
  is_used[0] = !image->tiles;
  for (size_t tile = 0; tile < tile_count; tile++) {
    const uint32_t number = image->tiles[tile] >> 8 & 0xffff;
    used += !is_used[number];
    is_used[number] = 1;
  }
  tables scratch = {0};
  int is_right = 0;
  image->groups = calloc(used, sizeof *image->groups);
  places = malloc(count * sizeof *places);
  if (!image->groups || !places) goto end;
  uint32_t place = 0;
  for (uint32_t number = 0; number < count; number++) {
    const size_t kept = image->tables.count;
    group unused;
    if (!read_group(image, from, &scratch, is_used[number] ? &image->groups[place] : &unused)) goto end;
    places[number] = place;
    if (is_used[number]) place++;
    else image->tables.count = kept;
  }
  for (size_t tile = 0; tile < tile_count; tile++) image->tiles[tile] = places[image->tiles[tile] >> 8 & 0xffff];
  is_right = 1;
end:
  free(scratch.entries);
  free(places);
  free(is_used);
  return is_right;
}

int vp8l_image_open(image *image, bits *from, uint32_t width, uint32_t height, int is_picture) {
  memset(image, 0, sizeof *image);
  image->width = width;
  image->height = height;
  if (take(from, 1)) {
    image->cache_bits = take(from, 4);
    if (image->cache_bits < 1 || image->cache_bits > MOST_CACHE_BITS) return 0;
    image->cache = calloc((size_t)1 << image->cache_bits, sizeof *image->cache);
    if (!image->cache) return 0;
  }
  if (is_picture && take(from, 1)) {
    image->tile_bits = 2 + take(from, 3);
    image->tiles_in_row = tiles_of(width, image->tile_bits);
    image->tiles = vp8l_image_read(from, image->tiles_in_row, tiles_of(height, image->tile_bits));
    if (!image->tiles) return 0;
  }
  return !is_past_end(from) && read_groups(image, from);
}

void vp8l_image_close(image *image) {
  free(image->tables.entries);
  free(image->groups);
  free(image->tiles);
  free(image->cache);
  memset(image, 0, sizeof *image);
}

static inline void remember(uint32_t *cache, uint32_t cache_bits, uint32_t pixel) {
  cache[(uint32_t)(pixel * 0x1e35a7bdu) >> (32 - cache_bits)] = pixel;
}

// A length or a distance, RFC 9649 §3.6.2.2. At least 18 bits have to be there.
static inline uint32_t prefixed(bits *from, uint32_t symbol) {
  if (symbol < 4) return symbol + 1;
  const uint32_t extra = (symbol - 2) >> 1;
  const uint32_t value = ((2 + (symbol & 1)) << extra) + ((uint32_t)from->buffer & ((1u << extra) - 1)) + 1;
  drop(from, extra);
  return value;
}

static inline void copy(uint32_t *to, size_t distance, size_t length) {
  const uint32_t *source = to - distance;
  if (distance >= length) {
    memcpy(to, source, length * sizeof *to);
  } else if (distance == 1) {
    const uint32_t pixel = *source;
    for (size_t index = 0; index < length; index++) to[index] = pixel;
  } else {
    for (size_t index = 0; index < length; index++) to[index] = source[index];
  }
}

// Decodes from `to` to `end`, which have the same codes; a copy may go further, but not after `last`. Answers where it ended, or
// NULL at damage. The last three parameters are constants of the caller.
static inline __attribute__((always_inline)) uint32_t *decode_part(
    const image *image, const group *group, bits *outer, uint32_t *to, uint32_t *end, const uint32_t *first, const uint32_t *last,
    int has_cache, int has_one_alpha, int has_one_color) {
  const entry *entries = image->tables.entries;
  const entry *greens = entries + group->green.start, *reds = entries + group->red.start;
  const entry *blues = entries + group->blue.start, *alphas = entries + group->alpha.start;
  const uint32_t green_mask = group->green.mask, red_mask = group->red.mask;
  const uint32_t blue_mask = group->blue.mask, alpha_mask = group->alpha.mask, constant = group->constant;
  uint32_t *cache = image->cache;
  const uint32_t cache_bits = image->cache_bits;
  bits from = *outer;
  while (to < end) {
    fill(&from);
    const uint32_t green = next_symbol(&from, greens, green_mask);
    if (__builtin_expect(green < LITERALS, 1)) {
      uint32_t pixel = green << 8 | constant;
      if (!has_one_color) {
        pixel |= next_symbol(&from, reds, red_mask) << 16;
        pixel |= next_symbol(&from, blues, blue_mask);
        if (!has_one_alpha) {
          if (from.count < LONGEST_CODE) fill(&from);
          pixel |= next_symbol(&from, alphas, alpha_mask) << 24;
        }
      }
      if (has_cache) remember(cache, cache_bits, pixel);
      *to++ = pixel;
    } else if (green < LITERALS + LENGTHS) {
      const size_t length = prefixed(&from, green - LITERALS);
      const uint32_t symbol = next_symbol(&from, entries + group->distance.start, group->distance.mask);
      fill(&from);
      size_t distance = prefixed(&from, symbol);
      if (distance > sizeof near) {
        distance -= sizeof near;
      } else {
        const int64_t columns = 8 - (near[distance - 1] & 15), rows = near[distance - 1] >> 4;
        const int64_t back = rows * image->width + columns;
        distance = back < 1 ? 1 : (size_t)back;
      }
      if (distance > (size_t)(to - first) || length > (size_t)(last - to)) {
        *outer = from;
        return NULL;
      }
      copy(to, distance, length);
      if (has_cache) {
        // Of a run, all pixels are the same.
        const size_t others = distance == 1 ? 1 : length;
        for (size_t index = 0; index < others; index++) remember(cache, cache_bits, to[index]);
      }
      to += length;
    } else {
      if (!has_cache) {
        *outer = from;
        return NULL;
      }
      const uint32_t pixel = cache[green - LITERALS - LENGTHS];
      remember(cache, cache_bits, pixel);
      *to++ = pixel;
    }
  }
  *outer = from;
  return to;
}

#define PART(name, has_cache, has_one_alpha, has_one_color)                                                                      \
  static __attribute__((noinline)) uint32_t *name(                                                                               \
      const image *image, const group *group, bits *from, uint32_t *to, uint32_t *end, const uint32_t *first,                    \
      const uint32_t *last) {                                                                                                    \
    return decode_part(image, group, from, to, end, first, last, has_cache, has_one_alpha, has_one_color);                       \
  }
PART(part, 0, 0, 0)
PART(part_of_one_alpha, 0, 1, 0)
PART(part_of_one_color, 0, 1, 1)
PART(cached_part, 1, 0, 0)
PART(cached_part_of_one_alpha, 1, 1, 0)
PART(cached_part_of_one_color, 1, 1, 1)

typedef uint32_t *(*part_decoder)(const image *, const group *, bits *, uint32_t *, uint32_t *, const uint32_t *, const uint32_t *);
static const part_decoder parts[2][3] = {
    {part, part_of_one_alpha, part_of_one_color}, {cached_part, cached_part_of_one_alpha, cached_part_of_one_color}};

// Pixels that take no bits.
static uint32_t *fill_part(const image *image, const group *group, uint32_t *to, uint32_t *end) {
  if (image->cache) remember(image->cache, image->cache_bits, group->constant);
  while (to < end) *to++ = group->constant;
  return to;
}

int vp8l_image_decode(image *image, bits *from, window *into, size_t count) {
  const size_t total = (size_t)image->width * image->height;
  const uint32_t *first = into->pixels;
  // As many as there are, and as have room.
  const uint32_t *last = first + (total - into->first < into->capacity ? total - into->first : into->capacity);
  uint32_t *to = into->pixels + (into->end - into->first), *const end = into->pixels + (count - into->first);
  uint32_t y = (uint32_t)(into->end / image->width), x = (uint32_t)(into->end % image->width);
  while (to < end) {
    uint32_t *part_end = end;
    const group *group = image->groups;
    if (image->tiles) {
      const uint32_t tile = x >> image->tile_bits;
      group += image->tiles[(size_t)(y >> image->tile_bits) * image->tiles_in_row + tile];
      uint32_t tile_end = (tile + 1) << image->tile_bits;
      if (tile_end > image->width) tile_end = image->width;
      if (tile_end - x < (size_t)(part_end - to)) part_end = to + (tile_end - x);
    }
    const part_decoder decode = parts[image->cache != NULL][group->has_one_alpha + group->has_one_color];
    uint32_t *reached = group->has_one_pixel ? fill_part(image, group, to, part_end)
                                             : decode(image, group, from, to, part_end, first, last);
    if (!reached) return 0;
    x += (uint32_t)(reached - to);
    for (; x >= image->width; x -= image->width) y++;
    to = reached;
    if (is_past_end(from)) return 0;
  }
  into->end = into->first + (size_t)(to - first);
  return 1;
}

uint32_t *vp8l_image_read(bits *from, uint32_t width, uint32_t height) {
  const size_t count = (size_t)width * height;
  image image;
  window all = {.pixels = malloc(count * sizeof(uint32_t)), .capacity = count};
  const int is_right = all.pixels && vp8l_image_open(&image, from, width, height, 0);
  const int is_decoded = is_right && vp8l_image_decode(&image, from, &all, count);
  if (all.pixels) vp8l_image_close(&image);
  if (is_decoded) return all.pixels;
  free(all.pixels);
  return NULL;
}
