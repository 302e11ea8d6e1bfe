// SPDX-License-Identifier: Apache-2.0
//
// Rows of strips and tiles become rows of the host.

#include "rows.h"

#include <string.h>

#include "color.h"
#include "samples.h"

static const uint8_t bytes_per_pixel[] = {0, 1, 2, 2, 4, 3, 4, 4, 8, 8, 16, 6};

// Colors of pixels: where each channel's samples are.
typedef struct channels {
  const void *color[3];
  const void *alpha;  // or null
  uint32_t step, alpha_step;
} channels;

static void prepare_scale(rows_plan *plan) {
  const ctiff_picture *picture = plan->picture;
  uint32_t top = (1u << picture->bits) - 1;
  uint32_t flip = picture->sample_format == CTIFF_SIGNED ? 1u << (picture->bits - 1) : 0;
  for (uint32_t i = 0; i <= top; i++) {
    uint32_t value = i ^ flip;
    if (picture->kind == CTIFF_PALETTE) plan->scale[i] = (uint8_t)value;
    else plan->scale[i] = (uint8_t)(((value * 255 + top / 2) / top) ^ (picture->alpha < 0 ? plan->gray_mask : 0));
  }
  // Where there is no alpha, the table flips gray.
  if (picture->alpha < 0) plan->gray_mask = 0;
  if (picture->bits != 1) return;
  for (uint32_t byte = 0; byte < 256; byte++) {
    for (uint32_t i = 0; i < 8; i++) plan->octets[byte][i] = plan->scale[byte >> (7 - i) & 1];
  }
}

static float coded(int32_t code, float black, float white, float range) {
  float width = white - black != 0 ? white - black : 1;
  float value = ((float)code - (float)(int32_t)black) * range / width;
  return value > -4096 ? value < 4096 ? value : 4096 : -4096;
}

static int32_t fixed(float value) { return (int32_t)((value > 0 ? value < 2 ? value : 2 : 0) * 65536 + 0.5f); }

// TIFF 6.0 §21, with the rounding that libtiff has.
static void prepare_ycbcr(rows_plan *plan) {
  const ctiff_picture *picture = plan->picture;
  const float *luma = picture->luma, *reference = picture->reference;
  float red = 2 - 2 * luma[0], blue = 2 - 2 * luma[2], green = luma[1] != 0 ? luma[1] : 1;
  int32_t factors[4] = {fixed(red), -fixed(luma[2] * blue / green), -fixed(luma[0] * red / green), fixed(blue)};
  for (int32_t i = 0; i < 256; i++) {
    int32_t cr = (int32_t)coded(i - 128, reference[4] - 128, reference[5] - 128, 127);
    int32_t cb = (int32_t)coded(i - 128, reference[2] - 128, reference[3] - 128, 127);
    plan->ycc[0][i] = factors[0] * cr + 32768;
    plan->ycc[1][i] = factors[1] * cb + 32768;
    plan->ycc[2][i] = factors[2] * cr;
    plan->ycc[3][i] = factors[3] * cb + 32768;
    plan->luma[i] = (int32_t)coded(i, reference[0], reference[1], 255);
  }
}

static int is_planar(const ctiff_picture *picture) { return picture->flags & CTIFF_PLANAR && picture->samples > 1; }

// Samples that make a color.
static uint32_t color_count(const ctiff_picture *picture) {
  if (picture->kind == CTIFF_GRAY || picture->kind == CTIFF_PALETTE) return 1;
  return picture->kind == CTIFF_CMYK ? 4 : 3;
}

