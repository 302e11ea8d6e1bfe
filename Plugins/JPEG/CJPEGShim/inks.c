// SPDX-License-Identifier: Apache-2.0

#include "inks.h"

// a × b / 255, rounded; exact for all bytes.
static inline uint8_t product(uint32_t a, uint32_t b) {
  uint32_t value = a * b + 128;
  return (uint8_t)((value + (value >> 8)) >> 8);
}

// Files store what an ink leaves of the paper's white, not how much of it there is: Adobe began it, and files without
// Adobe's marker are read so everywhere. A pixel is what is left of the light under a color and black.
void inks_to_rgb(const uint8_t *restrict inks, uint8_t *restrict pixels, uint32_t count, imgcoder_pixel_format format) {
  if (format == IMGCODER_PIXEL_RGB8) {
    for (uint32_t i = 0; i < count; i++, inks += 4, pixels += 3) {
      pixels[0] = product(inks[0], inks[3]);
      pixels[1] = product(inks[1], inks[3]);
      pixels[2] = product(inks[2], inks[3]);
    }
  } else {
    const int red = format == IMGCODER_PIXEL_BGRA8 ? 2 : 0;
    for (uint32_t i = 0; i < count; i++, inks += 4, pixels += 4) {
      pixels[red] = product(inks[0], inks[3]);
      pixels[1] = product(inks[1], inks[3]);
      pixels[2 - red] = product(inks[2], inks[3]);
      pixels[3] = 0xFF;
    }
  }
}

void inks_to_amounts(const uint8_t *restrict inks, uint8_t *restrict pixels, uint32_t count) {
  for (uint64_t i = 0; i < (uint64_t)count * 4; i++) pixels[i] = 255 - inks[i];
}
