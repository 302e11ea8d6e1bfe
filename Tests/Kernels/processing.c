// SPDX-License-Identifier: Apache-2.0
//
// Loops over pictures of 8 bits: those with vectors beside one sample at a time, to the bit, and all of them in memory of
// exactly as many bytes as they are given.

#include <stdio.h>
#include <stdlib.h>

// With the functions that are chosen from.
#include "blur.c"
#include "turn.c"

static void check(int holds, const char *what, size_t number) {
  if (holds) return;
  printf("%s: %zu\n", what, number);
  exit(1);
}

static uint8_t *any_bytes(size_t count) {
  uint8_t *bytes = malloc(count);
  for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)(rand() % 3 ? rand() : rand() % 2 * 255);
  return bytes;
}

// A kernel that falls to both sides, of any shape.
static void make_weights(uint16_t *weights, uint32_t reach) {
  uint32_t left = 65536;
  for (uint32_t n = reach; n > 0; n--) left -= weights[n] = (uint16_t)((uint32_t)rand() % (left / (n + 2)));
  weights[0] = (uint16_t)(left > 65535 ? 65535 : left);
}

static uint32_t sum_of(uint32_t middle, const uint32_t *pairs, const kernel *k) {
  uint32_t sum = k->bias + (middle * k->weights[0] >> 16);
  for (uint32_t n = 1; n <= k->reach; n++) sum += pairs[n] * k->weights[n] >> 16;
  return sum;
}

static void check_blur(uint32_t width, uint32_t height, uint32_t channels, uint32_t reach, uint32_t last) {
  const size_t stride = (size_t)width * channels, line = stride;
  uint8_t *pixels = any_bytes(stride * height), *out = malloc(stride * height);
  uint16_t weights[PROCESSING_MOST_WEIGHTS], *down = malloc(2 * line);
  make_weights(weights, reach);
  const processing_picture picture = {pixels, stride, width, height, channels, last};
  void *scratch = malloc(processing_blur_scratch(&picture, reach));
  const uint32_t half = height / 2;
  if (half > 0) processing_blur(&picture, weights, reach, 0, half, out, stride, scratch);
  processing_blur(&picture, weights, reach, half, height, out + half * stride, stride, scratch);
  const kernel first = {weights, reach, (uint16_t)((reach + 1) / 2)}, second = {weights, reach, (uint16_t)((reach + 1) / 2 + 128)};
  uint32_t pairs[PROCESSING_MOST_WEIGHTS];
  for (uint32_t y = 0; y < height; y++) {
    for (size_t i = 0; i < line; i++) {
      for (uint32_t n = 1; n <= reach; n++) {
        const uint32_t above = y < n ? 0 : y - n, below = y + n < height ? y + n : height - 1;
        pairs[n] = (pixels[above * stride + i] + pixels[below * stride + i]) << 7;
      }
      down[i] = (uint16_t)sum_of(pixels[y * stride + i] << 8, pairs, &first);
    }
    for (size_t i = 0; i < line; i++) {
      for (size_t n = 1; n <= reach; n++) {
        const size_t before = i < n * channels ? i % channels : i - n * channels;
        const size_t after = i + n * channels < line ? i + n * channels : line - channels + i % channels;
        pairs[n] = ((uint32_t)down[before] + down[after] + 1) >> 1;
      }
      const uint8_t expected = last == PROCESSING_OPAQUE && i % channels == channels - 1 ? 255 : (uint8_t)(sum_of(down[i], pairs, &second) >> 8);
      check(out[y * stride + i] == expected, "blur", width * 1000 + height);
    }
  }
  free(pixels);
  free(out);
  free(down);
  free(scratch);
}

// Straight alpha: of opaque pixels the colors are those without, and what is transparent does not show.
static void check_straight(uint32_t width) {
  uint8_t *pixels = any_bytes(4 * width * 3), *out = malloc(4 * width * 3), *plain = malloc(4 * width * 3);
  for (uint32_t i = 3; i < 4 * width * 3; i += 4) pixels[i] = 255;
  uint16_t weights[6];
  make_weights(weights, 5);
  processing_picture picture = {pixels, 4 * width, width, 3, 4, PROCESSING_STRAIGHT};
  void *scratch = malloc(processing_blur_scratch(&picture, 5));
  processing_blur(&picture, weights, 5, 0, 3, out, 4 * width, scratch);
  picture.last = PROCESSING_OPAQUE;
  processing_blur(&picture, weights, 5, 0, 3, plain, 4 * width, scratch);
  for (uint32_t i = 0; i < 4 * width * 3; i++) check(abs(out[i] - plain[i]) <= 1, "blur of straight alpha", width);
  memset(pixels, 0, 4 * width * 3);
  for (uint32_t i = 0; i < 4 * width * 3; i += 4) pixels[i] = 200;
  picture.last = PROCESSING_STRAIGHT;
  processing_blur(&picture, weights, 5, 0, 3, out, 4 * width, scratch);
  for (uint32_t i = 0; i < 4 * width * 3; i++) check(out[i] == 0, "blur of nothing", width);
  free(pixels);
  free(out);
  free(plain);
  free(scratch);
}

static void check_turn(uint32_t channels, uint32_t out_channels) {
  enum { SIDE = 40, COUNT = 30 };
  static int16_t weights[PROCESSING_TURN_PHASES][4];
  processing_turn_weights(weights);
  uint8_t *pixels = any_bytes(SIDE * SIDE * channels), *out = malloc(COUNT * out_channels), *plain = malloc(COUNT * out_channels);
  for (int turn = 0; turn < 200; turn++) {
    const int64_t one = (int64_t)1 << 32;
    const processing_turn how = {pixels, SIDE * channels, channels, out_channels, one * (rand() % 100) / 100, one * (rand() % 100 - 50) / 100, weights};
    const int64_t u = 2 * one + rand(), v = 19 * one + rand();
    processing_turn_fill(&how, u, v, out, COUNT);
    // What is rounded to the nearest phase there is rounded down here.
    const int64_t half = (int64_t)1 << (31 - PROCESSING_TURN_BITS);
    fill_plain(&how, u + half, v + half, plain, COUNT);
    check(memcmp(out, plain, COUNT * out_channels) == 0, "turn", channels * 10 + out_channels);
  }
  free(pixels);
  free(out);
  free(plain);
}

int main(void) {
  const uint32_t widths[] = {1, 2, 5, 11, 16, 21, 22, 33, 64, 65, 90};
  for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
    for (uint32_t channels = 1; channels <= 4; channels++) {
      for (uint32_t reach = 1; reach <= 21; reach += 4) {
        check_blur(widths[w], 1 + (uint32_t)rand() % 9, channels, reach, PROCESSING_PLAIN);
        if (channels == 4) check_blur(widths[w], 3, channels, reach, PROCESSING_OPAQUE);
      }
    }
    check_straight(widths[w]);
  }
  for (uint32_t channels = 1; channels <= 3; channels += 2) {
    for (uint32_t more = 0; more <= 1; more++) check_turn(channels, channels + more);
  }
  puts("blurs and turns of bytes are those of one sample at a time");
  return 0;
}
