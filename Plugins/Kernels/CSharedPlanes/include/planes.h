// SPDX-License-Identifier: Apache-2.0
//
// Planes of luma and chroma become rows of pixels. Plain loops, which the compiler turns into vector instructions; no
// memory is allocated. Nothing here checks sizes: the caller has done so.

#ifndef CSHAREDPLANES_PLANES_H
#define CSHAREDPLANES_PLANES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A decoded picture. Samples of more than 8 bits take two bytes in the machine's order.
typedef struct planes_picture {
  const uint8_t *plane[4];  // Y, Cb, Cr and alpha; null where there is none
  size_t stride[4];         // bytes
  size_t width, height;     // of luma
  uint32_t bits;            // of luma and chroma: 8 to 16
  uint32_t alpha_bits;
  uint32_t shift_x;         // 1: one chroma sample for two columns
  uint32_t shift_y;         // 1: one chroma sample for two rows
} planes_picture;

// How samples become red, green and blue: ITU-T H.273, section 8.3.
enum {
  PLANES_WEIGHTS = 0,   // by kr and kb, equations 41 to 46 turned around
  PLANES_IDENTITY = 1,  // planes are green, blue and red
  PLANES_YCGCO = 2,
  PLANES_YCGCO_R = 3,   // YCgCo-Re and YCgCo-Ro: integers, `extra_bits` more in the planes than in the colors
  PLANES_CONSTANT = 4   // constant luminance: by kr, kb, `differences` and `transfer`
};

// Functions between light and samples, both from 0 to 1: ITU-T H.273, table 3.
enum {
  PLANES_BT2020 = 0,  // and BT.709
  PLANES_SRGB = 1,
  PLANES_LINEAR = 2,
  PLANES_PQ = 3       // light of 1 is 10,000 nit
};

typedef struct planes_conversion {
  uint32_t kind;  // PLANES_*
  uint32_t is_full_range;
  uint32_t is_interpolated;  // 1: chroma lies between pixels and is interpolated; 0: it counts for all that it covers
  uint32_t extra_bits;
  float kr, kb;
  uint32_t transfer;  // PLANES_CONSTANT: PLANES_BT2020 …
  // PLANES_CONSTANT: what chroma of -1 and of 1 stands for, of blue and of red: 2 N and 2 P of H.273.
  double differences[2][2];
  float luma_black, luma_span;  // of stored samples
  float chroma_middle, chroma_span;
  // What stored samples become, or null where they stay as they are.
  const uint16_t *levels;        // gray, and PLANES_IDENTITY
  const uint16_t *alpha_levels;
  // Null: colors are rounded once, to the samples of the layout. Else they are rounded to the bits of the picture first,
  // and this table says what each becomes.
  const uint16_t *steps;
} planes_conversion;

// How pixels lie in memory.
typedef struct planes_layout {
  uint32_t channels;           // 1 to 4: gray, gray and alpha, RGB, RGB and alpha
  uint32_t bytes_per_channel;  // 1 or 2
  uint32_t is_bgr;             // blue first
} planes_layout;

// A rectangle of a picture, and the memory of its pixels. It is inside the picture and not empty.
typedef struct planes_part {
  size_t x, y, width, height;
  uint8_t *pixels;
  size_t stride;  // bytes
} planes_part;

// Converts a rectangle. Alpha comes from the alpha plane, and is opaque without one. Gray layouts take luma alone.
void planes_read(const planes_picture *picture, const planes_conversion *conversion, const planes_layout *layout,
                 const planes_part *part);

// Writes the alpha plane alone into the alpha channel of pixels that are there.
void planes_read_alpha(const planes_picture *picture, const planes_conversion *conversion, const planes_layout *layout,
                       const planes_part *part);

// The function of a PLANES_BT2020 … from light to samples.
double planes_code_of_light(uint32_t transfer, double light);

// Converts rows of samples that were brought to integers of `luma_span` and `chroma_span`; the result may leave
// 0 to `top`. PLANES_WEIGHTS only. The result may be the same memory as the samples.
void planes_read_integers(const planes_conversion *conversion, const int32_t *const samples[3], size_t count, float top,
                          int32_t *const colors[3]);

#ifdef __cplusplus
}
#endif

#endif