const char *rows_refuse(const ctiff_picture *picture) {
  uint32_t bits = picture->bits;
  if (picture->output >= sizeof bytes_per_pixel || bytes_per_pixel[picture->output] == 0) return "no pixel format";
  if (picture->kind > CTIFF_LAB || bits == 0 || bits > 64) return "samples of no known kind";
  if (picture->horizontal == 0 || picture->vertical == 0) return "a chroma subsampling of 0";
  if (picture->width == 0 || picture->height == 0 || picture->strile_width == 0 || picture->strile_height == 0) {
    return "a picture, strip or tile without pixels";
  }
  if (picture->samples < color_count(picture) || picture->alpha >= (int32_t)picture->samples ||
      picture->alpha >= CTIFF_MAX_CHANNELS) {
    return "fewer samples than the color and alpha need";
  }
  if (picture->flags & CTIFF_INKS &&
      (picture->kind != CTIFF_CMYK ||
       picture->output != (bits > 8 ? IMGCODER_PIXEL_RGBA16 : IMGCODER_PIXEL_RGBA8))) {
    return "inks of another kind, or in another pixel format";
  }
  uint64_t across = picture->across, down = picture->down;
  if (across * picture->strile_width < picture->width || down * picture->strile_height < picture->height) {
    return "strips or tiles that do not cover the picture";
  }
  uint64_t per_plane = across * down, planes = is_planar(picture) ? picture->samples : 1;
  // Numbers of strips and tiles have 32 bits in libtiff.
  if (per_plane > UINT32_MAX || picture->strile_count != per_plane * planes) {
    return "another number of strips or tiles than the size needs";
  }
  if (picture->kind == CTIFF_PALETTE && (bits > 16 || picture->palette_length != 3ull << bits)) {
    return "a palette of another size than the indexes need";
  }
  uint32_t reduction = picture->reduction;
  if (reduction != 1 && reduction != 2 && reduction != 4 && reduction != 8) return "a reduction that is not 1, 2, 4 or 8";
  if (reduction > 1 && (bits != 8 || planes != 1 || picture->alpha >= 0 || picture->samples != color_count(picture) ||
                        (picture->kind != CTIFF_GRAY && picture->kind != CTIFF_RGB))) {
    return "a smaller picture of other samples than JPEG has";
  }
  return NULL;
}

void rows_prepare(rows_plan *plan, const ctiff_picture *picture) {
  memset(plan, 0, sizeof *plan);
  plan->picture = picture;
  int is_float = picture->sample_format == CTIFF_FLOAT && picture->kind != CTIFF_CMYK;
  plan->depth = is_float ? 4 : picture->bits <= 8 ? 1 : 2;
  uint32_t colors = color_count(picture);
  // Planes after the last one that counts are not decoded.
  plan->planes = !is_planar(picture) ? 1 : picture->alpha >= (int32_t)colors ? (uint32_t)picture->alpha + 1 : colors;
  plan->channels = is_planar(picture) ? 1 : picture->samples;
  plan->pixel_bytes = bytes_per_pixel[picture->output];
  if (picture->kind == CTIFF_GRAY && picture->flags & CTIFF_INVERTED) plan->gray_mask = plan->depth == 1 ? 255 : 65535;
  if (plan->depth == 1) prepare_scale(plan);
  if (picture->kind == CTIFF_YCBCR) prepare_ycbcr(plan);
  if (picture->kind == CTIFF_LAB) lab_prepare_curve(plan->depth == 1 ? 255 : 65535, plan->lab_curve);
  plan->is_ready = picture->bits == 8 && picture->sample_format == CTIFF_UNSIGNED &&
                   !(picture->kind == CTIFF_GRAY && picture->flags & CTIFF_INVERTED && !plan->gray_mask);
  uint64_t rows = picture->strile_height;
  if (picture->kind == CTIFF_YCBCR && plan->planes == 1) {
    uint64_t blocks = ((uint64_t)picture->strile_width + picture->horizontal - 1) / picture->horizontal;
    plan->plane_row_bytes = blocks * (picture->horizontal * picture->vertical + 2);
    rows = (rows + picture->vertical - 1) / picture->vertical;
  } else {
    plan->plane_row_bytes = ((uint64_t)picture->strile_width * plan->channels * picture->bits + 7) / 8;
  }
  plan->strile_bytes = plan->plane_row_bytes * rows;
  plan->is_packed = plan->is_ready && plan->planes == 1 && picture->kind == CTIFF_RGB && picture->samples == 3 &&
                    plan->pixel_bytes == 4;
  uint32_t host_channels = plan->depth == 4 ? 0 : plan->pixel_bytes / plan->depth;
  plan->is_direct = plan->planes == 1 && picture->samples == host_channels && picture->output != IMGCODER_PIXEL_BGRA8 &&
                    (picture->bits == 8 || picture->bits == 16) && picture->sample_format == CTIFF_UNSIGNED &&
                    !(picture->flags & CTIFF_INVERTED) && (picture->kind == CTIFF_GRAY || picture->kind == CTIFF_RGB) &&
                    (host_channels % 2 ? picture->alpha < 0 : picture->alpha == (int32_t)host_channels - 1);
}

