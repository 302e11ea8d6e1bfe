// SPDX-License-Identifier: Apache-2.0
//
// claims FIXTURES [slowly]: what imagecoders.h promises, each function of it. Prints what does not hold. With `slowly`, for a checker of
// memory, without what needs a process that is as small and as fast as usual.

#include "claims.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
ic_registry *registry;
const char *fixtures;
int is_slow;

void fail(const char *file, int line, const char *text) {
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, text);
  failures++;
}

ic_source bytes_of(const void *bytes, size_t count) {
  ic_source source = {.size = sizeof source};
  source.kind = IC_SOURCE_BYTES;
  source.bytes = bytes;
  source.count = count;
  return source;
}

ic_source path_of(const char *name) {
  static char paths[8][1024];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", fixtures, name);
  ic_source source = {.size = sizeof source};
  source.kind = IC_SOURCE_PATH;
  source.path = path;
  return source;
}

// Two pixels, whose samples each coder of PNM and these lines know alike.
static const char ppm[] = "P6 2 1 255\n\x01\x02\x03\xfd\xfe\xff";
static const uint8_t ppm_pixels[] = {1, 2, 3, 253, 254, 255};

static void numbers(void) {
  HOLDS(ic_version() == (1 << 16 | 1));
  HOLDS(strcmp(ic_status_name(IC_TRUNCATED), "truncated") == 0);
  HOLDS(strcmp(ic_status_name(0x99), "unknown") == 0);
}

static void registries(void) {
  ic_registry *made = NULL;
  ic_error error = {.size = sizeof error};
  ic_registry_options options = {.size = sizeof options};
  options.isolation = 9;
  IS(ic_registry_new(&options, &made, &error), IC_INVALID_ARGUMENT);
  HOLDS(!made && error.status == IC_INVALID_ARGUMENT && strstr(error.message, "isolation is 9"));
  options.isolation = IC_IN_PROCESS;
  options.policy = "nonsense";
  IS(ic_registry_new(&options, &made, &error), IC_INVALID_ARGUMENT);
  options.policy = "trusted";
  options.size = 8;
  IS(ic_registry_new(&options, &made, &error), IC_INVALID_ARGUMENT);
  HOLDS(strstr(error.message, "size is 8"));
  options.size = sizeof options;
  options.folder_count = 1;
  IS(ic_registry_new(&options, &made, &error), IC_INVALID_ARGUMENT);
  const char *folder = "/nowhere";
  options.plugin_folders = &folder;
  IS(ic_registry_new(&options, &made, &error), IC_OK);
  HOLDS(made && error.status == IC_OK && error.offset == -1 && !error.message[0]);
  ic_registry_free(made);
  ic_registry_free(NULL);
  // A policy for uploads reads no file where coders have no worker: it fails closed.
  options.folder_count = 0;
  options.policy = "web";
  options.worker = "/nowhere/coders";
  IS(ic_registry_new(&options, &made, &error), IC_OK);
  ic_source source = path_of("png/valid/rgb8.png");
  ic_pixels pixels = {.size = sizeof pixels};
  HOLDS(ic_decode(made, &source, NULL, &pixels, &error) != IC_OK && error.status != IC_OK && !pixels.owner);
  ic_registry_free(made);
}

static void probes(void) {
  ic_info info = {.size = sizeof info};
  ic_error error = {.size = sizeof error};
  ic_source source = path_of("png/valid/rgb8.png");
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_OK);
  HOLDS(info.width == 21 && info.height == 13 && info.pixel_format == IC_RGB8 && info.bits_per_channel == 8);
  HOLDS(info.frames == 1 && info.pages == 1 && info.primary_page == 1 && info.orientation == 1 && info.flags & IC_LOSSLESS);
  HOLDS(strcmp(info.format, "public.png") == 0 && strcmp(info.name, "PNG") == 0);
  HOLDS(strcmp(info.extension, "png") == 0 && strcmp(info.media_type, "image/png") == 0);
  source = path_of("jpeg/valid/orientation-6.jpg");
  IS(ic_probe(registry, &source, NULL, &info, NULL), IC_OK);
  HOLDS(info.orientation == 6 && info.width == info.stored_height && info.height == info.stored_width);
  HOLDS(info.metadata & 1 << IC_EXIF);
  source = path_of("jpeg/valid/nowhere.jpg");
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_IO);
  HOLDS(info.width == 0 && strlen(error.message) > 0);
  source = bytes_of("no picture at all", 17);
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_NO_CODER);
  source = bytes_of(NULL, 0);
  HOLDS(ic_probe(registry, &source, NULL, &info, &error) >> 4 == 1 || error.status >> 4 == 2);
  source.kind = 0;
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_INVALID_ARGUMENT);
  source.size = 4;
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_INVALID_ARGUMENT);
  // From a descriptor that is read from its start, wherever it is, and stays open.
  source = path_of("png/valid/rgb8.png");
  FILE *file = fopen(source.path, "rb");
  HOLDS(file && fseek(file, 0, SEEK_END) == 0);
  source.kind = IC_SOURCE_DESCRIPTOR;
  source.descriptor = fileno(file);
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_OK);
  HOLDS(info.width == 21 && fclose(file) == 0);
}

