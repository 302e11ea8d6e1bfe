// SPDX-License-Identifier: Apache-2.0
//
// The row loops of this processor beside those in plain C, the plain predictor beside the specification's words, and
// filtered rows beside the rows that they were made of.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CPNGRows.h"
#include "paeth.h"
#include "unfilter_plain.h"

// Zeros before a row: as many as the longest pixel has bytes.
#define MARGIN 8u

static const cpng_kernels *fast;

static void check(int holds, const char *what, unsigned filter, unsigned step, size_t width) {
  if (holds) return;
  printf("%s: filter %u, %u bytes a pixel, %zu pixels\n", what, filter, step, width);
  exit(1);
}

// Random bytes in memory of exactly `length`, so that one read too far is noticed.
static uint8_t *noise(size_t length, int values) {
  uint8_t *bytes = malloc(length);
  for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)(rand() % values);
  return bytes;
}

static void check_predictor(void) {
  for (int a = 0; a < 256; a++) {
    for (int b = 0; b < 256; b++) {
      for (int c = 0; c < 256; c++) {
        const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
        const int expected = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
        check(cpng_paeth(a, b, c) == expected, "predictor", 4, 1, 1);
      }
    }
  }
}

static void check_samples(unsigned filter, unsigned step, size_t width, int values) {
  const size_t length = step * width, size = length + CPNG_ROW_SLACK;
  uint8_t *in = noise(size, values), *below = noise(size, values), *above = noise(size, 256);
  uint8_t *found[2] = {noise(size, 1), noise(size, 1)}, *expected[2] = {noise(size, 1), noise(size, 1)};
  fast->samples(filter, in, found[0], above, length, step);
  cpng_plain_kernels.samples(filter, in, expected[0], above, length, step);
  check(memcmp(found[0], expected[0], length) == 0, "samples", filter, step, width);
  if (step == 3) {
    const uint8_t *rows[2] = {in, below};
    fast->triple_pair(rows, found, above, width);
    cpng_plain_kernels.triple_pair(rows, expected, above, width);
    for (int i = 0; i < 2; i++) check(memcmp(found[i], expected[i], length) == 0, "two rows", 4, step, width);
  }
  free(in);
  free(below);
  free(above);
  for (int i = 0; i < 2; i++) {
    free(found[i]);
    free(expected[i]);
  }
}

static void check_color(unsigned filter, const cpng_color_rows *rows) {
  const size_t size = rows->step * rows->width + CPNG_ROW_SLACK, pixels = 4 * rows->width;
  const uint8_t *in[2] = {noise(size, 256), noise(size, 256)};
  uint8_t *above = noise(pixels, 256);
  uint8_t *found[2] = {noise(pixels, 1), noise(pixels, 1)}, *expected[2] = {noise(pixels, 1), noise(pixels, 1)};
  fast->color(filter, in[0], found[0], above, rows);
  cpng_plain_kernels.color(filter, in[0], expected[0], above, rows);
  check(memcmp(found[0], expected[0], pixels) == 0, "color", filter, rows->step, rows->width);
  fast->color_pair(in, found, above, rows);
  cpng_plain_kernels.color_pair(in, expected, above, rows);
  for (int i = 0; i < 2; i++) {
    check(memcmp(found[i], expected[i], pixels) == 0, "two rows of color", 4, rows->step, rows->width);
    free((void *)in[i]);
    free(found[i]);
    free(expected[i]);
  }
  free(above);
}