uint64_t rows_scratch(const rows_plan *plan) {
  uint64_t width = plan->picture->strile_width;
  // Unpacked samples, each plane's beginning aligned; then colors.
  uint64_t samples = (width * (plan->picture->samples + 3ull) + 16) * plan->depth + plan->planes * 16;
  return samples + width * 3 * plan->depth + 96;
}

#define STORE(NAME, TYPE, TOP)                                                                                       \
  static void NAME(uint32_t output, const channels *from, uint32_t columns, TYPE mask, TYPE *out) {                  \
    const TYPE *a = from->alpha, *r = from->color[0], *g = from->color[1], *b = from->color[2];                   \
    uint64_t s = from->step, t = from->alpha_step, n = columns;                                                      \
    int is_bgra = output == IMGCODER_PIXEL_BGRA8;                                                                    \
    switch (output) {                                                                                                \
      case IMGCODER_PIXEL_GRAY8:                                                                                     \
      case IMGCODER_PIXEL_GRAY16:                                                                                    \
        for (uint64_t x = 0; x < n; x++) out[x] = r[x * s] ^ mask;                                                   \
        break;                                                                                                       \
      case IMGCODER_PIXEL_GRAY_ALPHA8:                                                                               \
      case IMGCODER_PIXEL_GRAY_ALPHA16:                                                                              \
        for (uint64_t x = 0; x < n; x++) {                                                                           \
          out[2 * x] = r[x * s] ^ mask;                                                                              \
          out[2 * x + 1] = a ? a[x * t] : (TYPE)(TOP);                                                               \
        }                                                                                                            \
        break;                                                                                                       \
      case IMGCODER_PIXEL_RGB8:                                                                                      \
      case IMGCODER_PIXEL_RGB16:                                                                                     \
        for (uint64_t x = 0; x < n; x++) {                                                                           \
          out[3 * x] = r[x * s] ^ mask;                                                                              \
          out[3 * x + 1] = g[x * s] ^ mask;                                                                          \
          out[3 * x + 2] = b[x * s] ^ mask;                                                                          \
        }                                                                                                            \
        break;                                                                                                       \
      default:                                                                                                       \
        if (is_bgra) {                                                                                               \
          const TYPE *swap = r;                                                                                      \
          r = b;                                                                                                     \
          b = swap;                                                                                                  \
        }                                                                                                            \
        if (a) {                                                                                                     \
          for (uint64_t x = 0; x < n; x++) {                                                                         \
            out[4 * x] = r[x * s] ^ mask;                                                                            \
            out[4 * x + 1] = g[x * s] ^ mask;                                                                        \
            out[4 * x + 2] = b[x * s] ^ mask;                                                                        \
            out[4 * x + 3] = a[x * t];                                                                               \
          }                                                                                                          \
        } else {                                                                                                     \
          for (uint64_t x = 0; x < n; x++) {                                                                         \
            out[4 * x] = r[x * s] ^ mask;                                                                            \
            out[4 * x + 1] = g[x * s] ^ mask;                                                                        \
            out[4 * x + 2] = b[x * s] ^ mask;                                                                        \
            out[4 * x + 3] = (TYPE)(TOP);                                                                            \
          }                                                                                                          \
        }                                                                                                            \
    }                                                                                                                \
  }