// Four images without a delay: parts of one picture, which is all that each function gives.
static void pictures_of_parts(void) {
  enum { HEAD = 13 + 8 * 3, IMAGE = 15 };
  size_t count = 0;
  uint8_t *whole = contents("gif/valid/pixels-1x1.gif", &count), bytes[HEAD + 4 * IMAGE + 1];
  HOLDS(count == HEAD + IMAGE + 1 && whole[HEAD] == ',');
  memcpy(bytes, whole, HEAD);
  for (int part = 0; part < 4; part++) memcpy(bytes + HEAD + part * IMAGE, whole + HEAD, IMAGE);
  bytes[sizeof bytes - 1] = ';';
  free(whole);
  ic_info info = {.size = sizeof info};
  ic_error error = {.size = sizeof error};
  ic_source source = bytes_of(bytes, sizeof bytes);
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_OK);
  HOLDS(info.frames == 1 && !(info.flags & IC_ANIMATED));
  ic_file *file = NULL;
  IS(ic_open(registry, &source, NULL, &file, &error), IC_OK);
  IS(ic_file_info(file, &info, &error), IC_OK);
  HOLDS(info.frames == 1);
  ic_pixels none = {.size = sizeof none};
  IS(ic_file_frame(file, 1, &none, &error), IC_INVALID_ARGUMENT);
  ic_file_close(file);
}

static void decodes(void) {
  ic_error error = {.size = sizeof error};
  ic_source source = bytes_of(ppm, sizeof ppm - 1);
  ic_request request = {.size = sizeof request};
  ic_pixels pixels = {.size = sizeof pixels};
  IS(ic_decode(registry, &source, NULL, &pixels, &error), IC_OK);
  HOLDS(pixels.width == 2 && pixels.height == 1 && pixels.pixel_format == IC_RGB8 && pixels.alpha == IC_OPAQUE);
  HOLDS(pixels.stride >= 6 && pixels.owner && memcmp(pixels.data, ppm_pixels, 6) == 0);
  ic_release(pixels.owner);
  request.pixel_format = IC_BGRA8;
  IS(ic_decode(registry, &source, &request, &pixels, &error), IC_OK);
  HOLDS(memcmp(pixels.data, "\x03\x02\x01\xff\xff\xfe\xfd\xff", 8) == 0);
  ic_release(pixels.owner);
  request.pixel_format = 99;
  IS(ic_decode(registry, &source, &request, &pixels, &error), IC_INVALID_ARGUMENT);
  HOLDS(!pixels.owner && !pixels.data);
  // Into memory of the caller's: the corner is the picture's, what is beside it stays.
  uint8_t target[32];
  memset(target, 0x77, sizeof target);
  request.pixel_format = IC_RGB8;
  request.target = target;
  request.target_width = 3;
  request.target_height = 2;
  request.target_stride = 12;
  IS(ic_decode(registry, &source, &request, &pixels, &error), IC_OK);
  HOLDS(pixels.data == target && !pixels.owner && pixels.width == 2 && pixels.stride == 12);
  HOLDS(memcmp(target, ppm_pixels, 6) == 0 && target[6] == 0x77 && target[12] == 0x77);
  request.target_width = 1;
  IS(ic_decode(registry, &source, &request, &pixels, &error), IC_INVALID_ARGUMENT);
  request.target_width = 5;
  IS(ic_decode(registry, &source, &request, &pixels, &error), IC_INVALID_ARGUMENT);
  // A box: 21×13 in 8×8 is 8×5, filled 8×8.
  ic_request box = {.size = sizeof box};
  box.box_width = box.box_height = 8;
  source = path_of("png/valid/rgb8.png");
  IS(ic_decode(registry, &source, &box, &pixels, &error), IC_OK);
  HOLDS(pixels.width == 8 && pixels.height == 5);
  ic_release(pixels.owner);
  box.fit = IC_FILL;
  IS(ic_decode(registry, &source, &box, &pixels, &error), IC_OK);
  HOLDS(pixels.width == 8 && pixels.height == 8);
  ic_release(pixels.owner);
  box.fit = 3;
  IS(ic_decode(registry, &source, &box, &pixels, &error), IC_INVALID_ARGUMENT);
  // Limits and formats.
  ic_request limited = {.size = sizeof limited};
  limited.max_pixels = 272;
  IS(ic_decode(registry, &source, &limited, &pixels, &error), IC_LIMIT_EXCEEDED);
  HOLDS(strcmp(error.limit, "maxPixels") == 0);
  limited.max_pixels = 273;
  const char *allowed[] = {"jpg", "WebP"};
  limited.allowed_formats = allowed;
  limited.allowed_count = 2;
  IS(ic_decode(registry, &source, &limited, &pixels, &error), IC_UNSUPPORTED);
  allowed[1] = "public.png";
  IS(ic_decode(registry, &source, &limited, &pixels, &error), IC_OK);
  ic_release(pixels.owner);
  allowed[0] = "nonsense";
  IS(ic_decode(registry, &source, &limited, &pixels, &error), IC_INVALID_ARGUMENT);
}

