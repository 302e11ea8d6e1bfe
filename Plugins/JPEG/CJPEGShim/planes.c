// SPDX-License-Identifier: Apache-2.0

#include "planes.h"

#include <string.h>

enum { FRACTION = 12 };  // bits that weights below have more than samples

static uint32_t divided_up(uint32_t value, uint32_t divisor) { return value / divisor + (value % divisor != 0); }

static uint64_t stride_of(const plane *plane) { return (uint64_t)plane->columns * 8; }

imgcoder_status planes_begin(planes *planes, const imgcoder_host *host, const cjpeg_encode_options *options) {
  planes->host = host;
  planes->format = options->pixel_format;
  planes->width = options->width;
  planes->height = options->height;
  planes->count = options->pixel_format == IMGCODER_PIXEL_GRAY8 ? 1 : 3;
  planes->horizontal = options->horizontal;
  planes->vertical = options->vertical;
  for (uint32_t i = 0; i < planes->count; i++) {
    plane *plane = &planes->plane[i];
    plane->width = i == 0 ? planes->width : divided_up(planes->width, planes->horizontal);
    plane->height = i == 0 ? planes->height : divided_up(planes->height, planes->vertical);
    plane->columns = divided_up(plane->width, 8);
    plane->rows = divided_up(plane->height, 8);
    plane->samples = host->allocate(host, stride_of(plane) * plane->rows * 8 * sizeof *plane->samples, 0);
    if (!plane->samples) return IMGCODER_STATUS_OUT_OF_MEMORY;
    if (i == 0) continue;
    planes->sums[i - 1] = host->allocate(host, (uint64_t)plane->width * sizeof *planes->sums[0], 0);
    if (!planes->sums[i - 1]) return IMGCODER_STATUS_OUT_OF_MEMORY;
  }
  return IMGCODER_STATUS_OK;
}

// BT.601, as JFIF has it, in sixteenths.
static inline plane_sample luma(int red, int green, int blue) {
  return (plane_sample)(((19595 * red + 38470 * green + 7471 * blue + (1 << (FRACTION - 1))) >> FRACTION) - 128 * PLANE_LEVEL);
}
static inline int32_t chroma_blue(int red, int green, int blue) {
  return (-11058 * red - 21710 * green + 32768 * blue + (1 << (FRACTION - 1))) >> FRACTION;
}
static inline int32_t chroma_red(int red, int green, int blue) {
  return (32768 * red - 27439 * green - 5329 * blue + (1 << (FRACTION - 1))) >> FRACTION;
}

static inline plane_sample clamped(int32_t value) {
  return (plane_sample)(value < PLANE_SMALLEST ? PLANE_SMALLEST : value > PLANE_LARGEST ? PLANE_LARGEST : value);
}

// A row of colors; constants for `bytes` and `red` let the compiler make a loop for each.
static inline __attribute__((always_inline)) void split(const planes *planes, const uint8_t *restrict pixels, int bytes, int red) {
  plane_sample *restrict y = planes->plane[0].samples + planes->next * stride_of(&planes->plane[0]);
  for (uint32_t x = 0; x < planes->width; x++) {
    const uint8_t *pixel = pixels + (uint64_t)x * (uint64_t)bytes;
    y[x] = luma(pixel[red], pixel[1], pixel[2 - red]);
  }
  const uint32_t wide = planes->horizontal, whole = planes->width / wide;
  int32_t *restrict blues = planes->sums[0], *restrict reds = planes->sums[1];
  if (wide == 2) {
    for (uint32_t x = 0; x < whole; x++, pixels += 2 * bytes) {
      const int r = pixels[red] + pixels[bytes + red], g = pixels[1] + pixels[bytes + 1];
      const int b = pixels[2 - red] + pixels[bytes + 2 - red];
      blues[x] += chroma_blue(r, g, b);
      reds[x] += chroma_red(r, g, b);
    }
  } else {
    for (uint32_t x = 0; x < whole; x++) {
      for (uint32_t i = 0; i < wide; i++, pixels += bytes) {
        blues[x] += chroma_blue(pixels[red], pixels[1], pixels[2 - red]);
        reds[x] += chroma_red(pixels[red], pixels[1], pixels[2 - red]);
      }
    }
  }
  for (uint32_t x = whole * wide, last = planes->width - 1, from = x; x < planes->plane[1].width * wide; x++) {
    const uint8_t *pixel = pixels + (uint64_t)((x < last ? x : last) - from) * (uint64_t)bytes;
    blues[whole] += chroma_blue(pixel[red], pixel[1], pixel[2 - red]);
    reds[whole] += chroma_red(pixel[red], pixel[1], pixel[2 - red]);
  }
}

// The mean of rows of chroma that are complete.
static void put_chroma(planes *planes, uint32_t rows) {
  const uint32_t row = planes->next / planes->vertical;
  const int32_t count = (int32_t)(rows * planes->horizontal);
  for (int i = 0; i < 2; i++) {
    const plane *plane = &planes->plane[1 + i];
    plane_sample *restrict to = plane->samples + row * stride_of(plane);
    int32_t *restrict from = planes->sums[i];
    for (uint32_t x = 0; x < plane->width; x++) {
      // Numbers are made positive, for divisions that round all of them the same way.
      const int32_t sum = from[x] + count * 128 * PLANE_LEVEL + count / 2;
      to[x] = clamped((count == 4 ? sum >> 2 : count == 1 ? sum : sum / count) - 128 * PLANE_LEVEL);
    }
    memset(from, 0, plane->width * sizeof *from);
  }
}

