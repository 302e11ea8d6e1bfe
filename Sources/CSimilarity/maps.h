// SPDX-License-Identifier: Apache-2.0
//
// What two pictures differ in at one scale. Private to the target.

#ifndef CSIMILARITY_MAPS_H
#define CSIMILARITY_MAPS_H

#include <stdint.h>
#include <stdlib.h>

enum { CHANNELS = 3, LANES = 8, MAPS = 3, FEATURES = 2 * MAPS };

// A plane's rows are whole vectors, and what is beside the picture in them is 0.
typedef struct scale {
  uint32_t width, height;
  uint64_t stride;             // floats
  float *memory;
  float *channel[CHANNELS];    // XYB
  float *mean[CHANNELS];       // that, blurred
  float *square[CHANNELS];     // its square, blurred
} scale;

static inline uint64_t stride_of(uint32_t width) { return ((uint64_t)width + LANES - 1) / LANES * LANES; }
static inline float *floats(uint64_t count) { return aligned_alloc(64, (size_t)((count * sizeof(float) + 63) / 64 * 64)); }

// Linear light to XYB, moved so that all of it is above 0. `count` is that of whole rows.
void maps_make_xyb(float *const linear[CHANNELS], float *const xyb[CHANNELS], uint64_t count);

// Fills in what is blurred of an original.
//   returns  0 if there is no memory
int maps_blur(const scale *scale);

// For each map of a channel: the mean, and the fourth root of the mean of fourth powers.
//   returns  0 if there is no memory
int maps_measure(const scale *scale, int channel, const float *other, double features[FEATURES]);

#endif
