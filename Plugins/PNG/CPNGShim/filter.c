// SPDX-License-Identifier: Apache-2.0
//
// Filters of rows (PNG Third Edition §9), written so that compilers make vectors of them.

#include <string.h>

#include "write.h"

// The sum of absolute differences of filtered bytes, taken as signed: the smaller, the better they compress (§12.7).
static uint64_t magnitude(const uint8_t *restrict bytes, size_t length) {
  uint64_t sum = 0;
  while (length > 0) {
    // 32 bits hold as many bytes, at 128 each, and make faster vectors.
    size_t count = length < 1u << 20 ? length : 1u << 20;
    uint32_t part = 0;
    for (size_t i = 0; i < count; i++) part += bytes[i] < 128 ? bytes[i] : 256u - bytes[i];
    sum += part;
    bytes += count;
    length -= count;
  }
  return sum;
}

static void sub(const uint8_t *restrict row, uint8_t *restrict out, size_t length, size_t step) {
  memcpy(out, row, step);
  for (size_t i = step; i < length; i++) out[i] = (uint8_t)(row[i] - row[i - step]);
}

static void up(const uint8_t *restrict row, const uint8_t *restrict above, uint8_t *restrict out, size_t length) {
  for (size_t i = 0; i < length; i++) out[i] = (uint8_t)(row[i] - above[i]);
}

static void average(const uint8_t *restrict row, const uint8_t *restrict above, uint8_t *restrict out, size_t length,
                    size_t step) {
  for (size_t i = 0; i < step; i++) out[i] = (uint8_t)(row[i] - above[i] / 2);
  for (size_t i = step; i < length; i++) out[i] = (uint8_t)(row[i] - (uint16_t)(row[i - step] + above[i]) / 2);
}

static void paeth(const uint8_t *restrict row, const uint8_t *restrict above, uint8_t *restrict out, size_t length,
                  size_t step) {
  for (size_t i = 0; i < step; i++) out[i] = (uint8_t)(row[i] - above[i]);
  for (size_t i = step; i < length; i++) {
    int16_t left = row[i - step], over = above[i], corner = above[i - step];
    int16_t by_left = (int16_t)(over - corner), by_over = (int16_t)(left - corner);
    int16_t by_corner = (int16_t)(by_left + by_over);
    by_left = by_left < 0 ? (int16_t)-by_left : by_left;
    by_over = by_over < 0 ? (int16_t)-by_over : by_over;
    by_corner = by_corner < 0 ? (int16_t)-by_corner : by_corner;
    int16_t guess = by_over <= by_corner ? over : corner;
    guess = by_left <= by_over && by_left <= by_corner ? left : guess;
    out[i] = (uint8_t)(row[i] - guess);
  }
}

static void apply(unsigned type, const uint8_t *row, const uint8_t *above, uint8_t *out, size_t length, size_t step) {
  switch (type) {
    case 1: sub(row, out, length, step); break;
    case 2: up(row, above, out, length); break;
    case 3: average(row, above, out, length, step); break;
    case 4: paeth(row, above, out, length, step); break;
    default: memcpy(out, row, length);
  }
}

void cpng_filter(unsigned choice, const uint8_t *row, const uint8_t *above, size_t length, size_t step, uint8_t *out,
                 uint8_t *spare) {
  if (choice == CPNG_FILTER_FLAT) choice = memcmp(row, above, length) == 0 ? 3 : 1;
  if (choice != CPNG_FILTER_ADAPTIVE) {
    out[0] = (uint8_t)(choice - 1);
    apply(choice - 1, row, above, out + 1, length, step);
    return;
  }
  uint64_t least = magnitude(row, length);
  uint8_t *best = NULL;
  unsigned best_type = 0;
  // The two buffers take turns: one holds the best so far.
  uint8_t *free_one = out + 1, *other = spare;
  for (unsigned type = 1; type < 5 && least > 0; type++) {
    apply(type, row, above, free_one, length, step);
    uint64_t sum = magnitude(free_one, length);
    if (sum >= least) continue;
    least = sum;
    best_type = type;
    best = free_one;
    free_one = other;
    other = best;
  }
  out[0] = (uint8_t)best_type;
  if (!best) memcpy(out + 1, row, length);
  if (best == spare) memcpy(out + 1, spare, length);
}
