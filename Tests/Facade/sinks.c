// SPDX-License-Identifier: Apache-2.0
//
// Claims about where written files go: to memory, to a path, to a function.

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "streams.h"

int64_t write_some(void *context, uint64_t offset, const void *bytes, uint64_t count) {
  caller_file *to = context;
  HOLDS(pthread_equal(pthread_self(), to->thread));
  // Bytes follow one another, or are put right.
  HOLDS(count >= 1 && offset <= to->count);
  if (to->failing_call >= 0 && to->calls >= to->failing_call) return to->answer;
  to->calls++;
  if (offset < to->count) to->patches++;
  if (!to->capacity) return (int64_t)count;
  HOLDS(offset + count <= to->capacity);
  memcpy(to->bytes + offset, bytes, count);
  if (offset + count > to->count) to->count = offset + count;
  return (int64_t)count;
}

ic_sink sink_to(caller_file *to) {
  ic_sink sink = {.size = sizeof sink};
  sink.kind = IC_SINK_FUNCTION;
  sink.write = write_some;
  sink.context = to;
  to->thread = pthread_self();
  to->failing_call = -1;
  return sink;
}

static char folder[64];

// The names in the folder, but for `.` and `..`.
static int file_count(void) {
  int count = 0;
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));) count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
  closedir(entries);
  return count;
}

static ic_sink path_in_folder(const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  ic_sink sink = {.size = sizeof sink};
  sink.kind = IC_SINK_PATH;
  sink.path = path;
  return sink;
}

static int same_file(const char *path, const ic_bytes *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  uint8_t *read = malloc(bytes->count + 1);
  int same = fread(read, 1, bytes->count + 1, file) == bytes->count && memcmp(read, bytes->data, bytes->count) == 0;
  free(read);
  fclose(file);
  return same;
}

