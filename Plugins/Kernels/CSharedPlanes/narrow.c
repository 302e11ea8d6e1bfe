// SPDX-License-Identifier: Apache-2.0
//
// 8-bit samples by the weights of red and blue.

#include "rows.h"

// ITU-T H.273, equations 41 to 46, turned around: what each difference adds to each color, in steps of 8 bits.
typedef struct factors {
  float red_cr, green_cb, green_cr, blue_cb;
} factors;

static factors factors_of(const planes_conversion *conversion) {
  float kr = conversion->kr, kb = conversion->kb, kg = 1 - kr - kb;
  float scale = 255.0f / conversion->chroma_span;
  return (factors){2 * (1 - kr) * scale, -2 * kb * (1 - kb) / kg * scale, -2 * kr * (1 - kr) / kg * scale,
                   2 * (1 - kb) * scale};
}

// The conversion to an integer rounds towards zero. No sum of a chroma sample is below -512, so this offset makes it
// round down, after half a step, with 14 bits after the point.
#define OFFSET 512
#define ROUNDED(value) ((int16_t)((int32_t)((value) + (OFFSET + 0.5f)) - OFFSET))

static void rounded_row(const uint8_t *restrict cb, const uint8_t *restrict cr, size_t count, factors by,
                        int16_t *restrict red, int16_t *restrict green, int16_t *restrict blue) {
  for (size_t i = 0; i < count; i++) {
    float u = (float)((int32_t)cb[i] - 128), v = (float)((int32_t)cr[i] - 128);
    red[i] = ROUNDED(by.red_cr * v);
    green[i] = ROUNDED(by.green_cb * u + by.green_cr * v);
    blue[i] = ROUNDED(by.blue_cb * u);
  }
}

// Parts of a step of 8 bits, for the limited range: whole steps and 14 bits after the point go separately, so that both
// fit into vectors of 16 bits.
#define FRACTION 14
#define FRACTION_MASK ((1 << FRACTION) - 1)

// 255 / 219 is 1 + `LUMA_FACTOR` / 65536 + `LUMA_REST` / 2^25.
#define LUMA_FACTOR 10773
#define LUMA_REST 21

#define SPLIT(value, whole, part)                         \
  do {                                                    \
    int32_t sum = (int32_t)((value) * (1 << FRACTION));   \
    (whole) = (int16_t)((sum >> FRACTION) - OFFSET);      \
    (part) = (int16_t)(sum & FRACTION_MASK);              \
  } while (0)

static void split_row(const uint8_t *restrict cb, const uint8_t *restrict cr, size_t count, factors by,
                      int16_t (*restrict whole)[PART_COLUMNS], int16_t (*restrict part)[PART_COLUMNS]) {
  // What black is above 0, half a step, and what luma's parts lose on average.
  const float start = OFFSET + 0.5f - 16 * 255.0f / 219 + 1.0f / (1 << FRACTION);
  for (size_t i = 0; i < count; i++) {
    float u = (float)((int32_t)cb[i] - 128), v = (float)((int32_t)cr[i] - 128);
    SPLIT(by.red_cr * v + start, whole[0][i], part[0][i]);
    SPLIT(by.green_cb * u + by.green_cr * v + start, whole[1][i], part[1][i]);
    SPLIT(by.blue_cb * u + start, whole[2][i], part[2][i]);
  }
}

static void expand(const int16_t *restrict coarse, size_t x, size_t width, int16_t *restrict fine) {
  if (x & 1) {
    *fine++ = *coarse++;
    width--;
  }
  for (size_t i = 0; i < width / 2; i++) {
    fine[2 * i] = coarse[i];
    fine[2 * i + 1] = coarse[i];
  }
  if (width & 1) fine[width - 1] = coarse[width / 2];
}

void narrow_chroma_row(const planes_conversion *conversion, const uint8_t *cb, const uint8_t *cr, size_t x,
                       uint32_t shift_x, size_t width, narrow_chroma *chroma) {
  const factors by = factors_of(conversion);
  const size_t first = x >> shift_x, count = ((x + width - 1) >> shift_x) - first + 1;
  cb += first;
  cr += first;
  int16_t coarse[3][PART_COLUMNS], coarse_part[3][PART_COLUMNS];
  int16_t(*whole)[PART_COLUMNS] = shift_x ? coarse : chroma->whole;
  int16_t(*part)[PART_COLUMNS] = shift_x ? coarse_part : chroma->part;
  if (conversion->is_full_range) {
    rounded_row(cb, cr, count, by, whole[0], whole[1], whole[2]);
  } else {
    split_row(cb, cr, count, by, whole, part);
  }
  for (int c = 0; c < 3 && shift_x; c++) {
    expand(whole[c], x, width, chroma->whole[c]);
    if (!conversion->is_full_range) expand(part[c], x, width, chroma->part[c]);
  }
}

static void full_row(const uint8_t *restrict luma, const int16_t *restrict add, size_t width, uint8_t *restrict color) {
  for (size_t i = 0; i < width; i++) {
    int16_t sum = (int16_t)(luma[i] + add[i]);
    sum = sum < 0 ? 0 : sum;
    color[i] = (uint8_t)(sum > 255 ? 255 : sum);
  }
}

static void limited_row(const uint8_t *restrict luma, const narrow_chroma *restrict chroma, size_t width,
                        uint8_t *restrict red, uint8_t *restrict green, uint8_t *restrict blue) {
  uint8_t *const colors[3] = {red, green, blue};
  uint16_t whole[PART_COLUMNS], part[PART_COLUMNS];
  for (size_t i = 0; i < width; i++) {
    uint32_t product = (uint32_t)luma[i] * LUMA_FACTOR;
    whole[i] = (uint16_t)(luma[i] + (product >> 16));
    part[i] = (uint16_t)(((uint16_t)product >> (16 - FRACTION)) + ((uint16_t)(luma[i] * LUMA_REST) >> (25 - FRACTION)));
  }
  for (int c = 0; c < 3; c++) {
    const int16_t *restrict add = chroma->whole[c], *restrict add_part = chroma->part[c];
    uint8_t *restrict color = colors[c];
    for (size_t i = 0; i < width; i++) {
      uint16_t carry = (uint16_t)(part[i] + (uint16_t)add_part[i]) >> FRACTION;
      int16_t sum = (int16_t)(whole[i] + add[i] + carry);
      sum = sum < 0 ? 0 : sum;
      color[i] = (uint8_t)(sum > 255 ? 255 : sum);
    }
  }
}

void narrow_color_row(const planes_conversion *conversion, const uint8_t *luma, const narrow_chroma *chroma,
                      size_t width, uint8_t *const colors[3]) {
  if (conversion->is_full_range) {
    for (int c = 0; c < 3; c++) full_row(luma, chroma->whole[c], width, colors[c]);
  } else {
    limited_row(luma, chroma, width, colors[0], colors[1], colors[2]);
  }
}
