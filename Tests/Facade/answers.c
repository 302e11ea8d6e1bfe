// SPDX-License-Identifier: Apache-2.0
//
// answers: for each line "rgba8 FILE" or "rgba16 FILE" of standard input, what the library makes of the file in C: for each frame
// the hash of its pixels as the fixtures' answers have it, or the name of the status.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imagecoders.h"

// 64-bit FNV-1a over the bytes of all rows.
static uint64_t hash(const ic_pixels *pixels, uint32_t bytes_per_pixel) {
  uint64_t value = 0xcbf29ce484222325u;
  for (uint32_t y = 0; y < pixels->height; y++) {
    const uint8_t *row = (const uint8_t *)pixels->data + y * pixels->stride;
    for (uint64_t x = 0; x < (uint64_t)pixels->width * bytes_per_pixel; x++) value = (value ^ row[x]) * 0x100000001b3u;
  }
  return value;
}

static void answer(ic_registry *registry, const char *layout, const char *path) {
  int is_wide = strcmp(layout, "rgba16") == 0;
  ic_source source = {.size = sizeof source};
  ic_request request = {.size = sizeof request};
  ic_error error = {.size = sizeof error};
  ic_info info = {.size = sizeof info};
  ic_file *file = NULL;
  source.kind = IC_SOURCE_PATH;
  source.path = path;
  request.flags = IC_KEEP_ORIENTATION;
  request.color = IC_COLOR_AS_STORED;
  request.pixel_format = is_wide ? IC_RGBA16 : IC_RGBA8;
  int32_t status = ic_open(registry, &source, &request, &file, &error);
  if (status == IC_OK) status = ic_file_info(file, &info, &error);
  if (status != IC_OK) {
    printf(" %s", ic_status_name((uint32_t)status));
    return;
  }
  for (uint32_t index = 0; index < info.frames; index++) {
    ic_pixels pixels = {.size = sizeof pixels};
    status = ic_file_frame(file, index, &pixels, &error);
    if (status != IC_OK || pixels.problem) {
      printf(" %s", ic_status_name(status != IC_OK ? (uint32_t)status : pixels.problem));
    } else {
      printf(" %016llx", (unsigned long long)hash(&pixels, is_wide ? 8 : 4));
    }
    ic_release(pixels.owner);
    if (status != IC_OK) break;
  }
  ic_file_close(file);
}

int main(void) {
  static char line[4096];
  ic_registry *registry = NULL;
  ic_error error = {.size = sizeof error};
  if (ic_registry_new(NULL, &registry, &error) != IC_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    char *path = strchr(line, ' ');
    if (!path) return 1;
    *path++ = 0;
    printf("%s", path);
    answer(registry, line, path);
    printf("\n");
  }
  ic_registry_free(registry);
  return 0;
}
