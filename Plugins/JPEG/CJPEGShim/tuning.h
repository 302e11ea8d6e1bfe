// SPDX-License-Identifier: Apache-2.0
//
// The numbers by which pictures are quantized. `Benchmarks/Look/search.py` finds them: the fewest bytes at the same
// SSIMULACRA2. Private to the shim.

#ifndef CJPEG_TUNING_H
#define CJPEG_TUNING_H

#include <stdint.h>

typedef struct tuning {
  // Steps of a table grow with the distance f from DC as 1 + slope × f^power.
  double slope, chroma_slope, power;
  double dc;             // the step of DC beside that
  double chroma, blue;   // steps of both chroma channels beside luma, and of Cb beside Cr
  // What a bit may cost in squared error, in squared steps.
  double lambda, chroma_lambda;
  // How much less an error counts where there is much else to see: a power of the energy.
  double mask, chroma_mask;
  double sharpness;      // how far chroma is corrected for what a decoder's interpolation makes of it
} tuning;

enum { TUNING_NUMBERS = sizeof(tuning) / sizeof(double) };

// The quality with which a picture looks as with the tables of T.81 annex K at a quality of libjpeg's.
//   is_small  whether levels are chosen, too
double tuning_quality(double number, int is_small);

// The numbers for a quality, 1 to 100.
tuning tuning_for(double quality);

// The quantization table of a channel (0 luma, 1 Cb, 2 Cr) in natural order, 1 to 255.
void tuning_steps(const tuning *tuning, double quality, int channel, uint32_t steps[64]);

#ifdef TUNING_SEARCH
// Of the program that looks for better numbers: puts some in place of those that are found.
void tuning_search(tuning *tuning);
#endif

#endif
