// SPDX-License-Identifier: Apache-2.0
//
// The loops with vectors of lossless WebP, of a JPEG's eighths and of pixels of three and four bytes, beside plain C.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CPixelBytes.h"
#include "transform.h"
#include "transforms.h"

// The same files, built with VP8L_PLAIN and these names.
void plain_undo_predictor(const transform *transform, uint32_t y, const uint32_t *row, uint32_t *above, uint32_t *out);
void plain_undo_cross_color(const transform *transform, uint32_t y, const uint32_t *row, uint32_t *out);

#define WIDEST 70u

static void check(int holds, const char *what, unsigned number, size_t width) {
  if (holds) return;
  printf("%s: %u, %zu pixels\n", what, number, width);
  exit(1);
}

static void any_words(uint32_t *words, size_t count, uint32_t mask) {
  for (size_t i = 0; i < count; i++) words[i] = (((uint32_t)rand() << 16) ^ (uint32_t)rand()) & mask;
}

// RFC 9649 §3.5.1 and §3.5.2, in tiles of each mode. Colors that lie near each other meet the limits of the gradients less often.
static void check_transforms(uint32_t width, uint32_t mode, uint32_t mask) {
  uint32_t data[WIDEST / 4 + 1], row[WIDEST], above[2][WIDEST + 2], found[WIDEST], expected[WIDEST];
  transform transform = {.width = width, .bits = 2, .tiles_in_row = (width + 3) / 4, .data = data};
  for (uint32_t i = 0; i < transform.tiles_in_row; i++) data[i] = (mode < 14 ? mode : (uint32_t)rand() % 14) << 8;
  any_words(row, width, mask);
  any_words(above[0], width, mask);
  memcpy(above[1], above[0], sizeof above[0]);
  vp8l_undo_predictor(&transform, 1, row, above[0], found);
  plain_undo_predictor(&transform, 1, row, above[1], expected);
  check(memcmp(found, expected, 4 * width) == 0, "predictor", mode, width);
  vp8l_undo_predictor(&transform, 0, row, NULL, found);
  plain_undo_predictor(&transform, 0, row, NULL, expected);
  check(memcmp(found, expected, 4 * width) == 0, "predictor of the first row", mode, width);
  any_words(data, transform.tiles_in_row, 0xffffffff);
  vp8l_undo_cross_color(&transform, 0, row, found);
  plain_undo_cross_color(&transform, 0, row, expected);
  check(memcmp(found, expected, 4 * width) == 0, "cross color", 0, width);
}

// The columns of T.81 A.3.3 for four samples of a block: products of 16 bits, sums of 32.
static void check_columns(int any) {
  int16_t block[64];
  uint16_t steps[64];
  int32_t halves[2][8];
  for (int i = 0; i < 64; i++) {
    block[i] = (int16_t)(any ? rand() : rand() % 256 - 128);
    steps[i] = (uint16_t)(1 + rand() % (any ? 65535 : 64));
  }
  transform_columns(block, steps, halves);
  for (int x = 0; x < 8; x += x == 0 ? 1 : 2) {
    int64_t at[8];
    for (int y = 0; y < 8; y++) at[y] = (int16_t)((uint32_t)block[8 * y + x] * steps[8 * y + x]);
    const int64_t odd = 29692 * at[1] - 10426 * at[3] + 6967 * at[5] - 5906 * at[7], even = at[0] * 32768 + 4096;
    check(halves[0][x] == (int32_t)(uint32_t)(even + odd) >> 13, "first half", (unsigned)x, 8);
    check(halves[1][x] == (int32_t)(uint32_t)(even - odd) >> 13, "second half", (unsigned)x, 8);
  }
}

// Memory of exactly as many bytes, so that one too many is noticed.
static void check_pixel_bytes(size_t count, int swaps) {
  uint8_t *three = malloc(3 * count + !count), *four = malloc(4 * count + !count), *again = malloc(3 * count + !count);
  for (size_t i = 0; i < 3 * count; i++) three[i] = (uint8_t)rand();
  pixel_bytes_widen(three, four, count, swaps);
  for (size_t i = 0; i < 4 * count; i++) {
    const uint8_t expected = i % 4 == 3 ? 255 : three[i / 4 * 3 + (swaps ? 2 - i % 4 : i % 4)];
    check(four[i] == expected, "three bytes as four", (unsigned)swaps, count);
  }
  pixel_bytes_narrow(four, again, count, swaps);
  check(memcmp(three, again, 3 * count) == 0, "four bytes as three", (unsigned)swaps, count);
  pixel_bytes_swap3(three, again, count);
  for (size_t i = 0; i < 3 * count; i++) {
    check(again[i] == three[i / 3 * 3 + 2 - i % 3], "three bytes the other way", 0, count);
  }
  free(three);
  free(four);
  free(again);
}

int main(void) {
  srand(1);
  for (int round = 0; round < 60; round++) {
    for (uint32_t width = 1; width <= WIDEST; width++) {
      check_transforms(width, (uint32_t)round % 15, round % 2 ? 0xffffffff : 0x3f1f0f3f);
    }
  }
  for (int round = 0; round < 100000; round++) check_columns(round % 2);
  for (size_t count = 0; count < 200; count++) {
    check_pixel_bytes(count, 0);
    check_pixel_bytes(count, 1);
  }
  return 0;
}
