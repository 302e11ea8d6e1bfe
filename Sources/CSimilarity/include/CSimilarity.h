// SPDX-License-Identifier: Apache-2.0
//
// SSIMULACRA2 2.1: how much alike two pictures look. 100 is the same picture, 90 is hard to tell apart, 70 is good, 50 is
// medium, 30 is poor; pictures with nothing in common are below 0.

#ifndef CSIMILARITY_H
#define CSIMILARITY_H

#include <stdint.h>

// Rows of RGB in sRGB, 8 bits for a sample.
typedef struct similarity_picture {
  const uint8_t *pixels;
  uint64_t stride;      // bytes from a row to the next
  uint32_t width, height;
  uint32_t bytes;       // for a pixel: 3, or 4 where the last is not looked at
} similarity_picture;

// What is known of a picture that others are compared with.
typedef struct similarity_original similarity_original;

// Makes an original of a picture, which is not looked at afterwards. Takes some 48 bytes for each pixel.
//   returns  NULL if there is no memory for it, or a side is below 8
similarity_original *similarity_begin(const similarity_picture *picture);

// Compares a picture of the same size with it.
//   visit    called for some rows now and then; a value other than 0 ends the call. May be null
//   score    receives the result: at most 100
//   returns  1, or 0 if there is no memory or `visit` ended it
// Any number of threads may compare with the same original.
int similarity_compare(const similarity_original *original, const similarity_picture *picture,
                       int (*visit)(void *context), void *context, double *score);

void similarity_free(similarity_original *original);

#endif