STORE(store_bytes, uint8_t, 255)
STORE(store_words, uint16_t, 65535)

// The bytes of packed RGB as one word with opaque alpha: the usual case, and the fastest.
static void store_opaque(const uint8_t *rgb, uint32_t columns, int is_bgra, uint8_t *out) {
  if (is_bgra) {
    for (uint32_t x = 0; x < columns; x++, rgb += 3, out += 4) {
      out[0] = rgb[2];
      out[1] = rgb[1];
      out[2] = rgb[0];
      out[3] = 255;
    }
  } else {
    for (uint32_t x = 0; x < columns; x++, rgb += 3, out += 4) {
      out[0] = rgb[0];
      out[1] = rgb[1];
      out[2] = rgb[2];
      out[3] = 255;
    }
  }
}

static void store_floats(const channels *from, uint32_t columns, int is_inverted, float *out) {
  const float *a = from->alpha, *const *color = (const float *const *)from->color;
  for (uint64_t x = 0; x < columns; x++, out += 4) {
    for (int i = 0; i < 3; i++) {
      float value = color[i][x * from->step];
      out[i] = is_inverted ? 1 - value : value;
    }
    out[3] = a ? a[x * from->alpha_step] : 1;
  }
}

// Four inks as they are.
static void store_inks(const rows_plan *plan, const void *const *inks, uint32_t step, uint32_t columns, uint8_t *out) {
  for (uint64_t x = 0; x < columns; x++) {
    for (int i = 0; i < 4; i++) {
      if (plan->depth == 1) out[4 * x + i] = ((const uint8_t *)inks[i])[x * step];
      else ((uint16_t *)out)[4 * x + i] = ((const uint16_t *)inks[i])[x * step];
    }
  }
}

static void convert_row(const rows_plan *plan, const uint8_t *const *rows, uint32_t columns, uint8_t *out,
                        uint8_t *scratch) {
  const ctiff_picture *picture = plan->picture;
  const void *sample[CTIFF_MAX_CHANNELS] = {0};
  uint32_t depth = plan->depth, step = plan->channels, shown = plan->planes > 1 ? plan->planes : picture->samples;
  if (shown > CTIFF_MAX_CHANNELS) shown = CTIFF_MAX_CHANNELS;
  // Samples of full bytes are read where they are; all others are unpacked first.
  int is_ready = plan->is_ready;
  if (plan->planes == 1) {
    const uint8_t *row = rows[0];
    if (!is_ready) {
      samples_unpack(plan, row, (uint64_t)columns * step, scratch);
      row = scratch;
      scratch += ((uint64_t)picture->strile_width * step * depth + 31) / 16 * 16;
    }
    for (uint32_t i = 0; i < shown; i++) sample[i] = row + i * depth;
  } else {
    for (uint32_t i = 0; i < shown; i++) {
      const uint8_t *row = rows[i];
      if (!is_ready) {
        samples_unpack(plan, row, columns, scratch);
        row = scratch;
        scratch += ((uint64_t)picture->strile_width * depth + 15) / 16 * 16;
      }
      sample[i] = row;
    }
  }
  if (picture->flags & CTIFF_INKS) {
    store_inks(plan, sample, step, columns, out);
    return;
  }
  channels from = {{sample[0], sample[0], sample[0]}, NULL, step, step};
  if (picture->alpha >= 0 && (uint32_t)picture->alpha < shown) from.alpha = sample[picture->alpha];
  switch (picture->kind) {
    case CTIFF_GRAY: break;
    case CTIFF_RGB:
      from.color[1] = sample[1];
      from.color[2] = sample[2];
      break;
    default:
      if (picture->kind == CTIFF_PALETTE) color_palette(plan, sample[0], step, columns, scratch);
      else if (picture->kind == CTIFF_CMYK) color_cmyk(plan, sample, step, columns, scratch);
      else color_lab(plan, sample, step, columns, scratch);
      if (picture->kind == CTIFF_PALETTE) {
        depth = 1;
        if (from.alpha && picture->bits < 8) {
          // The table leaves indexes as they are; alpha beside them has to be spread.
          const uint8_t *alpha = from.alpha;
          uint8_t *spread = scratch + 3ull * columns;
          uint32_t top = (1u << picture->bits) - 1;
          for (uint64_t x = 0; x < columns; x++) spread[x] = (uint8_t)((alpha[x * step] * 255u + top / 2) / top);
          from.alpha = spread;
          from.alpha_step = 1;
        }
      }
      for (int i = 0; i < 3; i++) from.color[i] = scratch + (uint32_t)i * depth;
      from.step = 3;
  }
  if (depth == 4) {
    store_floats(&from, columns, picture->kind == CTIFF_GRAY && picture->flags & CTIFF_INVERTED, (float *)out);
  } else if (depth == 2) {
    store_words(picture->output, &from, columns, (uint16_t)plan->gray_mask, (uint16_t *)out);
  } else if (!from.alpha && from.step == 3 && plan->pixel_bytes == 4 && picture->kind != CTIFF_GRAY) {
    store_opaque(from.color[0], columns, picture->output == IMGCODER_PIXEL_BGRA8, out);
  } else {
    store_bytes(picture->output, &from, columns, (uint8_t)plan->gray_mask, out);
  }
}

