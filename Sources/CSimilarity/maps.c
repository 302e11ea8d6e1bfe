// SPDX-License-Identifier: Apache-2.0

#include "maps.h"

#include <math.h>
#include <string.h>

// The same operations in the same order on all processors: no product is fused with a sum.
#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)
#define HAS_WIDE
#define WIDE __attribute__((target("avx2")))
#endif
#define INLINE static inline __attribute__((always_inline))

enum { REACH = 4, TAPS = 2 * REACH + 1 };

// All that takes vectors is inlined: it does not matter how they would be passed.
#pragma GCC diagnostic ignored "-Wpsabi"

typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t whole_lanes __attribute__((vector_size(4 * LANES)));

// A Gaussian of sigma 1.5, as the published recursive filter has it. Outside of the picture is 0.
static const float tap[REACH + 1] = {0.264621105f, 0.212928592f, 0.109335373f, 0.036011115f, 0.009414368f};

INLINE lanes load(const float *from) {
  lanes v;
  memcpy(&v, from, sizeof v);
  return v;
}
INLINE void store(float *to, lanes v) { memcpy(to, &v, sizeof v); }
INLINE lanes positive(lanes v) { return (lanes)((whole_lanes)v & (v > 0)); }
INLINE lanes absolute(lanes v) { return (lanes)((whole_lanes)v & 0x7FFFFFFF); }


// A guess from the exponent, then two of Halley's steps. x is above 0.
INLINE lanes cube_root(lanes x) {
  const whole_lanes bits = __builtin_convertvector(__builtin_convertvector((whole_lanes)x, lanes) * (1.0f / 3), whole_lanes);
  lanes y = (lanes)(bits + 709921077);
  for (int step = 0; step < 2; step++) {
    const lanes cube = y * y * y;
    y = y * (cube + 2 * x) / (2 * cube + x);
  }
  return y;
}

static const float bias = 0.0037930732552754493f;

// Linear light to XYB, moved so that all of it is above 0.
INLINE void make_xyb(float *const linear[CHANNELS], float *const xyb[CHANNELS], uint64_t count) {
  const lanes zero = {0}, root = cube_root(zero + bias);
  for (uint64_t i = 0; i < count; i += LANES) {
    const lanes r = load(linear[0] + i), g = load(linear[1] + i), b = load(linear[2] + i);
    const lanes l = cube_root(0.30f * r + 0.622f * g + 0.078f * b + bias) - root;
    const lanes m = cube_root(0.23f * r + 0.692f * g + 0.078f * b + bias) - root;
    const lanes s = cube_root(0.24342268924547819f * r + 0.20476744424496821f * g + 0.5518098665095536f * b + bias) - root;
    const lanes y = 0.5f * (l + m);
    store(xyb[0] + i, 0.5f * (l - m) * 14 + 0.42f);
    store(xyb[1] + i, y + 0.01f);
    store(xyb[2] + i, s - y + 0.55f);
  }
}

// Rows of up to three products that have been blurred from left to right: the last nine, so that those in the middle can be
// blurred from top to bottom.
enum { PRODUCTS = 3 };
typedef struct window {
  uint64_t stride;
  float *memory;
  float *row[PRODUCTS];          // the row that comes, with room for REACH samples before it
  float *blurred[PRODUCTS][TAPS];
} window;

static int window_begin(window *window, uint32_t width) {
  window->stride = stride_of(width) + 2 * LANES;
  const uint64_t count = window->stride * PRODUCTS * (1 + TAPS);
  window->memory = floats(count);
  if (!window->memory) return 0;
  memset(window->memory, 0, count * sizeof(float));
  for (int p = 0; p < PRODUCTS; p++) {
    window->row[p] = window->memory + window->stride * (uint64_t)p + LANES;
    for (int i = 0; i < TAPS; i++) window->blurred[p][i] = window->memory + window->stride * (uint64_t)(PRODUCTS + p * TAPS + i);
  }
  return 1;
}

INLINE void blur_across(window *window, int product, int slot, uint64_t count) {
  const float *in = window->row[product];
  float *out = window->blurred[product][slot];
  for (uint64_t x = 0; x < count; x += LANES) {
    lanes sum = tap[0] * load(in + x);
    for (int i = 1; i <= REACH; i++) sum += tap[i] * (load(in + x - i) + load(in + x + i));
    store(out + x, sum);
  }
}

// The nine rows around the one in the middle, when `slot` holds the last.
INLINE void around(const window *window, int product, int slot, const float *rows[TAPS]) {
  for (int i = 0; i < TAPS; i++) rows[i] = window->blurred[product][(slot + 1 + i) % TAPS];
}

INLINE lanes blur_down(const float *const rows[TAPS], uint64_t x) {
  lanes sum = tap[0] * load(rows[REACH] + x);
  for (int i = 1; i <= REACH; i++) sum += tap[i] * (load(rows[REACH - i] + x) + load(rows[REACH + i] + x));
  return sum;
}

static void clear_slot(window *window, int slot) {
  for (int p = 0; p < PRODUCTS; p++) memset(window->blurred[p][slot], 0, window->stride * sizeof(float));
}

