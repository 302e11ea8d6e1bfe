// SPDX-License-Identifier: Apache-2.0
//
// Claims about files that are written frame by frame: to memory, to a path, to a function.

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

int32_t write_frames(
    const ic_encoding *encoding, const ic_sink *sink, uint32_t count, ic_bytes *file, ic_error *error) {
  static uint8_t memory[24 * 100];
  ic_writer *writer = NULL;
  int32_t status = ic_writer_new(registry, encoding, sink, NULL, &writer, error);
  if (status != IC_OK) return status;
  for (uint32_t index = 0; index < count && status == IC_OK; index++) {
    ic_pixels frame = gradient(memory, index * 20);
    frame.delay_numerator = index + 1;
    frame.delay_denominator = 10;
    status = ic_writer_add(writer, &frame, error);
    memset(memory, 0xEE, sizeof memory);
  }
  if (status == IC_OK) status = ic_writer_finish(writer, file, error);
  ic_writer_free(writer);
  return status;
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

static void cancelling(void) {
  uint8_t memory[24 * 100];
  ic_pixels picture = gradient(memory, 0);
  ic_encoding encoding = {.size = sizeof encoding};
  ic_error error = {.size = sizeof error};
  ic_cancel *cancel = ic_cancel_new();
  ic_writer *writer = NULL;
  encoding.format = "webp";
  IS(ic_writer_new(registry, &encoding, NULL, cancel, &writer, &error), IC_OK);
  IS(ic_writer_add(writer, &picture, &error), IC_OK);
  ic_cancel_set(cancel);
  ic_cancel_free(cancel);
  IS(ic_writer_add(writer, &picture, &error), IC_CANCELLED);
  ic_bytes file = {.size = sizeof file};
  IS(ic_writer_finish(writer, &file, &error), IC_CANCELLED);
  HOLDS(!file.owner);
  ic_writer_free(writer);
}

// Payloads that are the caller's again after ic_writer_new, a number of plays, and an option.
static void statements(void) {
  static const uint8_t exif[] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x0F, 1, 2, 0, 4, 0, 0, 0, 'A', 'b', 'c', 0, 0, 0, 0, 0};
  uint8_t memory[24 * 100], given[sizeof exif];
  char value[] = "9";
  ic_encoding encoding = {.size = sizeof encoding};
  ic_error error = {.size = sizeof error};
  ic_bytes file = {.size = sizeof file}, payload = {.size = sizeof payload};
  ic_option option = {"compression", value};
  ic_writer *writer = NULL;
  memcpy(given, exif, sizeof exif);
  encoding.format = "png";
  encoding.exif = given;
  encoding.exif_count = sizeof given;
  encoding.flags = IC_LOOP;
  encoding.loop_count = 5;
  encoding.options = &option;
  encoding.option_count = 1;
  IS(ic_writer_new(registry, &encoding, NULL, NULL, &writer, &error), IC_OK);
  memset(given, 0xEE, sizeof given);
  memset(value, 'x', 1);
  for (uint32_t index = 0; index < 2; index++) {
    ic_pixels picture = gradient(memory, index * 30);
    IS(ic_writer_add(writer, &picture, &error), IC_OK);
  }
  ic_pixels other = gradient(memory, 0);
  other.size = 12;
  IS(ic_writer_add(writer, &other, &error), IC_INVALID_ARGUMENT);
  IS(ic_writer_finish(writer, &file, &error), IC_OK);
  ic_writer_free(writer);
  ic_source source = bytes_of(file.data, file.count);
  ic_file *opened = NULL;
  ic_info info = {.size = sizeof info};
  IS(ic_open(registry, &source, NULL, &opened, &error), IC_OK);
  IS(ic_file_info(opened, &info, &error), IC_OK);
  HOLDS(info.frames == 2 && info.loop_count == 5);
  IS(ic_file_metadata(opened, IC_EXIF, &payload, &error), IC_OK);
  HOLDS(payload.count == sizeof exif && memcmp(payload.data, exif, sizeof exif) == 0);
  ic_release(payload.owner);
  ic_file_close(opened);
  ic_release(file.owner);
  // A frame of another size ends the work.
  IS(ic_writer_new(registry, &encoding, NULL, NULL, &writer, &error), IC_INVALID_ARGUMENT);
  encoding.options = NULL;
  encoding.option_count = 0;
  IS(ic_writer_new(registry, &encoding, NULL, NULL, &writer, &error), IC_OK);
  other = gradient(memory, 0);
  IS(ic_writer_add(writer, &other, &error), IC_OK);
  other.width = 31;
  IS(ic_writer_add(writer, &other, &error), IC_INVALID_ARGUMENT);
  IS(ic_writer_finish(writer, &file, &error), IC_INVALID_ARGUMENT);
  ic_writer_free(writer);
}

