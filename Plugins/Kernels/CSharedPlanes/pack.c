// SPDX-License-Identifier: Apache-2.0
//
// Three rows of colors become one of pixels, which are opaque.

#include <string.h>

#include "rows.h"

static void pack_four_bytes(const uint8_t *restrict first, const uint8_t *restrict second,
                            const uint8_t *restrict third, size_t width, uint8_t *restrict out) {
  for (size_t i = 0; i < width; i++) {
    uint32_t pixel = first[i] | (uint32_t)second[i] << 8 | (uint32_t)third[i] << 16 | 0xff000000u;
    memcpy(out + 4 * i, &pixel, 4);
  }
}

static void pack_three_bytes(const uint8_t *restrict first, const uint8_t *restrict second,
                             const uint8_t *restrict third, size_t width, uint8_t *restrict out) {
  for (size_t i = 0; i < width; i++) {
    out[3 * i] = first[i];
    out[3 * i + 1] = second[i];
    out[3 * i + 2] = third[i];
  }
}

static void pack_two_bytes(const uint8_t *restrict gray, size_t width, uint8_t *restrict out) {
  for (size_t i = 0; i < width; i++) {
    out[2 * i] = gray[i];
    out[2 * i + 1] = 255;
  }
}

void pack_bytes(const planes_layout *layout, const uint8_t *const colors[3], size_t width, uint8_t *pixels) {
  const uint8_t *first = colors[layout->is_bgr ? 2 : 0], *third = colors[layout->is_bgr ? 0 : 2];
  switch (layout->channels) {
    case 1: memcpy(pixels, colors[0], width); break;
    case 2: pack_two_bytes(colors[0], width, pixels); break;
    case 3: pack_three_bytes(first, colors[1], third, width, pixels); break;
    default: pack_four_bytes(first, colors[1], third, width, pixels);
  }
}

static void integers_to_four_bytes(const uint32_t *restrict first, const uint32_t *restrict second,
                                   const uint32_t *restrict third, size_t width, uint8_t *restrict out) {
  for (size_t i = 0; i < width; i++) {
    uint32_t pixel = first[i] | second[i] << 8 | third[i] << 16 | 0xff000000u;
    memcpy(out + 4 * i, &pixel, 4);
  }
}

// Little-endian machines alone: two samples of 16 bits in one of 32.
static void integers_to_four_words(const uint32_t *restrict first, const uint32_t *restrict second,
                                   const uint32_t *restrict third, size_t width, uint32_t *restrict out) {
  for (size_t i = 0; i < width; i++) {
    out[2 * i] = first[i] | second[i] << 16;
    out[2 * i + 1] = third[i] | 0xffff0000u;
  }
}

#define PACK_INTEGERS(NAME, TYPE, TOP)                                                                              \
  static void NAME(const uint32_t *restrict first, const uint32_t *restrict second, const uint32_t *restrict third, \
                   uint32_t channels, size_t width, TYPE *restrict out) {                                           \
    switch (channels) {                                                                                             \
      case 1:                                                                                                       \
        for (size_t i = 0; i < width; i++) out[i] = (TYPE)first[i];                                                 \
        break;                                                                                                      \
      case 2:                                                                                                       \
        for (size_t i = 0; i < width; i++) {                                                                        \
          out[2 * i] = (TYPE)first[i];                                                                              \
          out[2 * i + 1] = TOP;                                                                                     \
        }                                                                                                           \
        break;                                                                                                      \
      default:                                                                                                      \
        for (size_t i = 0; i < width; i++) {                                                                        \
          out[3 * i] = (TYPE)first[i];                                                                              \
          out[3 * i + 1] = (TYPE)second[i];                                                                         \
          out[3 * i + 2] = (TYPE)third[i];                                                                          \
        }                                                                                                           \
    }                                                                                                               \
  }

PACK_INTEGERS(integers_to_bytes, uint8_t, 255)
PACK_INTEGERS(integers_to_words, uint16_t, 65535)

void pack_integers(const planes_layout *layout, const uint32_t *const colors[3], size_t width, uint8_t *pixels) {
  const uint32_t *first = colors[layout->is_bgr ? 2 : 0], *second = colors[1], *third = colors[layout->is_bgr ? 0 : 2];
  if (layout->bytes_per_channel == 1) {
    if (layout->channels == 4) integers_to_four_bytes(first, second, third, width, pixels);
    else integers_to_bytes(first, second, third, layout->channels, width, pixels);
  } else if (layout->channels == 4) {
    integers_to_four_words(first, second, third, width, (uint32_t *)(void *)pixels);
  } else {
    integers_to_words(first, second, third, layout->channels, width, (uint16_t *)(void *)pixels);
  }
}
