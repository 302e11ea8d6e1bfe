// SPDX-License-Identifier: Apache-2.0

#include "tuning.h"

#include <math.h>

enum { LARGEST_STEP = 255 };  // of a baseline file

// A step of luma at quality 50, without what is added by its frequency.
static const double base = 16;
// Scales between which numbers are interpolated: quality 45 and 75 of libjpeg's counting.
static const double coarse = 1.11, fine = 0.5;

static const tuning at_coarse = {
    .slope = 0.349, .chroma_slope = 0.171, .power = 1.29, .dc = 0.62, .chroma = 1.136, .blue = 1.144,
    .lambda = 0.061, .chroma_lambda = 0.112, .mask = 0.128, .chroma_mask = 0.28, .sharpness = 1.2};
static const tuning at_fine = {
    .slope = 0.178, .chroma_slope = 0.171, .power = 1.44, .dc = 0.51, .chroma = 0.929, .blue = 1.4,
    .lambda = 0.050, .chroma_lambda = 0.098, .mask = 0.179, .chroma_mask = 0.39, .sharpness = 1.2};

// How coarse a quality is: 1 at 50, as libjpeg counts.
static double scale_of(double quality) {
  double scale = quality < 50 ? 50 / quality : 2 - quality / 50;
  return scale < 0.01 ? 0.01 : scale;
}

double tuning_quality(double number, int is_small) {
  // The same mean SSIMULACRA2 of 32 pictures. `search.py numbers` prints them.
  static const struct { double number, with_tables, with_levels; } same[] = {
      {0, 0, 0},       {10, 10, 10},   {20, 22, 25},   {30, 35, 39},       {40, 47, 51},   {50, 56.5, 59.5},
      {60, 62.5, 65},  {70, 70, 71.5}, {80, 79, 79.7}, {85, 83.9, 84},     {90, 89.5, 90}, {100, 100, 100}};
  int i = 1;
  while (same[i].number < number && same[i].number < 100) i++;
  const double place = (number - same[i - 1].number) / (same[i].number - same[i - 1].number);
  const double from = is_small ? same[i - 1].with_levels : same[i - 1].with_tables;
  const double to = is_small ? same[i].with_levels : same[i].with_tables;
  return from + place * (to - from);
}

tuning tuning_for(double quality) {
  double place = log(scale_of(quality) / coarse) / log(fine / coarse);
  place = place < 0 ? 0 : place > 1 ? 1 : place;
  tuning made;
  const double *from = (const double *)&at_coarse, *to = (const double *)&at_fine;
  for (int i = 0; i < TUNING_NUMBERS; i++) ((double *)&made)[i] = exp(log(from[i]) * (1 - place) + log(to[i]) * place);
#ifdef TUNING_SEARCH
  tuning_search(&made);
#endif
  return made;
}

void tuning_steps(const tuning *tuning, double quality, int channel, uint32_t steps[64]) {
  const double slope = channel == 0 ? tuning->slope : tuning->chroma_slope;
  for (int v = 0; v < 8; v++) {
    // A table is the same in both directions.
    for (int u = v; u < 8; u++) {
      double step = base * scale_of(quality) * (1 + slope * pow(sqrt(u * u + v * v), tuning->power));
      if (channel > 0) step *= tuning->chroma;
      if (channel == 1) step *= tuning->blue;
      if (u == 0 && v == 0) step *= tuning->dc;
      steps[v * 8 + u] = steps[u * 8 + v] = step < 1 ? 1 : step > LARGEST_STEP ? LARGEST_STEP : (uint32_t)(step + 0.5);
    }
  }
}