// Pages of several sizes, as many as were announced.
static void pages(void) {
  uint8_t memory[24 * 100];
  ic_encoding encoding = {.size = sizeof encoding};
  ic_error error = {.size = sizeof error};
  ic_bytes file = {.size = sizeof file}, whole = {.size = sizeof whole};
  ic_pixels sizes[2] = {gradient(memory, 0), gradient(memory, 0)};
  const ic_pixels *frames[] = {&sizes[0], &sizes[1]};
  ic_writer *writer = NULL;
  sizes[1].width = 20;
  encoding.format = "tif";
  encoding.page_count = 2;
  IS(ic_writer_new(registry, &encoding, NULL, NULL, &writer, &error), IC_OK);
  IS(ic_writer_add(writer, &sizes[0], &error), IC_OK);
  IS(ic_writer_finish(writer, &file, &error), IC_OUT_OF_ORDER);
  IS(ic_writer_add(writer, &sizes[1], &error), IC_OK);
  IS(ic_writer_add(writer, &sizes[1], &error), IC_OUT_OF_ORDER);
  IS(ic_writer_finish(writer, &file, &error), IC_OK);
  ic_writer_free(writer);
  IS(ic_encode(registry, frames, 2, &encoding, NULL, &whole, &error), IC_OK);
  HOLDS(whole.count == file.count && memcmp(whole.data, file.data, file.count) == 0);
  ic_source source = bytes_of(file.data, file.count);
  ic_info info = {.size = sizeof info};
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_OK);
  HOLDS(info.pages == 2 && info.frames == 1 && info.width == 32);
  ic_release(whole.owner);
  ic_release(file.owner);
  IS(ic_encode(registry, frames, 1, &encoding, NULL, &whole, &error), IC_INVALID_ARGUMENT);
  encoding.format = "jpg";
  IS(ic_encode(registry, frames, 2, &encoding, NULL, &whole, &error), IC_UNSUPPORTED);
}

// 100 frames of 4 MiB take 64 MiB at most, with all that the format needs.
static void memory_of_animations(void) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    enum { side = 1024 };
    uint8_t *memory = calloc(side, side * 4);
    ic_encoding encoding = {.size = sizeof encoding};
    ic_error error = {.size = sizeof error};
    caller_file to = {0};
    ic_sink sink = sink_to(&to);
    ic_writer *writer = NULL;
    ic_pixels frame = {.size = sizeof frame};
    struct rusage before, after;
    frame.width = frame.height = side;
    frame.pixel_format = IC_RGBA8;
    frame.stride = side * 4;
    frame.data = memory;
    frame.delay_numerator = 1;
    frame.delay_denominator = 10;
    encoding.format = "png";
    getrusage(RUSAGE_SELF, &before);
    int32_t status = ic_writer_new(registry, &encoding, &sink, NULL, &writer, &error);
    for (int index = 0; index < 100 && status == IC_OK; index++) {
      // A square that moves over a still picture.
      memset(memory + (size_t)(index * 8) * side * 4 + (size_t)index * 16, index + 1, 256);
      status = ic_writer_add(writer, &frame, &error);
    }
    if (status == IC_OK) status = ic_writer_finish(writer, NULL, &error);
    getrusage(RUSAGE_SELF, &after);
    long grown = after.ru_maxrss - before.ru_maxrss;
    printf("100 frames of 4 MiB, written one by one: %ld KiB more than before\n", grown);
    fflush(stdout);
    _exit(status != IC_OK ? 2 : grown > 64 << 10 ? 3 : 0);
  }
  int status = -1;
  HOLDS(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

void writers(void) {
  snprintf(folder, sizeof folder, "/tmp/imagecoders-writers.%d.XXXXXX", (int)getpid());
  HOLDS(mkdtemp(folder) != NULL);
  places();
  patches();
  paths();
  failures_of_sinks();
  cancelling();
  statements();
  pages();
  memory_of_animations();
  HOLDS(file_count() == 0 && rmdir(folder) == 0);
}
