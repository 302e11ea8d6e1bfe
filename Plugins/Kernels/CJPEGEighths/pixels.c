// SPDX-License-Identifier: Apache-2.0

#include "CJPEGEighths.h"

#include <string.h>

static uint8_t sample_of(int32_t value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

void eighths_pixels(const uint8_t *const lines[EIGHTHS_CHANNELS], size_t count, int is_luma, eighths_format format, uint8_t *out) {
  if (format == EIGHTHS_GRAY) {
    memcpy(out, lines[0], count);
    return;
  }
  const size_t bytes = format == EIGHTHS_RGB ? 3 : 4;
  const size_t red = format == EIGHTHS_BGRA ? 2 : 0, blue = 2 - red;
  for (size_t x = 0; x < count; x++, out += bytes) {
    const int32_t first = lines[0][x], second = lines[1][x], third = lines[2][x];
    if (is_luma) {
      // T.871 §7, times 65,536.
      const int32_t cb = second - 128, cr = third - 128;
      out[red] = sample_of(first + ((91881 * cr + 32768) >> 16));
      out[1] = sample_of(first + ((-22554 * cb - 46802 * cr + 32768) >> 16));
      out[blue] = sample_of(first + ((116130 * cb + 32768) >> 16));
    } else {
      out[red] = (uint8_t)first;
      out[1] = (uint8_t)second;
      out[blue] = (uint8_t)third;
    }
    if (bytes == 4) out[3] = 255;
  }
}
