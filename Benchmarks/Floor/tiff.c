/* SPDX-License-Identifier: Apache-2.0
 *
 * libtiff on one thread: whole strips or tiles, then plain loops to RGBA. */
#include "floor.h"

#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

struct memory {
  struct input input;
  size_t position;
};

static tmsize_t on_read(thandle_t context, void *bytes, tmsize_t count) {
  struct memory *memory = context;
  size_t rest = memory->input.size - memory->position, length = (size_t)count < rest ? (size_t)count : rest;
  memcpy(bytes, memory->input.bytes + memory->position, length);
  memory->position += length;
  return (tmsize_t)length;
}

static tmsize_t on_write(thandle_t context, void *bytes, tmsize_t count) {
  (void)context, (void)bytes, (void)count;
  return 0;
}

static toff_t on_seek(thandle_t context, toff_t offset, int whence) {
  struct memory *memory = context;
  size_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? memory->position : memory->input.size;
  memory->position = base + offset < memory->input.size ? base + offset : memory->input.size;
  return memory->position;
}

static int on_close(thandle_t context) {
  (void)context;
  return 0;
}

static toff_t on_size(thandle_t context) { return ((struct memory *)context)->input.size; }

static int on_map(thandle_t context, void **base, toff_t *size) {
  struct memory *memory = context;
  *base = (void *)memory->input.bytes;
  *size = memory->input.size;
  return 1;
}

static void on_unmap(thandle_t context, void *base, toff_t size) { (void)context, (void)base, (void)size; }

/* What the loops below know: bytes of gray, RGB and RGBA, bilevel, and the upper bytes of words. */
struct layout {
  uint16_t bits, samples, photometric;
  uint32_t width, height;
};

static void expand(const struct layout *layout, const uint8_t *row, uint32_t columns, uint8_t *out) {
  uint16_t samples = layout->samples;
  if (layout->bits == 1) {
    uint8_t black = layout->photometric == PHOTOMETRIC_MINISWHITE ? 255 : 0;
    for (uint32_t x = 0; x < columns; x++, out += 4) {
      out[0] = out[1] = out[2] = (row[x / 8] >> (7 - x % 8) & 1 ? 255 : 0) ^ black;
      out[3] = 255;
    }
    return;
  }
  uint32_t step = layout->bits / 8;
  if (step == 2) {
    const uint16_t *words = (const uint16_t *)(const void *)row;
    for (uint32_t x = 0; x < columns; x++, out += 4, words += samples) {
      for (int i = 0; i < 3; i++) out[i] = (uint8_t)((words[samples < 3 ? 0 : i] * 255u + 32895) >> 16);
      out[3] = 255;
    }
    return;
  }
  for (uint32_t x = 0; x < columns; x++, out += 4, row += samples) {
    out[0] = row[0];
    out[1] = row[samples < 3 ? 0 : 1];
    out[2] = row[samples < 3 ? 0 : 2];
    out[3] = samples == 4 ? row[3] : 255;
  }
}

static int decode(struct input input, struct picture *picture, struct cells *cells, size_t box) {
  struct memory memory = {input, 0};
  struct layout layout = {1, 1, 1, 0, 0};
  TIFF *tiff = TIFFClientOpen("memory", "rc", &memory, on_read, on_write, on_seek, on_close, on_size, on_map, on_unmap);
  if (!tiff) return 0;
  uint16_t planar = 1, compression = 1;
  uint32_t side_width, side_height;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout.width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout.height);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &layout.bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &layout.samples);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PHOTOMETRIC, &layout.photometric);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
  if (planar != PLANARCONFIG_CONTIG || (layout.bits != 1 && layout.bits != 8 && layout.bits != 16)) {
    TIFFClose(tiff);
    return 0;
  }
  if (compression == COMPRESSION_JPEG) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  int is_tiled = TIFFIsTiled(tiff);
  if (is_tiled) {
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &side_width);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &side_height);
  } else {
    side_width = layout.width;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &side_height);
    if (side_height > layout.height) side_height = layout.height;
  }
  tmsize_t size = is_tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
  tmsize_t stride = is_tiled ? TIFFTileRowSize(tiff) : TIFFScanlineSize(tiff);
  uint8_t *buffer = malloc((size_t)size);
  size_t row_bytes = (size_t)layout.width * 4;
  uint8_t *band = cells ? malloc(row_bytes * side_height) : NULL;
  if (cells) cells_begin(cells, layout.width, layout.height, box);
  else {
    picture->width = layout.width;
    picture->height = layout.height;
    picture->pixels = malloc(row_bytes * layout.height);
  }
  uint32_t index = 0;
  int is_good = 1;
  for (uint32_t y = 0; y < layout.height && is_good; y += side_height) {
    uint32_t rows = layout.height - y < side_height ? layout.height - y : side_height;
    uint8_t *out = cells ? band : picture->pixels + y * row_bytes;
    for (uint32_t x = 0; x < layout.width; x += side_width, index++) {
      uint32_t columns = layout.width - x < side_width ? layout.width - x : side_width;
      tmsize_t got = is_tiled ? TIFFReadEncodedTile(tiff, index, buffer, size)
                              : TIFFReadEncodedStrip(tiff, index, buffer, stride * rows);
      if (got < 0) is_good = 0;
      for (uint32_t i = 0; i < rows && is_good; i++) {
        expand(&layout, buffer + i * stride, columns, out + i * row_bytes + x * 4);
      }
    }
    for (uint32_t i = 0; cells && i < rows; i++) cells_add(cells, band + i * row_bytes);
  }
  if (cells) *picture = cells_end(cells);
  free(band);
  free(buffer);
  TIFFClose(tiff);
  return is_good;
}

static int full(struct input input, struct picture *picture) { return decode(input, picture, NULL, 0); }

static int thumbnail(struct input input, struct picture *picture) {
  struct cells cells;
  return decode(input, picture, &cells, THUMBNAIL);
}

static int matches(struct input input) {
  return input.size >= 8 && (!memcmp(input.bytes, "II*\0", 4) || !memcmp(input.bytes, "MM\0*", 4) ||
                             !memcmp(input.bytes, "II+\0", 4) || !memcmp(input.bytes, "MM\0+", 4));
}

const struct floor_format tiff_floor = {.matches = matches, .full = full, .thumbnail = thumbnail, .all = NULL};
