// SPDX-License-Identifier: Apache-2.0

#include "CSimilarity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "maps.h"
#include "weights.h"

// The same operations in the same order on all processors: no product is fused with a sum.
#pragma STDC FP_CONTRACT OFF

enum { SCALES = 6, LEAST_SIDE = 8 };

struct similarity_original {
  similarity_picture size;     // width and height
  int count;
  scale scale[SCALES];
  uint8_t *pixels;             // RGB without gaps: equal pictures are found out by their bytes
};

// What is beside the picture has no light, but is not 0 in XYB.
static void clear_beside(float *plane, uint32_t width, uint32_t height) {
  const uint64_t stride = stride_of(width);
  for (uint32_t y = 0; y < height; y++) {
    for (uint64_t x = width; x < stride; x++) plane[y * stride + x] = 0;
  }
}

// Halves linear light in place; odd sides repeat the last sample.
static void halve(float *samples, uint32_t width, uint32_t height) {
  const uint32_t to_width = (width + 1) / 2, to_height = (height + 1) / 2;
  const uint64_t from_stride = stride_of(width), to_stride = stride_of(to_width);
  for (uint32_t y = 0; y < to_height; y++) {
    const float *top = samples + 2 * y * from_stride, *bottom = 2 * y + 1 < height ? top + from_stride : top;
    // A row that is written lies before those that are still read.
    float *to = samples + y * to_stride;
    for (uint32_t x = 0; x < to_width; x++) {
      const uint32_t right = 2 * x + 1 < width ? 2 * x + 1 : 2 * x;
      to[x] = 0.25f * (top[2 * x] + top[right] + bottom[2 * x] + bottom[right]);
    }
    for (uint64_t x = to_width; x < to_stride; x++) to[x] = 0;
  }
}

