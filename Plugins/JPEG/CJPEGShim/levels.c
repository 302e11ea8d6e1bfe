// SPDX-License-Identifier: Apache-2.0

#include "levels.h"

#include <CProcessor.h>

#include "transform.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)
#define HAS_WIDE
#define WIDE __attribute__((target("avx2")))
#endif

enum { ZEROS = 0xF0, END = 0, MOST_BITS = 16 };

static const uint8_t natural[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
                                    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
                                    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};
// The same of a block whose rows and columns are exchanged.
static const uint8_t turned[64] = {0,  8,  1,  2,  9,  16, 24, 17, 10, 3,  4,  11, 18, 25, 32, 40, 33, 26, 19, 12, 5,  6,
                                   13, 20, 27, 34, 41, 48, 56, 49, 42, 35, 28, 21, 14, 7,  15, 22, 29, 36, 43, 50, 57, 58,
                                   51, 44, 37, 30, 23, 31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62, 55, 63};

// The binary logarithm, within 0.01: the same on all processors, which those of libraries are not.
static inline float logarithm(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const float exponent = (float)((int32_t)(bits >> 23) - 127);
  bits = (bits & 0x7FFFFF) | 0x3F800000;
  float m;
  memcpy(&m, &bits, sizeof m);
  return exponent + (-0.33582878f * m + 2.0f) * m - 1.65871022f;
}

// 2 to a power, by the same approximation.
static inline float power_of_two(float exponent) {
  const float low = exponent < -30 ? -30 : exponent > 30 ? 30 : exponent;
  const int32_t whole = (int32_t)(low + 64) - 64;
  const float rest = low - (float)whole;
  const uint32_t bits = (uint32_t)(whole + 127) << 23;
  float scale;
  memcpy(&scale, &bits, sizeof scale);
  return scale * (1 + rest * (0.6565f + 0.3435f * rest));
}

static inline int size_of(int value) { return 32 - __builtin_clz((unsigned)value); }

// Sizes of coefficients beside their steps, in the order of the transform.
TRANSFORM_INLINE void divide(const lanes m[8], const lanes inverse[8], lanes amount[8], whole_lanes level[8]) {
  for (int i = 0; i < 8; i++) {
    const lanes scaled = m[i] * inverse[i];
    amount[i] = (lanes)((whole_lanes)scaled & 0x7FFFFFFF);
    level[i] = __builtin_convertvector(amount[i] + 0.5f, whole_lanes);
  }
}

TRANSFORM_INLINE void invert(const levels_channel *channel, lanes inverse[8]) {
  for (int u = 0; u < 8; u++) {
    for (int v = 0; v < 8; v++) inverse[u][v] = 1 / (float)(PLANE_LEVEL * channel->steps[v * 8 + u]);
  }
}

// A bit for each coefficient in the order of scans whose level is not zero, but for DC.
TRANSFORM_INLINE uint64_t places_of(const int32_t level[64]) {
  uint64_t places = 0;
  for (int k = 1; k < 64; k++) places |= (uint64_t)(level[turned[k]] != 0) << k;
  return places;
}

TRANSFORM_INLINE void measure(const levels_channel *channel, uint32_t row, levels_counts *counts) {
  const plane *plane = channel->plane;
  lanes inverse[8];
  invert(channel, inverse);
  for (uint32_t column = 0; column < plane->columns; column++) {
    lanes m[8], amount[8], squares = {0};
    whole_lanes level[8];
    transform_block(plane, row, column, m);
    divide(m, inverse, amount, level);
    const float dc = m[0][0];
    for (int i = 0; i < 8; i++) squares += m[i] * m[i];
    float energy = 0;
    for (int i = 0; i < 8; i++) energy += squares[i];
    energy = (energy - dc * dc) / (63.0f * PLANE_LEVEL * PLANE_LEVEL);
    channel->busyness[(uint64_t)row * plane->columns + column] = logarithm((energy > 0 ? energy : 0) + 40);
    const int32_t *levels = (const int32_t *)level;
    int before = 0;
    for (uint64_t places = places_of(levels); places; places &= places - 1) {
      const int k = __builtin_ctzll(places);
      int run = k - before - 1;
      for (; run > 15; run -= 16) counts->of[ZEROS]++;
      counts->of[run << 4 | size_of(levels[turned[k]])]++;
      before = k;
    }
    if (before < 63) counts->of[END]++;
  }
}

levels_bits levels_bits_of(const levels_counts *counts) {
  levels_bits bits;
  uint64_t total = 0;
  for (int i = 0; i < 256; i++) total += counts->of[i];
  // Codes that have not come up may: they are counted as a part of one.
  const float all = logarithm((float)total + 256 * 0.3f);
  for (int i = 0; i < 256; i++) {
    const float length = all - logarithm((float)counts->of[i] + 0.3f);
    bits.of[i] = length > MOST_BITS ? MOST_BITS : length < 1 ? 1 : length;
  }
  return bits;
}

