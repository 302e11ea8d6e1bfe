// SPDX-License-Identifier: Apache-2.0
//
// forks COUNT FIXTURE…: forks COUNT times while all is quiet, and COUNT times while threads decode, make thumbnails and encode; each
// child does the same with a picture of each format that is written, which is large enough to be shared among threads, and with the
// fixtures. A child that has not ended after two minutes counts as one that hangs.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "imagecoders.h"

enum { side = 768, most = 64 };

static ic_registry *registry;
static ic_source sources[most];
static char formats[most][16];
static int source_count, written_count;
static uint8_t picture_memory[side * side * 3];
static atomic_int stopping;

static ic_pixels picture(void) {
  ic_pixels pixels = {.size = sizeof pixels};
  pixels.width = pixels.height = side;
  pixels.pixel_format = IC_RGB8;
  pixels.stride = side * 3;
  pixels.data = picture_memory;
  return pixels;
}

static int32_t encode(const char *format, ic_bytes *file) {
  ic_pixels pixels = picture();
  const ic_pixels *frames[] = {&pixels};
  ic_encoding encoding = {.size = sizeof encoding};
  ic_error error = {.size = sizeof error};
  encoding.format = format;
  file->size = sizeof *file;
  int32_t status = ic_encode(registry, frames, 1, &encoding, NULL, file, &error);
  if (status != IC_OK) fprintf(stderr, "%s: %s\n", format, error.message);
  return status;
}

static int use(int index) {
  ic_request request = {.size = sizeof request};
  ic_pixels pixels = {.size = sizeof pixels};
  ic_bytes small = {.size = sizeof small}, file = {0};
  ic_error error = {.size = sizeof error};
  request.pixel_format = IC_RGBA8;
  int32_t status = ic_decode(registry, &sources[index], &request, &pixels, &error);
  ic_release(pixels.owner);
  request.box_width = request.box_height = 64;
  if (status == IC_OK) status = ic_thumbnail(registry, &sources[index], &request, NULL, &small, &error);
  ic_release(small.owner);
  if (status != IC_OK) fprintf(stderr, "source %d: %s\n", index, error.message);
  if (status == IC_OK && index < written_count) status = encode(formats[index], &file);
  ic_release(file.owner);
  return status == IC_OK;
}

static int use_all(void) {
  int good = 1;
  for (int index = 0; index < source_count; index++) good &= use(index);
  return good;
}

static void *be_busy(void *context) {
  for (int index = *(int *)context; !stopping; index++) use(index % source_count);
  return NULL;
}

// Forks, and returns how many children failed.
static int forks(int count, const char *state) {
  int failed = 0;
  for (int round = 0; round < count; round++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(120);
      _exit(use_all() ? 0 : 1);
    }
    int status = -1;
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0) continue;
    failed++;
    fprintf(stderr, "child %d, %s: %s %d\n", round, state, WIFSIGNALED(status) ? "signal" : "status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  }
  return failed;
}

// A picture of each format that is written.
static void write_all(void) {
  ic_bytes list = {.size = sizeof list};
  if (ic_registry_formats(registry, &list, NULL) != IC_OK) exit(1);
  char *text = calloc(1, list.count + 1);
  memcpy(text, list.data, list.count);
  ic_release(list.owner);
  for (char *at = strstr(text, "\"extension\": \""); at; at = strstr(at + 1, "\"extension\": \"")) {
    char *end = strchr(at, '}'), *writes = strstr(at, "\"writes\": true");
    char extension[16] = {0};
    sscanf(at, "\"extension\": \"%15[^\"]", extension);
    // Written by a library of the system's, which is not everywhere; and icons are small.
    if (!writes || writes > end || strncmp(extension, "hei", 3) == 0 || strcmp(extension, "icns") == 0) continue;
    if (strcmp(extension, "ico") == 0 || strcmp(extension, "cur") == 0) continue;
    ic_bytes file = {0};
    if (encode(extension, &file) != IC_OK) exit(1);
    ic_source source = {.size = sizeof source};
    source.kind = IC_SOURCE_BYTES;
    source.bytes = file.data;
    source.count = file.count;
    source.extension = strcpy(formats[source_count], extension);
    sources[source_count++] = source;
  }
  written_count = source_count;
  free(text);
}

int main(int count, char **arguments) {
  if (count < 2 || ic_registry_new(NULL, &registry, NULL) != IC_OK) return 2;
  int rounds = atoi(arguments[1]);
  for (int y = 0; y < side; y++) {
    for (int x = 0; x < side * 3; x++) picture_memory[y * side * 3 + x] = (uint8_t)(x / 3 + y + (x * y >> 7));
  }
  write_all();
  for (int index = 2; index < count && source_count < most; index++) {
    ic_source source = {.size = sizeof source};
    source.kind = IC_SOURCE_PATH;
    source.path = arguments[index];
    sources[source_count++] = source;
  }
  if (!use_all()) return 1;
  int failed = forks(rounds, "quiet");
  pthread_t busy[3];
  int starts[3] = {0, source_count / 3, source_count * 2 / 3};
  for (int index = 0; index < 3; index++) {
    if (pthread_create(&busy[index], NULL, be_busy, &starts[index]) != 0) return 1;
  }
  failed += forks(rounds, "busy");
  stopping = 1;
  for (int index = 0; index < 3; index++) pthread_join(busy[index], NULL);
  printf("%d formats written, %d files; %d children, %d failed\n", written_count, source_count, 2 * rounds, failed);
  return failed > 0;
}
