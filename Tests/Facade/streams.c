// SPDX-License-Identifier: Apache-2.0
//
// Claims about bytes that the caller reads: by functions that tell the truth and others, and from descriptors.

#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int64_t read_some(void *context, uint64_t offset, void *target, uint64_t count) {
  caller_bytes *from = context;
  HOLDS(pthread_equal(pthread_self(), from->thread));
  // What is asked for is at least a byte, and lies within the file.
  HOLDS(count >= 1 && offset < from->claimed && count <= from->claimed - offset);
  if (from->calls++ == from->lying_call && from->answer != ALL) {
    int is_near = from->answer > MORE - 9 && from->answer < MORE + 9;
    return is_near ? (int64_t)count + (from->answer - MORE) : from->answer;
  }
  uint64_t there = offset < from->count ? from->count - offset : 0;
  uint64_t given = count < there ? count : there;
  memcpy(target, from->bytes + offset, given);
  return (int64_t)given;
}

ic_source function_of(caller_bytes *from) {
  ic_source source = {.size = sizeof source};
  source.kind = IC_SOURCE_FUNCTION;
  source.count = from->claimed;
  source.read = read_some;
  source.context = from;
  return source;
}

caller_bytes caller_of(uint8_t *bytes, size_t count) {
  caller_bytes from = {.bytes = bytes, .count = count, .claimed = count, .thread = pthread_self(), .answer = ALL};
  return from;
}

// The picture, whatever way its bytes come.
static void readers(void) {
  static const char *const names[] = {"png/valid/rgb8.png", "jpeg/valid/orientation-6.jpg", "tiff/valid/pages.tif",
                                      "gif/valid/loop-3.gif", "jpeg/invalid/nowhere"};
  for (int index = 0; strstr(names[index], "nowhere") == NULL; index++) {
    size_t count;
    uint8_t *file = contents(names[index], &count);
    caller_bytes from = caller_of(file, count);
    ic_source path = path_of(names[index]), source = function_of(&from);
    ic_request request = {.size = sizeof request};
    ic_pixels whole = {.size = sizeof whole}, read = {.size = sizeof read};
    ic_info info = {.size = sizeof info}, other = {.size = sizeof other};
    ic_error error = {.size = sizeof error};
    request.pixel_format = IC_RGBA8;
    IS(ic_decode(registry, &path, &request, &whole, &error), IC_OK);
    IS(ic_decode(registry, &source, &request, &read, &error), IC_OK);
    HOLDS(same_pixels(&whole, &read, 4) && from.calls > 0);
    IS(ic_probe(registry, &path, NULL, &info, &error), IC_OK);
    IS(ic_probe(registry, &source, NULL, &other, &error), IC_OK);
    HOLDS(memcmp(&info, &other, sizeof info) == 0);
    ic_release(read.owner);
    // An open file reads on, until it is closed.
    ic_file *opened = NULL;
    int calls = from.calls;
    IS(ic_open(registry, &source, &request, &opened, &error), IC_OK);
    IS(ic_file_frame(opened, 0, &read, &error), IC_OK);
    HOLDS(same_pixels(&whole, &read, 4) && from.calls > calls);
    ic_file_close(opened);
    calls = from.calls;
    ic_release(read.owner);
    ic_release(whole.owner);
    HOLDS(from.calls == calls);
    free(file);
  }
}

// Threads share the work on a large picture, and its bytes are still read by the caller's.
static void large_pictures(void) {
  enum { side = 1200 };
  static const char *const formats[] = {"tif", "png", "jpg", "webp", "jp2", "jxl", "bmp"};
  uint8_t *memory = malloc(side * side * 3);
  ic_pixels picture = {.size = sizeof picture};
  const ic_pixels *frames[] = {&picture};
  picture.width = picture.height = side;
  picture.pixel_format = IC_RGB8;
  picture.stride = side * 3;
  picture.data = memory;
  for (int index = 0; index < side * side * 3; index++) memory[index] = (uint8_t)(index / side + (index % 97) * (index % 31));
  for (size_t index = 0; index < sizeof formats / sizeof formats[0]; index++) {
    ic_encoding encoding = {.size = sizeof encoding};
    ic_request request = {.size = sizeof request};
    ic_bytes file = {.size = sizeof file};
    ic_pixels whole = {.size = sizeof whole}, read = {.size = sizeof read};
    ic_error error = {.size = sizeof error};
    encoding.format = formats[index];
    request.pixel_format = IC_RGB8;
    IS(ic_encode(registry, frames, 1, &encoding, NULL, &file, &error), IC_OK);
    caller_bytes from = caller_of((uint8_t *)file.data, file.count);
    ic_source source = bytes_of(file.data, file.count), called = function_of(&from);
    IS(ic_decode(registry, &source, &request, &whole, &error), IC_OK);
    IS(ic_decode(registry, &called, &request, &read, &error), IC_OK);
    HOLDS(same_pixels(&whole, &read, 3) && from.calls > 1);
    ic_release(read.owner);
    ic_release(whole.owner);
    ic_release(file.owner);
  }
  free(memory);
}

