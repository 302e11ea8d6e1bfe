/* SPDX-License-Identifier: Apache-2.0 */
#include "floor.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

static int read_bytes(GifFileType *file, GifByteType *target, int count) {
  struct input *left = file->UserData;
  if ((size_t)count > left->size) count = (int)left->size;
  memcpy(target, left->bytes, count);
  left->bytes += count;
  left->size -= count;
  return count;
}

/* Colors as RGBA in memory; a transparent one is 0. */
static void fill_palette(const GifFileType *file, int transparent, uint8_t palette[256][4]) {
  const ColorMapObject *map = file->Image.ColorMap ? file->Image.ColorMap : file->SColorMap;
  memset(palette, 0, 256 * 4);
  for (int i = 0; map && i < map->ColorCount; i++) {
    palette[i][0] = map->Colors[i].Red;
    palette[i][1] = map->Colors[i].Green;
    palette[i][2] = map->Colors[i].Blue;
    palette[i][3] = 255;
  }
  if (transparent >= 0) memset(palette[transparent], 0, 4);
}

static void draw_row(const uint8_t *indexes, int count, int transparent, uint8_t palette[256][4], uint8_t *target) {
  for (int x = 0; x < count; x++) {
    if (indexes[x] != transparent) memcpy(target + 4 * x, palette[indexes[x]], 4);
  }
}

/* The row of a picture that comes as row `number` of an interlaced image. */
static int interlaced(int number, int height) {
  static const int start[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
  for (int pass = 0; pass < 4; pass++) {
    int rows = height > start[pass] ? (height - start[pass] + step[pass] - 1) / step[pass] : 0;
    if (number < rows) return start[pass] + number * step[pass];
    number -= rows;
  }
  return height - 1;
}

struct screen {
  uint8_t *pixels, *indexes;
  size_t width, height;
};

/* Draws the image that comes next on a canvas. Files of the benchmark keep their frames inside it. */
static int draw_image(GifFileType *file, struct screen screen, int transparent) {
  uint8_t palette[256][4];
  GifImageDesc *image = &file->Image;
  fill_palette(file, transparent, palette);
  for (int y = 0; y < image->Height; y++) {
    int row = image->Interlace ? interlaced(y, image->Height) : y;
    if (DGifGetLine(file, screen.indexes, image->Width) == GIF_ERROR) return 0;
    uint8_t *target = screen.pixels + ((size_t)(image->Top + row) * screen.width + image->Left) * 4;
    draw_row(screen.indexes, image->Width, transparent, palette, target);
  }
  return 1;
}

/* Reads on to the next image: 1, with its graphic control in `control`; 0 at the end; -1 on damage. */
static int next_image(GifFileType *file, GraphicsControlBlock *control) {
  GifRecordType record;
  GifByteType *extension;
  int code;
  control->TransparentColor = NO_TRANSPARENT_COLOR;
  control->DisposalMode = DISPOSAL_UNSPECIFIED;
  while (DGifGetRecordType(file, &record) == GIF_OK) {
    if (record == TERMINATE_RECORD_TYPE) return 0;
    if (record == IMAGE_DESC_RECORD_TYPE) return DGifGetImageDesc(file) == GIF_OK ? 1 : -1;
    if (DGifGetExtension(file, &code, &extension) == GIF_ERROR) return -1;
    if (code == GRAPHICS_EXT_FUNC_CODE && extension) DGifExtensionToGCB(extension[0], extension + 1, control);
    while (extension) {
      if (DGifGetExtensionNext(file, &extension) == GIF_ERROR) return -1;
    }
  }
  return -1;
}

static int gif_full(struct input input, struct picture *picture) {
  int error;
  GraphicsControlBlock control;
  GifFileType *file = DGifOpen(&input, read_bytes, &error);
  if (!file || next_image(file, &control) != 1) return 0;
  struct screen screen = {NULL, NULL, (size_t)file->SWidth, (size_t)file->SHeight};
  screen.pixels = malloc(screen.width * screen.height * 4);
  screen.indexes = malloc(65536);
  if ((size_t)file->Image.Width != screen.width || (size_t)file->Image.Height != screen.height ||
      control.TransparentColor != NO_TRANSPARENT_COLOR) {
    memset(screen.pixels, 0, screen.width * screen.height * 4);
  }
  int done = draw_image(file, screen, control.TransparentColor);
  free(screen.indexes);
  picture->pixels = screen.pixels;
  picture->width = screen.width;
  picture->height = screen.height;
  DGifCloseFile(file, &error);
  return done;
}

/* Files whose first image covers the canvas and is not interlaced only. */
static int gif_thumbnail(struct input input, struct picture *picture) {
  int error, transparent;
  uint8_t palette[256][4];
  GraphicsControlBlock control;
  struct cells cells;
  GifFileType *file = DGifOpen(&input, read_bytes, &error);
  if (!file || next_image(file, &control) != 1 || file->Image.Interlace) return 0;
  transparent = control.TransparentColor;
  fill_palette(file, transparent, palette);
  size_t width = (size_t)file->Image.Width, height = (size_t)file->Image.Height;
  uint8_t *indexes = malloc(width), *row = malloc(width * 4);
  cells_begin(&cells, width, height, THUMBNAIL);
  for (size_t y = 0; y < height; y++) {
    if (DGifGetLine(file, indexes, (int)width) == GIF_ERROR) return 0;
    draw_row(indexes, (int)width, -1, palette, row);
    cells_add(&cells, row);
  }
  free(indexes);
  free(row);
  *picture = cells_end(&cells);
  DGifCloseFile(file, &error);
  return 1;
}

static int gif_all(struct input input, uint64_t *hash, double *hash_ms) {
  int error, more;
  GraphicsControlBlock control;
  GifFileType *file = DGifOpen(&input, read_bytes, &error);
  if (!file) return 0;
  size_t size = (size_t)file->SWidth * file->SHeight * 4;
  struct screen screen = {calloc(size, 1), malloc(65536), (size_t)file->SWidth, (size_t)file->SHeight};
  uint8_t *before = malloc(size);
  while ((more = next_image(file, &control)) == 1) {
    GifImageDesc image = file->Image;
    if (control.DisposalMode == DISPOSE_PREVIOUS) memcpy(before, screen.pixels, size);
    if (!draw_image(file, screen, control.TransparentColor)) return 0;
    /* A player gets a canvas of its own, as a caller of ours does. */
    uint8_t *shown = malloc(size);
    memcpy(shown, screen.pixels, size);
    if (hash) {
      double start = now_ms();
      *hash = hash_bytes(*hash, shown, size);
      *hash_ms += now_ms() - start;
    }
    free(shown);
    if (control.DisposalMode == DISPOSE_PREVIOUS) memcpy(screen.pixels, before, size);
    for (int y = 0; control.DisposalMode == DISPOSE_BACKGROUND && y < image.Height; y++) {
      memset(screen.pixels + ((size_t)(image.Top + y) * screen.width + image.Left) * 4, 0, (size_t)image.Width * 4);
    }
  }
  free(before);
  free(screen.pixels);
  free(screen.indexes);
  DGifCloseFile(file, &error);
  return more == 0;
}

static int gif_matches(struct input input) { return memcmp(input.bytes, "GIF8", 4) == 0; }

const struct floor_format gif_floor = {
    .matches = gif_matches, .full = gif_full, .thumbnail = gif_thumbnail, .all = gif_all};