// The same bytes wherever they go, and as by ic_encode: of each format that is written.
static void places(void) {
  static uint8_t memory[3][24 * 100];
  static uint8_t taken[1 << 20];
  static const char *const formats[] = {"png", "gif", "webp", "jpg", "tif", "bmp", "jp2", "avif", "jxl", "ppm", "qoi", "hdr", "ico"};
  static const uint32_t counts[] = {3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  ic_pixels pictures[3];
  const ic_pixels *frames[3];
  for (uint32_t index = 0; index < 3; index++) {
    pictures[index] = gradient(memory[index], index * 20);
    pictures[index].delay_numerator = index + 1;
    pictures[index].delay_denominator = 10;
    frames[index] = &pictures[index];
  }
  for (size_t index = 0; index < sizeof formats / sizeof formats[0]; index++) {
    ic_encoding encoding = {.size = sizeof encoding};
    ic_bytes whole = {.size = sizeof whole}, written = {.size = sizeof written};
    ic_error error = {.size = sizeof error};
    char name[16];
    encoding.format = formats[index];
    IS(ic_encode(registry, frames, counts[index], &encoding, NULL, &whole, &error), IC_OK);
    IS(write_frames(&encoding, NULL, counts[index], &written, &error), IC_OK);
    HOLDS(written.count == whole.count && memcmp(written.data, whole.data, whole.count) == 0);
    ic_release(written.owner);
    caller_file to = {.bytes = taken, .capacity = sizeof taken};
    ic_sink sink = sink_to(&to);
    IS(write_frames(&encoding, &sink, counts[index], NULL, &error), IC_OK);
    HOLDS(to.count == whole.count && memcmp(taken, whole.data, whole.count) == 0);
    // The format of the path's extension.
    snprintf(name, sizeof name, "out.%s", formats[index]);
    sink = path_in_folder(name);
    encoding.format = NULL;
    IS(write_frames(&encoding, &sink, counts[index], &written, &error), IC_OK);
    HOLDS(written.count == 0 && !written.owner && same_file(sink.path, &whole) && file_count() == 1);
    unlink(sink.path);
    ic_release(whole.owner);
  }
}

// Of a file that is larger than what is gathered for a call, bytes that were given are put right.
static void patches(void) {
  enum { side = 400 };
  static uint8_t memory[side * side * 3], taken[1 << 20];
  static const char *const formats[] = {"png", "tif", "bmp", "jp2", "webp", "ppm"};
  ic_pixels picture = {.size = sizeof picture};
  const ic_pixels *frames[] = {&picture};
  int count = 0;
  uint32_t noise = 1;
  picture.width = picture.height = side;
  picture.pixel_format = IC_RGB8;
  picture.stride = side * 3;
  picture.data = memory;
  for (size_t index = 0; index < sizeof memory; index++) memory[index] = (uint8_t)((noise = noise * 1664525 + 1013904223) >> 24);
  for (size_t index = 0; index < sizeof formats / sizeof formats[0]; index++) {
    ic_encoding encoding = {.size = sizeof encoding};
    ic_bytes whole = {.size = sizeof whole};
    ic_error error = {.size = sizeof error};
    ic_writer *writer = NULL;
    caller_file to = {.bytes = taken, .capacity = sizeof taken};
    ic_sink sink = sink_to(&to);
    encoding.format = formats[index];
    IS(ic_encode(registry, frames, 1, &encoding, NULL, &whole, &error), IC_OK);
    IS(ic_writer_new(registry, &encoding, &sink, NULL, &writer, &error), IC_OK);
    IS(ic_writer_add(writer, &picture, &error), IC_OK);
    IS(ic_writer_finish(writer, NULL, &error), IC_OK);
    ic_writer_free(writer);
    HOLDS(whole.count > 1 << 16 && to.count == whole.count && memcmp(taken, whole.data, whole.count) == 0);
    ic_release(whole.owner);
    count += to.patches;
    printf("%s: %d calls, %d of them put bytes right\n", formats[index], to.calls, to.patches);
  }
  HOLDS(count > 0);
}

// A path has the old file until the new one is whole, and nothing else is left.
static void paths(void) {
  uint8_t memory[24 * 100];
  ic_pixels picture = gradient(memory, 0);
  ic_error error = {.size = sizeof error};
  ic_bytes old = {.size = sizeof old, .count = 3, .data = (const uint8_t *)"old"}, none = {.size = sizeof none};
  ic_writer *writer = NULL;
  ic_sink sink = path_in_folder("out.png");
  FILE *file = fopen(sink.path, "wb");
  HOLDS(file && fwrite("old", 1, 3, file) == 3 && fclose(file) == 0);
  IS(ic_writer_new(registry, NULL, &sink, NULL, &writer, &error), IC_OK);
  IS(ic_writer_add(writer, &picture, &error), IC_OK);
  HOLDS(same_file(sink.path, &old));
  ic_writer_free(writer);
  HOLDS(same_file(sink.path, &old) && file_count() == 1);
  IS(ic_writer_new(registry, NULL, &sink, NULL, &writer, &error), IC_OK);
  IS(ic_writer_finish(writer, NULL, &error), IC_OUT_OF_ORDER);
  IS(ic_writer_add(writer, &picture, &error), IC_OUT_OF_ORDER);
  ic_writer_free(writer);
  HOLDS(same_file(sink.path, &old) && file_count() == 1);
  IS(ic_writer_new(registry, NULL, &sink, NULL, &writer, &error), IC_OK);
  IS(ic_writer_add(writer, &picture, &error), IC_OK);
  IS(ic_writer_finish(writer, &none, &error), IC_OK);
  HOLDS(!same_file(sink.path, &old) && file_count() == 1);
  IS(ic_writer_finish(writer, &none, &error), IC_OUT_OF_ORDER);
  IS(ic_writer_add(writer, &picture, &error), IC_OUT_OF_ORDER);
  ic_writer_free(writer);
  ic_writer_free(NULL);
  unlink(sink.path);
  sink = path_in_folder("nowhere/out.png");
  IS(ic_writer_new(registry, NULL, &sink, NULL, &writer, &error), IC_IO);
  HOLDS(!writer);
}

// Functions that fail or lie end the work, and it stays ended.
static void failures_of_sinks(void) {
  static const int64_t answers[] = {-ENOSPC, -1, 0, 3, INT64_MAX, INT64_MIN};
  ic_encoding encoding = {.size = sizeof encoding};
  ic_error error = {.size = sizeof error};
  encoding.format = "bmp";
  for (size_t index = 0; index < sizeof answers / sizeof answers[0]; index++) {
    caller_file to = {0};
    ic_sink sink = sink_to(&to);
    to.failing_call = 0;
    to.answer = answers[index];
    IS(write_frames(&encoding, &sink, 1, NULL, &error), IC_IO);
    HOLDS(strstr(error.message, "ic_sink.write returned "));
    if (answers[index] == -ENOSPC) HOLDS(strstr(error.message, "returned -28, no space left on device, for"));
  }
  caller_file to = {0};
  ic_sink sink = sink_to(&to);
  ic_writer *writer = NULL;
  sink.write = NULL;
  IS(ic_writer_new(registry, &encoding, &sink, NULL, &writer, &error), IC_INVALID_ARGUMENT);
  sink.kind = 9;
  IS(ic_writer_new(registry, &encoding, &sink, NULL, &writer, &error), IC_INVALID_ARGUMENT);
  sink.kind = IC_SINK_PATH;
  IS(ic_writer_new(registry, &encoding, &sink, NULL, &writer, &error), IC_INVALID_ARGUMENT);
  sink.size = 8;
  IS(ic_writer_new(registry, &encoding, &sink, NULL, &writer, &error), IC_INVALID_ARGUMENT);
  // Without a format and a path, nobody knows what to write.
  IS(ic_writer_new(registry, NULL, NULL, NULL, &writer, &error), IC_INVALID_ARGUMENT);
  HOLDS(strstr(error.message, "ic_encoding.format is null"));
  IS(write_frames(&encoding, NULL, 1, NULL, &error), IC_INVALID_ARGUMENT);
  IS(write_frames(&encoding, NULL, 2, NULL, &error), IC_UNSUPPORTED);
}

void sinks(void) {
  snprintf(folder, sizeof folder, "/tmp/imagecoders-sinks.%d.XXXXXX", (int)getpid());
  HOLDS(mkdtemp(folder) != NULL);
  places();
  patches();
  paths();
  failures_of_sinks();
  HOLDS(file_count() == 0 && rmdir(folder) == 0);
}