// How much an error of a block counts: less where it and its neighbors are busy.
static float weight_of(const levels_channel *channel, uint32_t row, uint32_t column) {
  const plane *plane = channel->plane;
  const uint32_t top = row > 0 ? row - 1 : row, bottom = row + 1 < plane->rows ? row + 1 : row;
  const uint32_t left = column > 0 ? column - 1 : column, right = column + 1 < plane->columns ? column + 1 : column;
  float sum = 0, count = 0;
  for (uint32_t y = top; y <= bottom; y++) {
    for (uint32_t x = left; x <= right; x++) {
      const float share = y == row && x == column ? 2 : 1;
      sum += share * channel->busyness[(uint64_t)y * plane->columns + x];
      count += share;
    }
  }
  const float usual = 7.13f;  // the logarithm of 140
  return power_of_two((float)-channel->mask * (sum / count - usual));
}

// A coefficient that may be written as something else than 0.
typedef struct candidate {
  float before;         // the error if all coefficients before it were 0
  float after;          // that with this one as 0 as well
  float best;           // the least cost of everything up to it, if it is the last that is not 0
  int32_t place, level;
  int32_t from, chosen; // which one is before it then, and its level
} candidate;

TRANSFORM_INLINE void choose(const levels_channel *channel, uint32_t row, const levels_bits *bits, JBLOCKROW blocks) {
  const plane *plane = channel->plane;
  const float lambda = (float)channel->lambda;
  float cost_of[256];
  for (int i = 0; i < 256; i++) cost_of[i] = lambda * (bits->of[i] + (float)(i & 15));
  lanes inverse[8];
  invert(channel, inverse);
  for (uint32_t column = 0; column < plane->columns; column++) {
    lanes m[8], amount[8], squares[8];
    whole_lanes level[8];
    transform_block(plane, row, column, m);
    divide(m, inverse, amount, level);
    JCOEF *block = blocks[column];
    memset(block, 0, sizeof *blocks);
    const int32_t *levels = (const int32_t *)level;
    block[0] = (JCOEF)(m[0][0] < 0 ? -levels[0] : levels[0]);
    uint64_t places = places_of(levels);
    if (places == 0) continue;
    const float weight = weight_of(channel, row, column);
    for (int i = 0; i < 8; i++) squares[i] = amount[i] * amount[i] * weight;
    const float *amounts = (const float *)amount, *errors = (const float *)squares;
    candidate path[65];
    path[0] = (candidate){.after = 0, .place = 0};
    int count = 1;
    float sum = 0;
    for (int k = 1; k < 64; k++) {
      const int at = turned[k];
      if (places >> k & 1) {
        path[count++] = (candidate){.before = sum, .after = sum + errors[at], .place = k, .level = levels[at]};
      }
      sum += errors[at];
    }
    float least = sum + cost_of[END];
    int last = 0;
    for (int n = 1; n < count; n++) {
      candidate *now = &path[n];
      const float x = amounts[turned[now->place]];
      const int high = now->level, low = high - 1, high_size = size_of(high), low_size = low > 0 ? size_of(low) : 0;
      const float high_error = weight * (x - (float)high) * (x - (float)high);
      const float low_error = low > 0 ? weight * (x - (float)low) * (x - (float)low) : 1e30f;
      float best = 1e30f;
      for (int r = n - 1; r >= 0; r--) {
        const candidate *from = &path[r];
        const float skipped = now->before - from->after;
        if (skipped > best) break;  // the error of zeros only grows
        int run = now->place - from->place - 1;
        float base = from->best + skipped;
        for (; run > 15; run -= 16) base += cost_of[ZEROS] ;
        const float as_high = base + high_error + cost_of[run << 4 | high_size];
        const float as_low = base + low_error + cost_of[run << 4 | low_size];
        const int is_low = as_low < as_high;
        const float cost = is_low ? as_low : as_high;
        if (cost >= best) continue;
        best = cost;
        now->from = r;
        now->chosen = is_low ? low : high;
      }
      now->best = best;
      const float total = best + (sum - now->after) + (now->place < 63 ? cost_of[END] : 0);
      if (total < least) {
        least = total;
        last = n;
      }
    }
    for (int n = last; n > 0; n = path[n].from) {
      const int k = path[n].place;
      block[natural[k]] = (JCOEF)(((const float *)m)[turned[k]] < 0 ? -path[n].chosen : path[n].chosen);
    }
  }
}

#ifdef HAS_WIDE
WIDE static void measure_wide(const levels_channel *channel, uint32_t row, levels_counts *counts) {
  measure(channel, row, counts);
}
WIDE static void choose_wide(const levels_channel *channel, uint32_t row, const levels_bits *bits, JBLOCKROW blocks) {
  choose(channel, row, bits, blocks);
}
#endif

void levels_measure(const levels_channel *channel, uint32_t row, levels_counts *counts) {
#ifdef HAS_WIDE
  if (processor_has_avx2()) return measure_wide(channel, row, counts);
#endif
  measure(channel, row, counts);
}

void levels_choose(const levels_channel *channel, uint32_t row, const levels_bits *bits, JBLOCKROW blocks) {
#ifdef HAS_WIDE
  if (processor_has_avx2()) return choose_wide(channel, row, bits, blocks);
#endif
  choose(channel, row, bits, blocks);
}
