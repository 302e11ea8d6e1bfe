// SPDX-License-Identifier: Apache-2.0
//
// isolation FIXTURES [COMMAND [WORDS]]: what imagecoders.h promises of isolation. Without a command, the library finds its own, and
// pictures from workers are held to those without. With one, no worker can be started, and each file is refused with these words.

#define _GNU_SOURCE
#include "claims.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
ic_registry *registry;
const char *fixtures;

void fail(const char *file, int line, const char *text) {
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, text);
  failures++;
}

static const char *const pictures[] = {
    "png/valid/rgb8.png", "jpeg/valid/orientation-6.jpg", "gif/valid/comment.gif", "webp/valid/lossless-1x1.webp", "tiff/valid/zstd.tif",
    "avif/valid/8bit-420.avif", "heif/valid/alpha.heic", "jxl/valid/premultiplied.jxl", "jpeg2000/valid/cmyk.jp2",
    "exr/valid/b44a-tiles.exr", "raw/valid/deflate.dng",
};
enum { PICTURES = sizeof pictures / sizeof *pictures };

static ic_registry *made(uint32_t isolation, const char *command) {
  ic_registry_options options = {.size = sizeof options};
  ic_registry *registry = NULL;
  ic_error error = {.size = sizeof error};
  options.isolation = isolation;
  options.worker = command;
  if (ic_registry_new(&options, &registry, &error) != IC_OK) fail(__FILE__, __LINE__, error.message);
  return registry;
}

static int32_t decode(ic_registry *registry, const char *name, ic_pixels *pixels, ic_error *error) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", fixtures, name);
  ic_source source = {.size = sizeof source, .kind = IC_SOURCE_PATH, .path = path};
  ic_request request = {.size = sizeof request, .pixel_format = IC_RGBA8};
  *pixels = (ic_pixels){.size = sizeof *pixels};
  *error = (ic_error){.size = sizeof *error};
  return ic_decode(registry, &source, &request, pixels, error);
}

static int is_same(const ic_pixels *one, const ic_pixels *other) {
  if (one->width != other->width || one->height != other->height || !one->data || !other->data) return 0;
  for (uint32_t row = 0; row < one->height; row++) {
    const char *left = (const char *)one->data + row * one->stride, *right = (const char *)other->data + row * other->stride;
    if (memcmp(left, right, one->width * 4) != 0) return 0;
  }
  return 1;
}

// How many pictures are the same in a worker; none is missing.
static int compared(ic_registry *isolated, ic_registry *plain) {
  int same = 0;
  for (int index = 0; index < PICTURES; index++) {
    ic_pixels one, other;
    ic_error error, ignored;
    if (decode(isolated, pictures[index], &one, &error) != IC_OK) fprintf(stderr, "%s: %s\n", pictures[index], error.message);
    HOLDS(decode(plain, pictures[index], &other, &ignored) == IC_OK);
    same += is_same(&one, &other);
    ic_release(one.owner);
    ic_release(other.owner);
  }
  return same;
}

// Processes by the number of their parent: `found` gets those whose first argument is that of a worker, most recent generation last.
static int workers(pid_t parent, pid_t *found, int count, int generation) {
  DIR *list = opendir("/proc");
  struct dirent *entry;
  while (list && (entry = readdir(list))) {
    char path[300], line[512];
    pid_t above = 0;
    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    FILE *file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
    char *end = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (file) fclose(file);
    if (!end || sscanf(end + 1, " %*c %d", &above) != 1 || above != parent) continue;
    // A start, its server, and the server's workers.
    if (generation == 3 && count < 64) found[count++] = atoi(entry->d_name);
    else count = workers(atoi(entry->d_name), found, count, generation + 1);
  }
  if (list) closedir(list);
  return count;
}

static void *decode_large(void *bytes) {
  static int32_t status;
  ic_source source = {.size = sizeof source, .kind = IC_SOURCE_BYTES, .bytes = ((ic_bytes *)bytes)->data, .count = ((ic_bytes *)bytes)->count};
  ic_pixels pixels = {.size = sizeof pixels};
  status = ic_decode(registry, &source, NULL, &pixels, NULL);
  ic_release(pixels.owner);
  return &status;
}