// Light of sRGB's levels, IEC 61966-2-1.
static void make_light(float light[256]) {
  for (int i = 0; i < 256; i++) {
    const double v = i / 255.0;
    light[i] = (float)(v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
  }
}

static void make_linear(const similarity_picture *picture, float *const linear[CHANNELS]) {
  const uint64_t stride = stride_of(picture->width);
  float light[256];
  make_light(light);
  for (uint32_t y = 0; y < picture->height; y++) {
    const uint8_t *pixel = picture->pixels + y * picture->stride;
    float *r = linear[0] + y * stride, *g = linear[1] + y * stride, *b = linear[2] + y * stride;
    for (uint32_t x = 0; x < picture->width; x++, pixel += picture->bytes) {
      r[x] = light[pixel[0]];
      g[x] = light[pixel[1]];
      b[x] = light[pixel[2]];
    }
    for (uint64_t x = picture->width; x < stride; x++) r[x] = g[x] = b[x] = 0;
  }
}

// Planes one after the other.
static float *make_planes(float *planes[], int count, uint32_t width, uint32_t height) {
  const uint64_t each = stride_of(width) * height;
  float *memory = floats(each * (uint64_t)count);
  for (int i = 0; memory && i < count; i++) planes[i] = memory + each * (uint64_t)i;
  return memory;
}

static int begin_scale(scale *scale, uint32_t width, uint32_t height, float *const linear[CHANNELS]) {
  float *planes[3 * CHANNELS];
  scale->width = width;
  scale->height = height;
  scale->stride = stride_of(width);
  scale->memory = make_planes(planes, 3 * CHANNELS, width, height);
  if (!scale->memory) return 0;
  for (int c = 0; c < CHANNELS; c++) {
    scale->channel[c] = planes[c];
    scale->mean[c] = planes[CHANNELS + c];
    scale->square[c] = planes[2 * CHANNELS + c];
  }
  maps_make_xyb(linear, scale->channel, scale->stride * height);
  for (int c = 0; c < CHANNELS; c++) clear_beside(scale->channel[c], width, height);
  return maps_blur(scale);
}

similarity_original *similarity_begin(const similarity_picture *picture) {
  uint32_t width = picture->width, height = picture->height;
  if (width < LEAST_SIDE || height < LEAST_SIDE) return NULL;
  similarity_original *original = calloc(1, sizeof *original);
  if (!original) return NULL;
  original->size = *picture;
  original->pixels = malloc((size_t)width * height * 3);
  float *linear[CHANNELS], *memory = make_planes(linear, CHANNELS, width, height);
  int is_made = original->pixels != NULL && memory != NULL;
  if (is_made) {
    make_linear(picture, linear);
    uint8_t *to = original->pixels;
    for (uint32_t y = 0; y < height; y++) {
      const uint8_t *pixel = picture->pixels + y * picture->stride;
      for (uint32_t x = 0; x < width; x++, pixel += picture->bytes, to += 3) memcpy(to, pixel, 3);
    }
  }
  // There is a further scale if both sides of the one before it are at least 8.
  for (int i = 0; is_made && i < SCALES && width >= LEAST_SIDE && height >= LEAST_SIDE; i++) {
    if (i > 0) {
      for (int c = 0; c < CHANNELS; c++) halve(linear[c], width, height);
      width = (width + 1) / 2;
      height = (height + 1) / 2;
    }
    is_made = begin_scale(&original->scale[i], width, height, linear);
    original->count++;
  }
  free(memory);
  if (is_made) return original;
  similarity_free(original);
  return NULL;
}

static int is_equal(const similarity_original *original, const similarity_picture *picture) {
  const uint8_t *mine = original->pixels;
  for (uint32_t y = 0; y < picture->height; y++) {
    const uint8_t *pixel = picture->pixels + y * picture->stride;
    for (uint32_t x = 0; x < picture->width; x++, pixel += picture->bytes, mine += 3) {
      if (memcmp(mine, pixel, 3) != 0) return 0;
    }
  }
  return 1;
}

// Pictures with fewer scales use the first weights, as the published tool does.
static double score_of(int count, const double features[CHANNELS][SCALES][FEATURES]) {
  double sum = 0;
  const double *weight = similarity_weights;
  for (int c = 0; c < CHANNELS; c++) {
    for (int i = 0; i < count; i++) {
      for (int norm = 0; norm < 2; norm++) {
        for (int map = 0; map < MAPS; map++) sum += *weight++ * features[c][i][2 * map + norm];
      }
    }
  }
  sum *= 0.9562382616834844;
  sum = 2.326765642916932 * sum - 0.020884521182843837 * sum * sum + 6.248496625763138e-05 * sum * sum * sum;
  return sum > 0 ? 100 - 10 * pow(sum, 0.6276336467831387) : 100;
}

int similarity_compare(const similarity_original *original, const similarity_picture *picture,
                       int (*visit)(void *context), void *context, double *score) {
  double features[CHANNELS][SCALES][FEATURES] = {{{0}}};
  float *planes[2 * CHANNELS];
  if (picture->width != original->size.width || picture->height != original->size.height) return 0;
  if (is_equal(original, picture)) {
    *score = 100;
    return 1;
  }
  float *memory = make_planes(planes, 2 * CHANNELS, picture->width, picture->height);
  if (!memory) return 0;
  float *const *linear = planes, *const *xyb = planes + CHANNELS;
  int goes_on = 1;
  make_linear(picture, linear);
  for (int i = 0; goes_on && i < original->count; i++) {
    const scale *scale = &original->scale[i];
    maps_make_xyb(linear, xyb, scale->stride * scale->height);
    for (int c = 0; goes_on && c < CHANNELS; c++) {
      clear_beside(xyb[c], scale->width, scale->height);
      goes_on = maps_measure(scale, c, xyb[c], features[c][i]) && (!visit || visit(context) == 0);
      halve(linear[c], scale->width, scale->height);
    }
  }
  free(memory);
  if (goes_on) *score = score_of(original->count, (const double (*)[SCALES][FEATURES])features);
  return goes_on;
}

void similarity_free(similarity_original *original) {
  if (!original) return;
  for (int i = 0; i < SCALES; i++) free(original->scale[i].memory);
  free(original->pixels);
  free(original);
}