INLINE void blur_original(window *window, const scale *scale, int channel) {
  const uint64_t stride = scale->stride;
  for (uint32_t y = 0; y < scale->height + REACH; y++) {
    const int slot = (int)(y % TAPS);
    if (y < scale->height) {
      const float *row = scale->channel[channel] + y * stride;
      for (uint64_t x = 0; x < stride; x += LANES) {
        const lanes v = load(row + x);
        store(window->row[0] + x, v);
        store(window->row[1] + x, v * v);
      }
      for (int p = 0; p < 2; p++) blur_across(window, p, slot, stride);
    } else {
      clear_slot(window, slot);
    }
    if (y < REACH) continue;
    const uint64_t to = (y - REACH) * stride;
    const float *values[TAPS], *squares[TAPS];
    around(window, 0, slot, values);
    around(window, 1, slot, squares);
    for (uint64_t x = 0; x < stride; x += LANES) {
      store(scale->mean[channel] + to + x, blur_down(values, x));
      store(scale->square[channel] + to + x, blur_down(squares, x));
    }
  }
  for (int slot = 0; slot < TAPS; slot++) clear_slot(window, slot);
}

INLINE void add_to(lanes *sums, lanes value) {
  sums[0] += value;
  value *= value;
  sums[1] += value * value;
}

// For each map of a channel at a scale: the mean, and the fourth root of the mean of fourth powers.
INLINE void measure(window *window, const scale *scale, int channel, const float *other, double features[FEATURES]) {
  const uint64_t stride = scale->stride, last = stride - LANES;
  double totals[FEATURES] = {0};
  whole_lanes inside;
  for (int i = 0; i < LANES; i++) inside[i] = last + (uint64_t)i < scale->width ? -1 : 0;
  for (uint32_t y = 0; y < scale->height + REACH; y++) {
    const int slot = (int)(y % TAPS);
    if (y < scale->height) {
      const float *a = scale->channel[channel] + y * stride, *b = other + y * stride;
      for (uint64_t x = 0; x < stride; x += LANES) {
        const lanes v = load(b + x);
        store(window->row[0] + x, v);
        store(window->row[1] + x, v * v);
        store(window->row[2] + x, v * load(a + x));
      }
      for (int p = 0; p < PRODUCTS; p++) blur_across(window, p, slot, stride);
    } else {
      clear_slot(window, slot);
    }
    if (y < REACH) continue;
    const uint64_t from = (y - REACH) * stride;
    const float *a = scale->channel[channel] + from, *b = other + from;
    const float *mean = scale->mean[channel] + from, *square = scale->square[channel] + from;
    const float *values[TAPS], *squares[TAPS], *products[TAPS];
    around(window, 0, slot, values);
    around(window, 1, slot, squares);
    around(window, 2, slot, products);
    lanes sums[FEATURES] = {{0}};
    for (uint64_t x = 0; x < stride; x += LANES) {
      const lanes m1 = load(mean + x), m2 = blur_down(values, x), difference = m1 - m2;
      const lanes shared = 2 * (blur_down(products, x) - m1 * m2) + 0.0009f;
      const lanes own = (load(square + x) - m1 * m1) + (blur_down(squares, x) - m2 * m2) + 0.0009f;
      lanes lost = positive(1 - (1 - difference * difference) * shared / own);
      lanes edge = (1 + absolute(load(b + x) - m2)) / (1 + absolute(load(a + x) - m1)) - 1;
      if (x == last) {
        lost = (lanes)((whole_lanes)lost & inside);
        edge = (lanes)((whole_lanes)edge & inside);
      }
      add_to(sums, lost);
      add_to(sums + 2, positive(edge));
      add_to(sums + 4, positive(-edge));
    }
    for (int i = 0; i < FEATURES; i++) {
      for (int lane = 0; lane < LANES; lane++) totals[i] += (double)sums[i][lane];
    }
  }
  for (int i = 0; i < FEATURES; i++) {
    const double mean = totals[i] / ((double)scale->width * scale->height);
    features[i] = i % 2 == 0 ? mean : sqrt(sqrt(mean));
  }
  for (int slot = 0; slot < TAPS; slot++) clear_slot(window, slot);
}

#define MAKE(suffix, attribute) \
  attribute static void xyb_##suffix(float *const l[CHANNELS], float *const x[CHANNELS], uint64_t n) { make_xyb(l, x, n); } \
  attribute static void blur_##suffix(window *w, const scale *s, int c) { blur_original(w, s, c); } \
  attribute static void measure_##suffix(window *w, const scale *s, int c, const float *o, double f[FEATURES]) { \
    measure(w, s, c, o, f); \
  }

MAKE(narrow, )
#ifdef HAS_WIDE
MAKE(wide, WIDE)
#define CHOSEN(name, ...) (__builtin_cpu_supports("avx2") ? name##_wide(__VA_ARGS__) : name##_narrow(__VA_ARGS__))
#else
#define CHOSEN(name, ...) name##_narrow(__VA_ARGS__)
#endif

void maps_make_xyb(float *const linear[CHANNELS], float *const xyb[CHANNELS], uint64_t count) {
  CHOSEN(xyb, linear, xyb, count);
}

int maps_blur(const scale *scale) {
  window window;
  if (!window_begin(&window, scale->width)) return 0;
  for (int channel = 0; channel < CHANNELS; channel++) CHOSEN(blur, &window, scale, channel);
  free(window.memory);
  return 1;
}

int maps_measure(const scale *scale, int channel, const float *other, double features[FEATURES]) {
  window window;
  if (!window_begin(&window, scale->width)) return 0;
  CHOSEN(measure, &window, scale, channel, other, features);
  free(window.memory);
  return 1;
}