// Whatever such a function answers, it is an error of its own kind, at whichever call.
static void liars(void) {
  static const int64_t answers[] = {MORE + 1, MORE - 1, 0, -1, -EIO, -4096, INT64_MIN, INT64_MAX};
  size_t count;
  uint8_t *file = contents("png/valid/rgb8.png", &count);
  for (size_t index = 0; index < sizeof answers / sizeof answers[0]; index++) {
    for (int call = 0; call < 4; call++) {
      caller_bytes from = caller_of(file, count);
      ic_source source = function_of(&from);
      ic_pixels pixels = {.size = sizeof pixels};
      ic_error error = {.size = sizeof error};
      from.answer = answers[index];
      from.lying_call = call;
      int32_t status = ic_decode(registry, &source, NULL, &pixels, &error);
      if (from.calls <= call) {
        HOLDS(status == IC_OK && !pixels.problem);
      } else {
        HOLDS(call > 0 || status == IC_IO);
        HOLDS(status == IC_IO || (status == IC_OK && pixels.problem == IC_IO));
        HOLDS(error.status == IC_IO && strstr(error.message, "ic_source.read returned "));
        if (answers[index] == -EIO) HOLDS(strstr(error.message, "returned -5, input/output error, for"));
        if (answers[index] == 0) HOLDS(strstr(error.message, "returned 0 for"));
      }
      ic_release(pixels.owner);
    }
  }
  // A file that is said to be longer than it is, or than anything.
  caller_bytes from = caller_of(file, count);
  from.claimed = 1 << 20;
  ic_source source = function_of(&from);
  ic_pixels pixels = {.size = sizeof pixels};
  ic_error error = {.size = sizeof error};
  IS(ic_decode(registry, &source, NULL, &pixels, &error), IC_IO);
  source.count = UINT64_MAX;
  IS(ic_decode(registry, &source, NULL, &pixels, &error), IC_INVALID_ARGUMENT);
  HOLDS(strstr(error.message, "ic_source.count"));
  source.count = 0;
  HOLDS(ic_decode(registry, &source, NULL, &pixels, &error) != IC_OK && error.status != IC_IO);
  source.count = count;
  source.read = NULL;
  IS(ic_decode(registry, &source, NULL, &pixels, &error), IC_INVALID_ARGUMENT);
  free(file);
}

// A struct of version 1.0 ends before the function.
static void older_sources(void) {
  ic_source source = path_of("png/valid/rgb8.png");
  ic_info info = {.size = sizeof info};
  ic_error error = {.size = sizeof error};
  source.size = 48;
  memset(&source.read, 0xAB, sizeof source - 48);
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_OK);
  HOLDS(info.width == 21);
  source.kind = IC_SOURCE_FUNCTION;
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_INVALID_ARGUMENT);
  HOLDS(strstr(error.message, "ic_source.read is null"));
  source.size = 47;
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_INVALID_ARGUMENT);
  // In a batch it would be called on other threads.
  caller_bytes from = caller_of(NULL, 0);
  ic_source called = function_of(&from);
  ic_job job = {.size = sizeof job};
  job.operation = IC_JOB_PROBE;
  job.source = &called;
  job.info = &info;
  job.error = &error;
  ic_batch(registry, &job, 1, 1, NULL);
  HOLDS(job.status == IC_INVALID_ARGUMENT && strstr(error.message, "IC_SOURCE_FUNCTION") && from.calls == 0);
}

static void descriptors(void) {
  ic_source source = path_of("png/valid/rgb8.png");
  ic_pixels pixels = {.size = sizeof pixels};
  ic_error error = {.size = sizeof error};
  ic_file *opened = NULL;
  size_t count;
  uint8_t *file = contents("png/valid/rgb8.png", &count);
  int descriptor = open(source.path, O_RDONLY);
  HOLDS(descriptor >= 0 && lseek(descriptor, 7, SEEK_SET) == 7);
  source.kind = IC_SOURCE_DESCRIPTOR;
  source.descriptor = descriptor;
  IS(ic_decode(registry, &source, NULL, &pixels, &error), IC_OK);
  ic_release(pixels.owner);
  HOLDS(lseek(descriptor, 0, SEEK_CUR) == 7 && fcntl(descriptor, F_GETFD) >= 0);
  // An open file has a descriptor of its own.
  IS(ic_open(registry, &source, NULL, &opened, &error), IC_OK);
  HOLDS(close(descriptor) == 0);
  IS(ic_file_frame(opened, 0, &pixels, &error), IC_OK);
  HOLDS(pixels.width == 21);
  ic_release(pixels.owner);
  ic_file_close(opened);
  IS(ic_decode(registry, &source, NULL, &pixels, &error), IC_IO);
  source.descriptor = -1;
  IS(ic_decode(registry, &source, NULL, &pixels, &error), IC_IO);
  source.descriptor = descriptor = open(fixtures, O_RDONLY | O_DIRECTORY);
  IS(ic_decode(registry, &source, NULL, &pixels, &error), IC_IO);
  close(descriptor);
  // A pipe is read to its end, once.
  for (int part = 0; part < 2; part++) {
    int ends[2];
    ssize_t given = part == 0 ? (ssize_t)count : (ssize_t)count - 60;
    HOLDS(pipe(ends) == 0 && write(ends[1], file, (size_t)given) == given && close(ends[1]) == 0);
    source.descriptor = ends[0];
    IS(ic_decode(registry, &source, NULL, &pixels, &error), IC_OK);
    HOLDS(pixels.width == 21 && pixels.problem == (part == 0 ? IC_OK : IC_TRUNCATED));
    ic_release(pixels.owner);
    HOLDS(ic_decode(registry, &source, NULL, &pixels, &error) != IC_OK && fcntl(ends[0], F_GETFD) >= 0);
    close(ends[0]);
  }
  free(file);
}

void streams(void) {
  readers();
  if (!is_slow) large_pictures();
  liars();
  older_sources();
  descriptors();
}
