// SPDX-License-Identifier: Apache-2.0

#include "include/planes.h"

#include "rows.h"

// Rows of one part, and what they are made from.
typedef struct part_rows {
  uint16_t samples[PART_COLUMNS];
  uint32_t wide[3][PART_COLUMNS];
  uint8_t narrow[3][PART_COLUMNS];
} part_rows;

static void pack_wide(const planes_layout *layout, const part_rows *rows, int colors, size_t width, uint8_t *pixels) {
  const uint32_t *wide[3] = {rows->wide[0], rows->wide[colors > 1], rows->wide[colors > 1 ? 2 : 0]};
  pack_integers(layout, wide, width, pixels);
}

// Gray, and planes that are green, blue and red.
static void copy_row(const planes_picture *picture, const planes_conversion *conversion, const planes_layout *layout,
                     size_t x, size_t y, size_t width, part_rows *rows, uint8_t *pixels) {
  static const int plane_of[3] = {2, 0, 1};
  const int is_gray = layout->channels <= 2 || !picture->plane[1];
  const uint8_t *from[3];
  for (int c = 0; c < 3; c++) {
    const int plane = is_gray ? 0 : plane_of[c];
    from[c] = picture->plane[plane] + y * picture->stride[plane];
  }
  if (!conversion->levels && picture->bits == 8 && layout->bytes_per_channel == 1) {
    const uint8_t *colors[3] = {from[0] + x, from[1] + x, from[2] + x};
    pack_bytes(layout, colors, width, pixels);
    return;
  }
  for (int c = 0; c < (is_gray ? 1 : 3); c++) {
    wide_samples(from[c], picture->bits, x, width, rows->samples);
    for (size_t i = 0; i < width; i++)
      rows->wide[c][i] = conversion->levels ? conversion->levels[rows->samples[i]] : rows->samples[i];
  }
  pack_wide(layout, rows, is_gray ? 1 : 3, width, pixels);
}

static void alpha_row(const planes_picture *picture, const planes_conversion *conversion, const planes_layout *layout,
                      size_t x, size_t y, size_t width, uint8_t *pixels) {
  const size_t channels = layout->channels;
  const uint8_t *row = picture->plane[3] + y * picture->stride[3];
  for (size_t start = 0; start < width; start += PART_COLUMNS) {
    uint16_t samples[PART_COLUMNS];
    const size_t count = width - start < PART_COLUMNS ? width - start : PART_COLUMNS;
    wide_samples(row, picture->alpha_bits, x + start, count, samples);
    for (size_t i = 0; i < count && conversion->alpha_levels; i++) samples[i] = conversion->alpha_levels[samples[i]];
    if (layout->bytes_per_channel == 2) {
      uint16_t *out = (uint16_t *)(void *)pixels + start * channels + channels - 1;
      for (size_t i = 0; i < count; i++) out[i * channels] = samples[i];
    } else {
      uint8_t *out = pixels + start * channels + channels - 1;
      for (size_t i = 0; i < count; i++) out[i * channels] = (uint8_t)samples[i];
    }
  }
}

static void convert_wide(const planes_picture *picture, const planes_conversion *conversion,
                         const planes_layout *layout, const wide_chroma *chroma, size_t x, size_t y, size_t width,
                         part_rows *rows, uint8_t *pixels) {
  uint32_t *colors[3] = {rows->wide[0], rows->wide[1], rows->wide[2]};
  const float top = conversion->steps ? (float)((1u << picture->bits) - 1) : layout->bytes_per_channel == 2 ? 65535 : 255;
  wide_samples(picture->plane[0] + y * picture->stride[0], picture->bits, x, width, rows->samples);
  wide_color_row(conversion, rows->samples, chroma, width, top, colors);
  for (int c = 0; conversion->steps && c < 3; c++) {
    for (size_t i = 0; i < width; i++) colors[c][i] = conversion->steps[colors[c][i]];
  }
  pack_wide(layout, rows, 3, width, pixels);
}

void planes_read(const planes_picture *picture, const planes_conversion *conversion, const planes_layout *layout,
                 const planes_part *part) {
  const size_t pixel_bytes = (size_t)layout->channels * layout->bytes_per_channel, end = part->y + part->height;
  const int is_copied = layout->channels <= 2 || !picture->plane[1] || conversion->kind == PLANES_IDENTITY;
  const int is_narrow = picture->bits == 8 && layout->bytes_per_channel == 1 && conversion->kind == PLANES_WEIGHTS &&
                        !conversion->is_interpolated;
  const size_t shared = picture->shift_y && !conversion->is_interpolated && !is_copied ? 2 : 1;
  part_rows rows;
  union {
    narrow_chroma narrow;
    wide_chroma wide;
  } chroma;
  for (size_t y = part->y, next; y < end; y = next) {
    // Rows that share a row of chroma.
    next = y + shared - y % shared;
    if (next > end) next = end;
    for (size_t x = part->x, stop; x < part->x + part->width; x = stop) {
      stop = x + PART_COLUMNS - x % 2;
      if (stop > part->x + part->width) stop = part->x + part->width;
      const size_t width = stop - x, chroma_y = y >> picture->shift_y;
      if (is_narrow && !is_copied) {
        narrow_chroma_row(conversion, picture->plane[1] + chroma_y * picture->stride[1],
                          picture->plane[2] + chroma_y * picture->stride[2], x, picture->shift_x, width, &chroma.narrow);
      } else if (!is_copied) {
        wide_chroma_row(picture, conversion, 1, x, y, width, chroma.wide.cb);
        wide_chroma_row(picture, conversion, 2, x, y, width, chroma.wide.cr);
      }
      for (size_t row = y; row < next; row++) {
        uint8_t *pixels = part->pixels + (row - part->y) * part->stride + (x - part->x) * pixel_bytes;
        if (is_copied) {
          copy_row(picture, conversion, layout, x, row, width, &rows, pixels);
        } else if (is_narrow) {
          uint8_t *colors[3] = {rows.narrow[0], rows.narrow[1], rows.narrow[2]};
          narrow_color_row(conversion, picture->plane[0] + row * picture->stride[0] + x, &chroma.narrow, width, colors);
          pack_bytes(layout, (const uint8_t *const *)colors, width, pixels);
        } else {
          convert_wide(picture, conversion, layout, &chroma.wide, x, row, width, &rows, pixels);
        }
      }
    }
    if (!picture->plane[3] || layout->channels % 2) continue;
    for (size_t row = y; row < next; row++) {
      alpha_row(picture, conversion, layout, part->x, row, part->width, part->pixels + (row - part->y) * part->stride);
    }
  }
}

void planes_read_alpha(const planes_picture *picture, const planes_conversion *conversion, const planes_layout *layout,
                       const planes_part *part) {
  for (size_t row = 0; row < part->height; row++) {
    alpha_row(picture, conversion, layout, part->x, part->y + row, part->width, part->pixels + row * part->stride);
  }
}
