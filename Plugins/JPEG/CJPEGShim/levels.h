// SPDX-License-Identifier: Apache-2.0
//
// Chooses the levels of coefficients by what they cost: for each block those with the least squared error plus bits. Private
// to the shim.

#ifndef CJPEG_LEVELS_H
#define CJPEG_LEVELS_H

#include <stdio.h>

#include <jpeglib.h>

#include "planes.h"
#include "tuning.h"

// One channel of a picture.
typedef struct levels_channel {
  const plane *plane;
  uint32_t steps[64];  // natural order
  float *busyness;     // of each block: the logarithm of its energy
  double mask, lambda;
} levels_channel;

// What the code of a run and a size takes, in bits.
typedef struct levels_bits {
  float of[256];
} levels_bits;

// How often a run and a size come with levels that are rounded; what is counted is added.
typedef struct levels_counts {
  uint64_t of[256];
} levels_counts;

// Measures a row of blocks and counts the codes of it.
void levels_measure(const levels_channel *channel, uint32_t row, levels_counts *counts);

levels_bits levels_bits_of(const levels_counts *counts);

// Chooses the levels of a row of blocks, after all rows have been measured.
void levels_choose(const levels_channel *channel, uint32_t row, const levels_bits *bits, JBLOCKROW blocks);

#endif
