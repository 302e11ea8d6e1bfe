// SPDX-License-Identifier: Apache-2.0
//
// Claims about files that are written frame by frame or page by page.

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "streams.h"

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

// An encoding of version 1.0 ends before the pages; what a later version appends to a sink is not looked at.
static void sizes_of_structs(void) {
  uint8_t memory[24 * 100];
  ic_pixels picture = gradient(memory, 0);
  const ic_pixels *frames[] = {&picture};
  ic_encoding encoding = {.size = sizeof encoding};
  ic_bytes old = {.size = sizeof old}, file = {.size = sizeof file};
  encoding.format = "bmp";
  IS(ic_encode(registry, frames, 1, &encoding, NULL, &file, NULL), IC_OK);
  encoding.size = 96;
  memset((uint8_t *)&encoding + 96, 0xAB, sizeof encoding - 96);
  IS(ic_encode(registry, frames, 1, &encoding, NULL, &old, NULL), IC_OK);
  HOLDS(old.count == file.count && memcmp(old.data, file.data, old.count) == 0);
  ic_release(old.owner);
  ic_release(file.owner);
  struct {
    ic_sink sink;
    uint8_t later[16];
  } longer;
  memset(&longer, 0xAB, sizeof longer);
  longer.sink.size = sizeof longer;
  longer.sink.kind = IC_SINK_BYTES;
  IS(write_frames(&encoding, &longer.sink, 1, &file, NULL), IC_OK);
  HOLDS(file.count > 0 && longer.later[0] == 0xAB && longer.later[15] == 0xAB);
  ic_release(file.owner);
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
  cancelling();
  statements();
  pages();
  sizes_of_structs();
  if (!is_slow) memory_of_animations();
}
