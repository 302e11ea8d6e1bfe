// SPDX-License-Identifier: Apache-2.0
//
// answers [function]: for each line "rgba8 FILE" or "rgba16 FILE" of standard input, what the library makes of the file in C: for each
// frame the hash of its pixels as the fixtures' answers have it, or the name of the status. With `function`, the library reads the
// files through a function, which ends the program if it is called on another thread.

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static int uses_function;
static pthread_t only_thread;

static int64_t read_file(void *context, uint64_t offset, void *target, uint64_t count) {
  if (!pthread_equal(pthread_self(), only_thread)) abort();
  return pread(*(int *)context, target, count, (off_t)offset);
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
  int file_number = -1;
  if (uses_function) {
    struct stat status;
    file_number = open(path, O_RDONLY);
    if (fstat(file_number, &status) != 0) exit(1);
    source.kind = IC_SOURCE_FUNCTION;
    source.count = (uint64_t)status.st_size;
    source.read = read_file;
    source.context = &file_number;
    const char *dot = strrchr(path, '.');
    source.extension = dot ? dot + 1 : NULL;
  }
  request.flags = IC_KEEP_ORIENTATION;
  request.color = IC_COLOR_AS_STORED;
  request.pixel_format = is_wide ? IC_RGBA16 : IC_RGBA8;
  int32_t status = ic_open(registry, &source, &request, &file, &error);
  if (status == IC_OK) status = ic_file_info(file, &info, &error);
  if (status != IC_OK) {
    printf(" %s", ic_status_name((uint32_t)status));
    ic_file_close(file);
    if (uses_function) close(file_number);
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
  if (uses_function) close(file_number);
}

int main(int count, char **arguments) {
  static char line[4096];
  ic_registry *registry = NULL;
  ic_error error = {.size = sizeof error};
  if (ic_registry_new(NULL, &registry, &error) != IC_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  uses_function = count > 1 && strcmp(arguments[1], "function") == 0;
  only_thread = pthread_self();
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
