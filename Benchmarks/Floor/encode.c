/* SPDX-License-Identifier: Apache-2.0
 *
 * Encoding with the libraries themselves, as their manuals show it, into memory that grows. */
#include "floor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>
#include <webp/encode.h>

struct bytes {
  uint8_t *start;
  size_t count, room;
};

static int append(struct bytes *bytes, const uint8_t *more, size_t count) {
  if (bytes->count + count > bytes->room) {
    size_t room = (bytes->count + count) * 2;
    uint8_t *start = realloc(bytes->start, room);
    if (!start) return 0;
    bytes->start = start;
    bytes->room = room;
  }
  memcpy(bytes->start + bytes->count, more, count);
  bytes->count += count;
  return 1;
}

static size_t encode_jpeg(struct picture picture) {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  unsigned char *memory = NULL;
  unsigned long size = 0;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = (JDIMENSION)picture.width;
  info.image_height = (JDIMENSION)picture.height;
  info.input_components = 4;
  info.in_color_space = JCS_EXT_RGBX;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 90, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = picture.pixels + (size_t)info.next_scanline * picture.width * 4;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  free(memory);
  return size;
}

static void on_bytes(png_structp png, png_bytep bytes, size_t count) {
  if (!append(png_get_io_ptr(png), bytes, count)) png_error(png, "no memory");
}

static void on_flush(png_structp png) { (void)png; }

static size_t encode_png(struct picture picture, int level) {
  struct bytes bytes = {NULL, 0, 0};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  if (setjmp(png_jmpbuf(png))) return 0;
  png_set_write_fn(png, &bytes, on_bytes, on_flush);
  png_set_IHDR(png, info, (png_uint_32)picture.width, (png_uint_32)picture.height, 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png, level);
  png_write_info(png, info);
  png_set_filler(png, 0, PNG_FILLER_AFTER);
  for (size_t y = 0; y < picture.height; y++) png_write_row(png, picture.pixels + y * picture.width * 4);
  png_write_end(png, NULL);
  png_destroy_write_struct(&png, &info);
  free(bytes.start);
  return bytes.count;
}

static size_t encode_webp(struct picture picture, int method) {
  WebPConfig config;
  WebPPicture given;
  WebPMemoryWriter memory;
  WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, 80);
  config.method = method;
  WebPPictureInit(&given);
  WebPMemoryWriterInit(&memory);
  given.width = (int)picture.width;
  given.height = (int)picture.height;
  given.writer = WebPMemoryWrite;
  given.custom_ptr = &memory;
  size_t count = 0;
  if (WebPPictureImportRGBX(&given, picture.pixels, (int)picture.width * 4) && WebPEncode(&config, &given)) {
    count = memory.size;
  }
  WebPPictureFree(&given);
  WebPMemoryWriterClear(&memory);
  return count;
}

size_t floor_encode(const char *how, struct picture picture) {
  if (strcmp(how, "jpeg") == 0) return encode_jpeg(picture);
  if (strncmp(how, "png", 3) == 0) return encode_png(picture, 6);
  if (strncmp(how, "webp", 4) == 0) return encode_webp(picture, how[4] - '0');
  return 0;
}