// Rows of YCbCr: blocks of one plane, or three planes without subsampling.
static void convert_ycbcr(const rows_plan *plan, const uint8_t *const *planes, uint32_t y, uint32_t columns,
                          uint8_t *pixels, uint8_t *scratch) {
  const ctiff_picture *picture = plan->picture;
  const uint8_t *blocks = planes[0] + (uint64_t)(y / picture->vertical) * plan->plane_row_bytes;
  uint8_t *rgb = picture->output == IMGCODER_PIXEL_RGB8 ? pixels : scratch;
  if (plan->planes > 1) {
    uint8_t *woven = scratch + 3ull * picture->strile_width;
    for (uint64_t x = 0; x < columns; x++) {
      for (int i = 0; i < 3; i++) woven[3 * x + i] = planes[i][y * plan->plane_row_bytes + x];
    }
    blocks = woven;
  }
  color_ycbcr(plan, blocks, y % picture->vertical, columns, rgb);
  if (rgb == scratch) store_opaque(scratch, columns, picture->output == IMGCODER_PIXEL_BGRA8, pixels);
}

void rows_convert(const rows_plan *plan, const uint8_t *const *planes, uint32_t y, uint32_t count, uint32_t columns,
                  uint8_t *pixels, uint64_t stride, uint8_t *scratch) {
  const ctiff_picture *picture = plan->picture;
  for (uint32_t i = 0; i < count; i++, pixels += stride) {
    const uint8_t *rows[CTIFF_MAX_CHANNELS];
    if (picture->kind == CTIFF_YCBCR) {
      convert_ycbcr(plan, planes, y + i, columns, pixels, scratch);
      continue;
    }
    for (uint32_t plane = 0; plane < plan->planes && plane < CTIFF_MAX_CHANNELS; plane++) {
      rows[plane] = planes[plane] + (uint64_t)(y + i) * plan->plane_row_bytes;
    }
    if (plan->is_direct) memcpy(pixels, rows[0], (uint64_t)columns * plan->pixel_bytes);
    else if (plan->is_packed) store_opaque(rows[0], columns, picture->output == IMGCODER_PIXEL_BGRA8, pixels);
    else convert_row(plan, rows, columns, pixels, scratch);
  }
}
