// SPDX-License-Identifier: Apache-2.0
//
// Claims about what a file carries besides its picture.

#include <unistd.h>

#include "claims.h"

// The number of the first part of a kind, or 0.
static uint32_t part_of(ic_file *file, const char *kind) {
  ic_bytes list = {.size = sizeof list};
  char name[32];
  uint32_t number = 0;
  IS(ic_file_parts(file, &list, NULL), IC_OK);
  char *text = calloc(1, list.count + 1);
  memcpy(text, list.data, list.count);
  snprintf(name, sizeof name, "\"kind\": \"%s\"", kind);
  char *found = strstr(text, name), *part = found ? strstr(found, "\"part\": ") : NULL;
  if (part) sscanf(part, "\"part\": %u", &number);
  free(text);
  ic_release(list.owner);
  return number;
}

void parts(void) {
  ic_file *file = NULL, *part = NULL;
  ic_bytes bytes = {.size = sizeof bytes};
  ic_info info = {.size = sizeof info};
  ic_pixels pixels = {.size = sizeof pixels};
  ic_error error = {.size = sizeof error};
  ic_source source = path_of("heif/valid/auxiliary.heic");
  IS(ic_open(registry, &source, NULL, &file, &error), IC_OK);
  uint32_t depth = part_of(file, "depth"), map = part_of(file, "gain-map");
  HOLDS(depth > 0 && map > 0 && depth != map && part_of(file, "matte") == 0);
  IS(ic_file_open_part(file, depth, &part, &error), IC_OK);
  ic_file_close(file);
  IS(ic_file_info(part, &info, &error), IC_OK);
  HOLDS(info.width == 64 && info.height == 64);
  IS(ic_file_frame(part, 0, &pixels, &error), IC_OK);
  HOLDS(pixels.width == 64 && pixels.pixel_format == IC_GRAY8);
  ic_file_close(part);
  // As a PNG it is the same picture.
  IS(ic_open(registry, &source, NULL, &file, &error), IC_OK);
  IS(ic_file_part(file, depth, &bytes, &error), IC_OK);
  ic_source png = bytes_of(bytes.data, bytes.count);
  ic_pixels other = {.size = sizeof other};
  HOLDS(bytes.count > 8 && memcmp(bytes.data, "\x89PNG", 4) == 0);
  IS(ic_decode(registry, &png, NULL, &other, &error), IC_OK);
  HOLDS(same_pixels(&pixels, &other, 1));
  ic_release(other.owner);
  ic_release(pixels.owner);
  ic_release(bytes.owner);
  IS(ic_file_part(file, 0, &bytes, &error), IC_INVALID_ARGUMENT);
  IS(ic_file_part(file, 3, &bytes, &error), IC_INVALID_ARGUMENT);
  HOLDS(strstr(error.message, "part 3 of 2"));
  IS(ic_file_open_part(file, 3, &part, &error), IC_INVALID_ARGUMENT);
  HOLDS(!part);
  ic_file_close(file);

  // The JPEG in a JPEG XL, which is a file by itself.
  source = path_of("jxl/valid/jpeg-reconstruction.jxl");
  IS(ic_open(registry, &source, NULL, &file, &error), IC_OK);
  uint32_t stored_jpeg = part_of(file, "stored-jpeg");
  IS(ic_file_part(file, stored_jpeg, &bytes, &error), IC_OK);
  HOLDS(bytes.count == 793 && bytes.data[0] == 0xFF && bytes.data[1] == 0xD8);
  ic_release(bytes.owner);
  IS(ic_file_open_part(file, stored_jpeg, &part, &error), IC_OK);
  ic_file_close(file);
  IS(ic_file_info(part, &info, &error), IC_OK);
  HOLDS(strcmp(info.format, "public.jpeg") == 0);
  ic_file_close(part);

  // It is read again for that, also from a pipe, which is read once.
  int ends[2];
  size_t count;
  uint8_t *jxl = contents("jxl/valid/jpeg-reconstruction.jxl", &count);
  HOLDS(pipe(ends) == 0 && write(ends[1], jxl, count) == (ssize_t)count && close(ends[1]) == 0);
  source.kind = IC_SOURCE_DESCRIPTOR;
  source.descriptor = ends[0];
  IS(ic_open(registry, &source, NULL, &file, &error), IC_OK);
  close(ends[0]);
  HOLDS(part_of(file, "stored-jpeg") == stored_jpeg);
  ic_file_close(file);
  free(jxl);

  // Pages; and blocks of metadata, which are no pictures.
  source = path_of("tiff/valid/pages.tif");
  IS(ic_open(registry, &source, NULL, &file, &error), IC_OK);
  IS(ic_file_open_part(file, part_of(file, "page"), &part, &error), IC_OK);
  IS(ic_file_info(part, &info, &error), IC_OK);
  HOLDS(info.width == 9 && info.height == 21);
  ic_file_close(part);
  ic_file_close(file);
  source = path_of("jpeg/valid/icc.jpg");
  IS(ic_open(registry, &source, NULL, &file, &error), IC_OK);
  ic_bytes profile = {.size = sizeof profile};
  IS(ic_file_part(file, part_of(file, "icc"), &bytes, &error), IC_OK);
  IS(ic_file_metadata(file, IC_ICC, &profile, &error), IC_OK);
  HOLDS(profile.count > 128 && profile.count == bytes.count && memcmp(profile.data, bytes.data, bytes.count) == 0);
  ic_release(profile.owner);
  ic_release(bytes.owner);
  IS(ic_file_open_part(file, part_of(file, "icc"), &part, &error), IC_UNSUPPORTED);
  IS(ic_file_metadata(file, IC_OTHER, &bytes, &error), IC_OK);
  ic_release(bytes.owner);
  ic_file_close(file);
}