static void growth(void) {
  ic_source source = bytes_of(ppm, sizeof ppm - 1);
  struct {
    ic_pixels pixels;
    uint8_t later[16];
  } longer;
  memset(&longer, 0xAB, sizeof longer);
  longer.pixels.size = sizeof longer;
  IS(ic_decode(registry, &source, NULL, &longer.pixels, NULL), IC_OK);
  HOLDS(longer.pixels.size == sizeof longer && longer.pixels.width == 2);
  for (size_t index = 0; index < sizeof longer.later; index++) HOLDS(longer.later[index] == 0xAB);
  ic_release(longer.pixels.owner);
  ic_pixels shorter = {.size = sizeof shorter - 1};
  ic_error error = {.size = sizeof error};
  shorter.width = 7;
  IS(ic_decode(registry, &source, NULL, &shorter, &error), IC_INVALID_ARGUMENT);
  HOLDS(shorter.width == 7);
  ic_error tiny = {.size = 8};
  tiny.status = 7;
  IS(ic_decode(registry, &source, NULL, &shorter, &tiny), IC_INVALID_ARGUMENT);
  HOLDS(tiny.status == 7);
}

static void damage(void) {
  size_t count;
  uint8_t *file = contents("png/valid/rgb8.png", &count);
  ic_source source = bytes_of(file, count - 60);
  ic_request request = {.size = sizeof request};
  ic_pixels pixels = {.size = sizeof pixels};
  ic_error error = {.size = sizeof error};
  IS(ic_decode(registry, &source, &request, &pixels, &error), IC_OK);
  HOLDS(pixels.width == 21 && pixels.problem == IC_TRUNCATED && error.status == IC_TRUNCATED);
  HOLDS(strlen(error.message) > 0 && strcmp(error.coder, "org.imagecoders.png") == 0);
  ic_release(pixels.owner);
  request.flags = IC_STRICT;
  IS(ic_decode(registry, &source, &request, &pixels, &error), IC_TRUNCATED);
  HOLDS(!pixels.data);
  ic_bytes small = {.size = sizeof small};
  IS(ic_thumbnail(registry, &source, NULL, NULL, &small, &error), IC_OK);
  HOLDS(small.problem == IC_TRUNCATED && small.count > 0);
  ic_release(small.owner);
  IS(ic_thumbnail(registry, &source, &request, NULL, &small, &error), IC_TRUNCATED);
  // Each cut of the file is an error or a part of the picture, never anything else.
  for (size_t cut = 0; cut < count; cut++) {
    source.count = cut;
    int32_t status = ic_decode(registry, &source, NULL, &pixels, &error);
    HOLDS(status != IC_OK || pixels.problem || pixels.width == 21);
    ic_release(pixels.owner);
  }
  free(file);
}