// Of a worker that is killed while it decodes, the file is an error, and the next one is decoded.
static void survives_killed_workers(ic_registry *plain) {
  enum { SIDE = 6000 };
  uint8_t *samples = malloc((size_t)SIDE * SIDE * 3);
  for (size_t index = 0; samples && index < (size_t)SIDE * SIDE * 3; index++) samples[index] = (uint8_t)(index * 2654435761u >> 24);
  ic_pixels pixels = {.size = sizeof pixels, .width = SIDE, .height = SIDE, .pixel_format = IC_RGB8, .stride = SIDE * 3, .data = samples};
  const ic_pixels *frames[] = {&pixels};
  ic_encoding encoding = {.size = sizeof encoding, .format = "png"};
  ic_bytes file = {.size = sizeof file};
  HOLDS(ic_encode(plain, frames, 1, &encoding, NULL, &file, NULL) == IC_OK);
  free(samples);
  int32_t status = IC_OK;
  for (int attempt = 0; attempt < 20 && status == IC_OK; attempt++) {
    pthread_t thread;
    HOLDS(pthread_create(&thread, NULL, decode_large, &file) == 0);
    pid_t found[64];
    for (int turn = 0; turn < 200; turn++) {
      int count = workers(getpid(), found, 0, 1);
      for (int index = 0; index < count; index++) kill(found[index], SIGKILL);
      if (count > 0 && turn > 20) break;
      usleep(2000);
    }
    void *result = NULL;
    pthread_join(thread, &result);
    status = *(int32_t *)result;
  }
  IS(status, IC_CODER_CRASHED);
  HOLDS(decode_large(&file) && *(int32_t *)decode_large(&file) == IC_OK);
  ic_release(file.owner);
}

static void refuses(const char *command, const char *words) {
  for (uint32_t mode = IC_ISOLATION_REQUIRED; mode <= IC_ISOLATION_STRICT; mode++) {
    ic_registry *isolated = made(mode, command);
    ic_pixels pixels;
    ic_error error;
    IS(decode(isolated, pictures[0], &pixels, &error), IC_PLUGIN_REJECTED);
    if (!strstr(error.message, words)) fail(__FILE__, __LINE__, error.message);
    HOLDS(!pixels.owner && !pixels.data);
    ic_registry_free(isolated);
  }
  // Preferred is in the process then. But of a worker that began and ended, the coder may be the cause.
  ic_registry *preferred = made(IC_ISOLATION_PREFERRED, command), *plain = made(IC_IN_PROCESS, NULL);
  ic_pixels pixels;
  ic_error error;
  if (strstr(words, "ends with")) IS(decode(preferred, pictures[0], &pixels, &error), IC_PLUGIN_REJECTED);
  else IS(compared(preferred, plain), PICTURES);
  ic_registry_free(preferred);
  ic_registry_free(plain);
}

static void isolates(void) {
  ic_registry *plain = made(IC_IN_PROCESS, NULL);
  pid_t found[64];
  HOLDS(workers(getpid(), found, 0, 1) == 0);
  registry = made(IC_ISOLATION_REQUIRED, NULL);
  IS(compared(registry, plain), PICTURES);
  HOLDS(workers(getpid(), found, 0, 1) >= PICTURES);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(compared(registry, plain) == PICTURES && failures == 0 ? 0 : 1);
  }
  int status = -1;
  HOLDS(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  IS(compared(registry, plain), PICTURES);
  // Last: workers of other coders that wait are killed, too, and their next files would be errors.
  survives_killed_workers(plain);
  ic_registry_free(registry);
  ic_registry_free(plain);
}

int main(int count, char **arguments) {
  if (count != 2 && count != 4) return 2;
  fixtures = arguments[1];
  if (count == 4) refuses(arguments[2], arguments[3]);
  else isolates();
  if (failures) return 1;
  printf("all claims hold\n");
  return 0;
}