// Every 16-bit value in every place: 255 v / 65535, rounded as libpng rounds.
static void check_scaling(unsigned channels, int is_bgr) {
  const size_t width = 65536, size = 2 * channels * width + CPNG_ROW_SLACK;
  uint8_t *samples = noise(size, 256), *pixels = noise(4 * width, 1);
  for (size_t x = 0; x < width; x++) {
    for (unsigned i = 0; i < channels; i++) {
      const unsigned value = (unsigned)(x * (2 * i + 1)) & 0xFFFF;
      samples[2 * (channels * x + i)] = (uint8_t)(value >> 8);
      samples[2 * (channels * x + i) + 1] = (uint8_t)value;
    }
  }
  const size_t done = fast->scaled_color(samples, pixels, width, channels, is_bgr);
  for (size_t x = 0; x < done; x++) {
    for (unsigned i = 0; i < 4; i++) {
      const unsigned from = is_bgr && i < 3 ? 2 - i : i;
      const unsigned value = (unsigned)(x * (2 * from + 1)) & 0xFFFF;
      const uint8_t expected = i < channels ? (uint8_t)((value * 255 + 32895) >> 16) : 0xFF;
      check(pixels[4 * x + i] == expected, "16 bits", 0, 2 * channels, x);
    }
  }
  free(samples);
  free(pixels);
}

// A filtered row gives the row again, and the chosen filter has the least sum of magnitudes (§12.7).
static void check_filter(size_t step, size_t width, int values) {
  const size_t length = step * width, size = MARGIN + length;
  uint8_t *row = noise(size, values), *above = noise(size, values), *out = noise(1 + length + CPNG_ROW_SLACK, 1);
  uint8_t *again = noise(length + CPNG_ROW_SLACK, 1);
  uint64_t sums[6] = {0};
  memset(row, 0, MARGIN);
  memset(above, 0, MARGIN);
  if (rand() % 4 == 0) memcpy(above, row, size);
  for (unsigned choice = 0; choice < 6; choice++) {
    const uint8_t *rows[2] = {row + MARGIN, above + MARGIN};
    cpng_filter(choice, rows[0], rows[1], length, step, out);
    check(out[0] < 5 && (choice == CPNG_FILTER_ADAPTIVE || out[0] == choice - 1), "type of a filtered row", choice,
          (unsigned)step, width);
    cpng_plain_kernels.samples(out[0], out + 1, again, rows[1], length, (unsigned)step);
    check(memcmp(again, rows[0], length) == 0, "filtered row", choice, (unsigned)step, width);
    for (size_t i = 1; i <= length; i++) sums[choice] += (uint64_t)abs((int8_t)out[i]);
    for (unsigned other = 1; choice == 5 && other < 6; other++) {
      check(sums[0] <= sums[other], "chosen filter", other, (unsigned)step, width);
    }
  }
  free(row);
  free(above);
  free(out);
  free(again);
}

static void check_without_alpha(size_t width, int is_bgr) {
  uint8_t *pixels = noise(4 * width, 256), *samples = noise(3 * width + CPNG_ROW_SLACK, 1);
  const size_t done = fast->without_alpha(pixels, samples, width, is_bgr);
  check(done <= width, "number of pixels without alpha", 0, 4, width);
  for (size_t x = 0; x < done; x++) {
    for (unsigned i = 0; i < 3; i++) {
      check(samples[3 * x + i] == pixels[4 * x + (is_bgr ? 2 - i : i)], "pixels without alpha", 0, 4, x);
    }
  }
  free(pixels);
  free(samples);
}

int main(void) {
  static const unsigned steps[6] = {1, 2, 3, 4, 6, 8};
  fast = cpng_best_kernels();
  check_predictor();
  for (unsigned round = 0; round < 4000; round++) {
    const size_t width = round % 5 ? 1 + (size_t)rand() % 40 : 1 + (size_t)rand() % 700;
    const cpng_color_rows rows = {width, 3 + (unsigned)rand() % 2, rand() % 2};
    check_samples(round % 5, steps[(unsigned)rand() % 6], width, round % 3 ? 256 : 4);
    check_color((unsigned)rand() % 5, &rows);
    check_without_alpha(width, rand() % 2);
    check_filter(steps[(unsigned)rand() % 6], width, round % 3 ? 256 : 4);
  }
  for (unsigned channels = 3; channels <= 4; channels++) {
    for (int is_bgr = 0; is_bgr < 2; is_bgr++) check_scaling(channels, is_bgr);
  }
  printf("the loops of %s agree with plain C\n", fast == &cpng_plain_kernels ? "plain C" : "this processor");
  return 0;
}