static void feeds(void) {
  size_t count;
  uint8_t *file = contents("png/valid/rgb8.png", &count);
  ic_source source = bytes_of(file, count);
  ic_request request = {.size = sizeof request};
  ic_pixels whole = {.size = sizeof whole}, fed = {.size = sizeof fed};
  ic_info info = {.size = sizeof info};
  ic_error error = {.size = sizeof error};
  ic_feed *feed = NULL;
  request.pixel_format = IC_RGB8;
  IS(ic_decode(registry, &source, &request, &whole, &error), IC_OK);
  IS(ic_feed_new(registry, &request, &feed, &error), IC_OK);
  IS(ic_feed_info(feed, &info, &error), IC_OK);
  HOLDS(info.width == 0);
  IS(ic_feed_look(feed, &fed, &error), IC_OK);
  HOLDS(!fed.data);
  for (size_t at = 0; at < count; at += 50) {
    IS(ic_feed_append(feed, file + at, at + 50 < count ? 50 : count - at, &error), IC_OK);
    if (at == 400) {
      IS(ic_feed_info(feed, &info, &error), IC_OK);
      HOLDS(info.width == 21 && info.height == 13);
    }
  }
  IS(ic_feed_finish(feed, &fed, &error), IC_OK);
  HOLDS(same_pixels(&whole, &fed, 3));
  IS(ic_feed_append(feed, file, 1, &error), IC_OUT_OF_ORDER);
  ic_feed_free(feed);
  ic_release(fed.owner);
  // Of half of a file, what is there.
  IS(ic_feed_new(registry, &request, &feed, &error), IC_OK);
  IS(ic_feed_append(feed, file, count - 60, &error), IC_OK);
  IS(ic_feed_finish(feed, &fed, &error), IC_OK);
  HOLDS(fed.problem == IC_TRUNCATED && fed.width == 21);
  ic_release(fed.owner);
  ic_feed_free(feed);
  ic_feed_free(NULL);
  ic_release(whole.owner);
  free(file);
}

static void *decode_many(void *argument) {
  ic_source source = *(ic_source *)argument;
  intptr_t good = 0;
  for (int round = 0; round < 50; round++) {
    ic_pixels pixels = {.size = sizeof pixels};
    good += ic_decode(registry, &source, NULL, &pixels, NULL) == IC_OK && pixels.width == 21;
    ic_release(pixels.owner);
  }
  return (void *)good;
}

static void threads(void) {
  pthread_t started[4];
  ic_source source = path_of("png/valid/rgb8.png");
  for (int index = 0; index < 4; index++) HOLDS(pthread_create(&started[index], NULL, decode_many, &source) == 0);
  // In a child that is forked while they decode, everything goes on.
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(decode_many(&source) == (void *)50 ? 0 : 1);
  }
  for (int index = 0; index < 4; index++) {
    void *good = NULL;
    HOLDS(pthread_join(started[index], &good) == 0 && (intptr_t)good == 50);
  }
  int status = -1;
  HOLDS(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(int count, char **arguments) {
  if (count < 2) return 2;
  is_slow = count > 2 && strcmp(arguments[2], "slowly") == 0;
  fixtures = arguments[1];
  ic_error error = {.size = sizeof error};
  if (ic_registry_new(NULL, &registry, &error) != IC_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  numbers();
  registries();
  probes();
  pictures_of_parts();
  decodes();
  growth();
  damage();
  feeds();
  encodes();
  opens();
  batches();
  streams();
  sinks();
  writers();
  conversions();
  parts();
  if (!is_slow) threads();
  // Pixels outlive their registry.
  ic_source source = bytes_of(ppm, sizeof ppm - 1);
  ic_pixels pixels = {.size = sizeof pixels};
  IS(ic_decode(registry, &source, NULL, &pixels, NULL), IC_OK);
  ic_registry_free(registry);
  HOLDS(memcmp(pixels.data, ppm_pixels, 6) == 0);
  ic_release(pixels.owner);
  ic_release(NULL);
  if (failures) return 1;
  printf("all claims hold\n");
  return 0;
}
