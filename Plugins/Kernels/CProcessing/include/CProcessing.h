// SPDX-License-Identifier: Apache-2.0
//
// Loops of ImageProcessing over pictures of 8 bits per channel. They know nothing of the library, allocate nothing and check
// nothing. Any number of threads may call them, each for rows of its own.

#ifndef CPROCESSING_H
#define CPROCESSING_H

#include <stddef.h>
#include <stdint.h>

// What the last channel is.
enum {
  PROCESSING_PLAIN = 0,    // a channel as the others: there is no alpha, or the others are multiplied by it
  PROCESSING_STRAIGHT = 1, // alpha, by which the others are not multiplied yet
  PROCESSING_OPAQUE = 2    // nothing: it becomes 255
};

// Pixels that are read.
typedef struct processing_picture {
  const uint8_t *pixels;
  size_t stride;            // bytes
  uint32_t width, height;   // at least 1
  uint32_t channels;        // 1 to 4
  uint32_t last;            // PROCESSING_PLAIN, STRAIGHT or OPAQUE
} processing_picture;

// Most weights of a blur, the one in the middle included.
enum { PROCESSING_MOST_WEIGHTS = 96 };

// Bytes that `processing_blur` needs beside the pictures.
size_t processing_blur_scratch(const processing_picture *picture, uint32_t reach);

// Blurs rows `first` to `end` - 1: columns by the weights, then rows. What is outside repeats the outermost pixels.
//   weights  `reach` + 1, at most PROCESSING_MOST_WEIGHTS: of the middle in 65536ths, and of the pixels at each distance on
//            both sides together. Their sum is 65536. None is more than 65535
//   out      row `first`, of the picture's layout
//   scratch  aligned to 16 bytes
void processing_blur(const processing_picture *picture, const uint16_t *weights, uint32_t reach, uint32_t first, uint32_t end,
                     uint8_t *out, size_t out_stride, void *scratch);

enum { PROCESSING_TURN_BITS = 11, PROCESSING_TURN_PHASES = 1 << PROCESSING_TURN_BITS };

// What the four neighbors of a place between two pixels count, in 16384ths, for each place of a phase.
void processing_turn_weights(int16_t weights[PROCESSING_TURN_PHASES][4]);

// An opaque picture that is turned. Places are in 2^32nds of a pixel, 0 the center of the first one.
typedef struct processing_turn {
  const uint8_t *pixels;
  size_t stride;
  uint32_t channels;            // 1 or 3
  uint32_t out_channels;        // as many, or one more for alpha, which becomes 255
  int64_t u_step, v_step;       // from one pixel of the result to the next
  const int16_t (*weights)[4];  // of processing_turn_weights
} processing_turn;

// Filters 4 × 4 pixels for each of `count` pixels of a row, of which the first is at column u and row v. From the first of the
// four pixels of each of the four rows on, 16 bytes have to be memory of the picture.
void processing_turn_fill(const processing_turn *turn, int64_t u, int64_t v, uint8_t *out, uint32_t count);

// Maps `count` pixels of three bytes: each color times `scale`, plus the sum of the colors times `luma`, in 16384ths.
void processing_mix3(const uint8_t *pixels, uint8_t *out, size_t count, int32_t scale, const int32_t luma[3]);

// Lays pixels over a color: `count` of them, of `channels` bytes of which the last is alpha (2 or 4), become one byte less each.
//   color          of each channel but alpha, 0 to 65535
//   is_multiplied  whether colors are multiplied by alpha already
void processing_flatten(const uint8_t *pixels, uint8_t *out, size_t count, uint32_t channels, const uint16_t color[3],
                        int is_multiplied);

#endif
