// SPDX-License-Identifier: Apache-2.0

#include "unfilter_plain.h"

#include <string.h>

#include "paeth.h"

static void plain_samples(unsigned filter, const uint8_t *in, uint8_t *out, const uint8_t *above, size_t length,
                          unsigned step) {
  const size_t first = step < length ? step : length;
  switch (filter) {
    case 1:
      memcpy(out, in, first);
      for (size_t i = first; i < length; i++) out[i] = (uint8_t)(in[i] + out[i - step]);
      break;
    case 2:
      for (size_t i = 0; i < length; i++) out[i] = (uint8_t)(in[i] + above[i]);
      break;
    case 3:
      for (size_t i = 0; i < first; i++) out[i] = (uint8_t)(in[i] + above[i] / 2);
      for (size_t i = first; i < length; i++) out[i] = (uint8_t)(in[i] + (out[i - step] + above[i]) / 2);
      break;
    case 4:
      for (size_t i = 0; i < first; i++) out[i] = (uint8_t)(in[i] + above[i]);
      for (size_t i = first; i < length; i++) {
        out[i] = (uint8_t)(in[i] + cpng_paeth(out[i - step], above[i], above[i - step]));
      }
      break;
    default: memcpy(out, in, length);
  }
}

static void plain_color(unsigned filter, const uint8_t *in, uint8_t *out, const uint8_t *above,
                        const cpng_color_rows *rows) {
  const uint8_t nothing[4] = {0};
  const unsigned step = rows->step;
  for (size_t x = 0; x < rows->width; x++, in += step) {
    const uint8_t *left = x ? out + 4 * x - 4 : nothing, *corner = x ? above + 4 * x - 4 : nothing;
    uint8_t *pixel = out + 4 * x;
    for (unsigned channel = 0; channel < step; channel++) {
      const unsigned place = rows->is_bgr && channel < 3 ? 2 - channel : channel;
      uint8_t guess = 0;
      switch (filter) {
        case 1: guess = left[place]; break;
        case 2: guess = above[4 * x + place]; break;
        case 3: guess = (uint8_t)((left[place] + above[4 * x + place]) / 2); break;
        case 4: guess = cpng_paeth(left[place], above[4 * x + place], corner[place]); break;
        default: break;
      }
      pixel[place] = (uint8_t)(in[channel] + guess);
    }
    if (step == 3) pixel[3] = 0xFF;
  }
}

static void plain_color_pair(const uint8_t *in[2], uint8_t *out[2], const uint8_t *above, const cpng_color_rows *rows) {
  plain_color(4, in[0], out[0], above, rows);
  plain_color(4, in[1], out[1], out[0], rows);
}

static void plain_triple_pair(const uint8_t *in[2], uint8_t *out[2], const uint8_t *above, size_t width) {
  plain_samples(4, in[0], out[0], above, 3 * width, 3);
  plain_samples(4, in[1], out[1], out[0], 3 * width, 3);
}

// The caller's own loop is as plain as one here.
static size_t plain_scaled_color(const uint8_t *samples, uint8_t *pixels, size_t width, unsigned channels, int is_bgr) {
  return 0;
}

static size_t plain_without_alpha(const uint8_t *pixels, uint8_t *samples, size_t width, int is_bgr) { return 0; }

const cpng_kernels cpng_plain_kernels = {plain_samples,     plain_color,        plain_color_pair,
                                         plain_triple_pair, plain_scaled_color, plain_without_alpha};