void planes_add(planes *planes, const uint8_t *pixels) {
  if (planes->count == 1) {
    plane_sample *row = planes->plane[0].samples + planes->next * stride_of(&planes->plane[0]);
    for (uint32_t x = 0; x < planes->width; x++) row[x] = (plane_sample)((pixels[x] - 128) * PLANE_LEVEL);
    planes->next++;
    return;
  }
  if (planes->next == 0) {
    for (int i = 0; i < 2; i++) memset(planes->sums[i], 0, planes->plane[1].width * sizeof *planes->sums[i]);
  }
  switch (planes->format) {
    case IMGCODER_PIXEL_RGBA8: split(planes, pixels, 4, 0); break;
    case IMGCODER_PIXEL_BGRA8: split(planes, pixels, 4, 2); break;
    default: split(planes, pixels, 3, 0);
  }
  const uint32_t rows = planes->next % planes->vertical + 1;
  if (rows == planes->vertical || planes->next + 1 == planes->height) put_chroma(planes, rows);
  planes->next++;
}

int planes_are_gray(const planes *planes) {
  for (uint32_t i = 1; i < planes->count; i++) {
    const plane *plane = &planes->plane[i];
    for (uint32_t y = 0; y < plane->height; y++) {
      const plane_sample *row = plane->samples + y * stride_of(plane);
      plane_sample found = 0;
      for (uint32_t x = 0; x < plane->width; x++) found |= row[x];
      if (found != 0) return 0;
    }
  }
  return 1;
}

// Repeats the last samples of rows, and the last row.
static void fill(const plane *plane) {
  const uint64_t stride = stride_of(plane);
  for (uint32_t y = 0; y < plane->rows * 8; y++) {
    plane_sample *row = plane->samples + y * stride;
    if (y >= plane->height) memcpy(row, row - stride, stride * sizeof *row);
    else
      for (uint64_t x = plane->width; x < stride; x++) row[x] = row[plane->width - 1];
  }
}

// A decoder makes two samples of each, 3/4 of it and 1/4 of a neighbor. The mean of the two is 1/8 of the left neighbor, 6/8
// of the sample and 1/8 of the right one. `out` is what should come out; a share of what is missing is added to `row`.
typedef struct correction {
  int across, down;  // whether there are two samples for one
  int32_t sharpness;  // of 64
  uint32_t width;
} correction;

static inline int32_t blurred(const correction *by, const plane_sample *row, uint32_t left, uint32_t x, uint32_t right) {
  return by->across ? row[left] + 6 * row[x] + row[right] : 8 * row[x];
}

static void correct_row(const correction *by, const plane_sample *above, const plane_sample *row, const plane_sample *below,
                        const plane_sample *restrict wanted, plane_sample *restrict out) {
  const uint32_t last = by->width - 1;
  for (uint32_t x = 0; x <= last; x++) {
    const uint32_t left = x > 0 ? x - 1 : 0, right = x < last ? x + 1 : last;
    const int32_t middle = blurred(by, row, left, x, right);
    const int32_t sum =
        by->down ? blurred(by, above, left, x, right) + 6 * middle + blurred(by, below, left, x, right) : 8 * middle;
    out[x] = clamped(row[x] + ((by->sharpness * (wanted[x] - ((sum + 32) >> 6)) + 32) >> 6));
  }
}

static imgcoder_status correct(planes *planes, const plane *plane, double sharpness) {
  enum { STEPS = 2 };
  const uint64_t stride = stride_of(plane), bytes = plane->width * sizeof *plane->samples;
  const correction by = {planes->horizontal == 2, planes->vertical == 2, (int32_t)(sharpness * 64 + 0.5), plane->width};
  // What is wanted, and two rows as they were.
  plane_sample *wanted = planes->host->allocate(planes->host, bytes * (plane->height + 3), 0);
  if (!wanted) return IMGCODER_STATUS_OUT_OF_MEMORY;
  for (uint32_t y = 0; y < plane->height; y++) memcpy(wanted + (uint64_t)y * plane->width, plane->samples + y * stride, bytes);
  plane_sample *above = wanted + (uint64_t)plane->height * plane->width, *row = above + plane->width, *made = row + plane->width;
  for (int step = 0; step < STEPS; step++) {
    memcpy(above, plane->samples, bytes);
    for (uint32_t y = 0; y < plane->height; y++) {
      plane_sample *stored = plane->samples + y * stride;
      memcpy(row, stored, bytes);
      correct_row(&by, above, row, y + 1 < plane->height ? stored + stride : row, wanted + (uint64_t)y * plane->width, made);
      memcpy(stored, made, bytes);
      plane_sample *next = above;
      above = row;
      row = next;
    }
  }
  planes->host->free(planes->host, wanted);
  return IMGCODER_STATUS_OK;
}

imgcoder_status planes_end(planes *planes, double sharpness) {
  for (uint32_t i = 1; i < planes->count; i++) {
    if (planes->horizontal != 2 && planes->vertical != 2) break;
    imgcoder_status status = correct(planes, &planes->plane[i], sharpness);
    if (status != IMGCODER_STATUS_OK) return status;
  }
  for (uint32_t i = 0; i < planes->count; i++) fill(&planes->plane[i]);
  return IMGCODER_STATUS_OK;
}

void planes_free(planes *planes) {
  if (!planes->host) return;
  for (int i = 0; i < 3; i++) planes->host->free(planes->host, planes->plane[i].samples);
  for (int i = 0; i < 2; i++) planes->host->free(planes->host, planes->sums[i]);
}
