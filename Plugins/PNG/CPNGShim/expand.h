// SPDX-License-Identifier: Apache-2.0
//
// Samples of a file as pixels in memory.

#ifndef CPNG_EXPAND_H
#define CPNG_EXPAND_H

#include <stddef.h>
#include <stdint.h>

// A picture's IHDR, PLTE and tRNS.
typedef struct cpng_stored {
  uint32_t width, height;
  unsigned bit_depth, color_type, is_interlaced;
  const uint8_t *palette;       // 3 bytes a color
  unsigned palette_count;
  const uint8_t *transparency;  // tRNS, or null
  unsigned transparency_length;
} cpng_stored;

typedef struct cpng_expansion cpng_expansion;

typedef void cpng_expand(const cpng_expansion *expansion, const uint8_t *samples, uint8_t *pixels, size_t width);

// How samples become pixels.
struct cpng_expansion {
  unsigned bit_depth, channels;  // in the file
  unsigned out_channels, pixel_bytes;
  int is_deep, is_bgr;           // in memory: 16 bits, in the machine's order
  int has_key;                   // pixels with the samples `key` are transparent
  uint16_t key[3];
  uint32_t pixels[256];          // of each value of a single sample of at most 8 bits, the first byte lowest in memory
  cpng_expand *expand;           // null: samples are pixels
};

// Bits of a pixel in the file.
unsigned cpng_stored_bits(const cpng_stored *stored);

// Chooses the loop.
//   transforms   CPNG_SCALE_16, CPNG_GRAY_TO_RGB, CPNG_ADD_ALPHA, CPNG_BGR
//   pixel_bytes  of a pixel in memory
//   returns      whether there is one
int cpng_expansion_begin(cpng_expansion *expansion, const cpng_stored *stored, uint32_t transforms,
                         uint64_t pixel_bytes);

#endif
