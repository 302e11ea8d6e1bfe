// SPDX-License-Identifier: Apache-2.0
//
// Claims about files that are written, opened, and done by the dozen.

#include "claims.h"

uint8_t *contents(const char *name, size_t *count) {
  static uint8_t buffer[1 << 20];
  FILE *file = fopen(path_of(name).path, "rb");
  if (!file) {
    fail(__FILE__, __LINE__, name);
    exit(1);
  }
  *count = fread(buffer, 1, sizeof buffer, file);
  fclose(file);
  // Of exactly that size, so that a byte too many is seen by a checker.
  uint8_t *bytes = malloc(*count);
  memcpy(bytes, buffer, *count);
  return bytes;
}

int same_pixels(const ic_pixels *one, const ic_pixels *other, uint32_t bytes_per_pixel) {
  if (!one->data || !other->data || one->width != other->width || one->height != other->height) return 0;
  for (uint32_t y = 0; y < one->height; y++) {
    const char *left = (const char *)one->data + y * one->stride, *right = (const char *)other->data + y * other->stride;
    if (memcmp(left, right, (size_t)one->width * bytes_per_pixel) != 0) return 0;
  }
  return 1;
}

ic_pixels gradient(uint8_t *memory, uint32_t phase) {
  ic_pixels pixels = {.size = sizeof pixels};
  pixels.width = 32;
  pixels.height = 24;
  pixels.pixel_format = IC_RGB8;
  pixels.stride = 100;
  pixels.data = memory;
  for (uint32_t y = 0; y < 24; y++) {
    for (uint32_t x = 0; x < 32; x++) {
      uint8_t *pixel = memory + y * 100 + x * 3;
      pixel[0] = (uint8_t)(40 + x * 4 + phase);
      pixel[1] = (uint8_t)(60 + y * 4);
      pixel[2] = (uint8_t)(120 + x + y);
    }
  }
  return pixels;
}

// The mean difference of samples.
static double difference(const ic_pixels *one, const ic_pixels *other) {
  double sum = 0;
  if (one->width != other->width || one->height != other->height || !other->data) return 255;
  for (uint32_t y = 0; y < one->height; y++) {
    for (uint32_t x = 0; x < one->width * 3; x++) {
      int left = ((uint8_t *)one->data)[y * one->stride + x], right = ((uint8_t *)other->data)[y * other->stride + x];
      sum += left > right ? left - right : right - left;
    }
  }
  return sum / (one->width * 3.0 * one->height);
}

// Writes the picture in each format that is written, and reads it again.
static void every_format(const ic_pixels *picture) {
  ic_bytes formats = {.size = sizeof formats};
  IS(ic_registry_formats(registry, &formats, NULL), IC_OK);
  char *text = calloc(1, formats.count + 1);
  memcpy(text, formats.data, formats.count);
  ic_release(formats.owner);
  int written = 0, exact = 0;
  for (char *at = strstr(text, "\"extension\": \""); at; at = strstr(at + 1, "\"extension\": \"")) {
    char extension[16] = {0};
    char *end = strchr(at, '}'), *writes = strstr(at, "\"writes\": true");
    sscanf(at, "\"extension\": \"%15[^\"]", extension);
    if (!writes || writes > end) continue;
    // Written by a library of the system's, which is not everywhere; and icons of a Mac are squares.
    if (strncmp(extension, "hei", 3) == 0 || strcmp(extension, "icns") == 0) continue;
    ic_encoding encoding = {.size = sizeof encoding};
    ic_request request = {.size = sizeof request};
    ic_bytes file = {.size = sizeof file};
    ic_error error = {.size = sizeof error};
    ic_pixels back = {.size = sizeof back};
    encoding.format = extension;
    encoding.flags = IC_EXACT;
    request.pixel_format = IC_RGB8;
    int32_t status = ic_encode(registry, &picture, 1, &encoding, NULL, &file, &error);
    int is_exact = status == IC_OK;
    if (status == IC_UNSUPPORTED) {
      encoding.flags = 0;
      status = ic_encode(registry, &picture, 1, &encoding, NULL, &file, &error);
    }
    if (status != IC_OK) fprintf(stderr, "%s: %s\n", extension, error.message);
    HOLDS(status == IC_OK && file.count > 0);
    ic_source source = bytes_of(file.data, file.count);
    source.extension = extension;
    IS(ic_decode(registry, &source, &request, &back, &error), IC_OK);
    double found = difference(picture, &back);
    if (is_exact ? found != 0 : found > 6) {
      fprintf(stderr, "%s: a mean difference of %f, %ux%u\n", extension, found, back.width, back.height);
      fail(__FILE__, __LINE__, "what is written is read again");
    }
    ic_release(back.owner);
    ic_release(file.owner);
    written++;
    exact += is_exact;
  }
  free(text);
  printf("%d formats are written and read again, %d of them exactly\n", written, exact);
  HOLDS(written >= 12 && exact >= 8);
}

void encodes(void) {
  uint8_t memory[24 * 100], copy[sizeof memory];
  memset(memory, 0x55, sizeof memory);
  ic_pixels picture = gradient(memory, 0);
  memcpy(copy, memory, sizeof memory);
  every_format(&picture);
  HOLDS(memcmp(copy, memory, sizeof memory) == 0);

  const ic_pixels *frames[] = {&picture};
  ic_encoding encoding = {.size = sizeof encoding};
  ic_bytes small = {.size = sizeof small}, large = {.size = sizeof large};
  ic_error error = {.size = sizeof error};
  encoding.format = "jpg";
  encoding.flags = IC_QUALITY;
  encoding.quality = 0.1;
  IS(ic_encode(registry, frames, 1, &encoding, NULL, &small, &error), IC_OK);
  encoding.quality = 0.95;
  IS(ic_encode(registry, frames, 1, &encoding, NULL, &large, &error), IC_OK);
  HOLDS(small.count > 0 && small.count < large.count);
  ic_release(small.owner);
  ic_release(large.owner);
  encoding.quality = 2;
  IS(ic_encode(registry, frames, 1, &encoding, NULL, &large, &error), IC_INVALID_ARGUMENT);
  HOLDS(!large.owner);
  encoding.quality = 0.9;
  ic_option option = {"nonsense", "1"};
  encoding.options = &option;
  encoding.option_count = 1;
  IS(ic_encode(registry, frames, 1, &encoding, NULL, &large, &error), IC_INVALID_ARGUMENT);
  option.name = "progressive";
  option.value = "true";
  IS(ic_encode(registry, frames, 1, &encoding, NULL, &large, &error), IC_OK);
  ic_info info = {.size = sizeof info};
  ic_source source = bytes_of(large.data, large.count);
  IS(ic_probe(registry, &source, NULL, &info, &error), IC_OK);
  HOLDS(info.flags & IC_PROGRESSIVE);
  ic_release(large.owner);
  encoding.format = "nonsense";
  IS(ic_encode(registry, frames, 1, &encoding, NULL, &large, &error), IC_INVALID_ARGUMENT);
  IS(ic_encode(registry, frames, 0, NULL, NULL, &large, &error), IC_INVALID_ARGUMENT);
  frames[0] = NULL;
  IS(ic_encode(registry, frames, 1, NULL, NULL, &large, &error), IC_INVALID_ARGUMENT);
  frames[0] = &picture;
  picture.stride = 95;
  IS(ic_encode(registry, frames, 1, NULL, NULL, &large, &error), IC_INVALID_ARGUMENT);
  picture.stride = UINT64_MAX;
  IS(ic_encode(registry, frames, 1, NULL, NULL, &large, &error), IC_INVALID_ARGUMENT);
  picture.stride = 101;
  picture.pixel_format = IC_RGB16;
  IS(ic_encode(registry, frames, 1, NULL, NULL, &large, &error), IC_INVALID_ARGUMENT);
}

// Three frames, each shown for other times, played twice.
static void animation(void) {
  uint8_t memory[3][24 * 100];
  ic_pixels pictures[3];
  const ic_pixels *frames[3];
  for (uint32_t index = 0; index < 3; index++) {
    pictures[index] = gradient(memory[index], index * 20);
    pictures[index].delay_numerator = index + 1;
    pictures[index].delay_denominator = 10;
    frames[index] = &pictures[index];
  }
  ic_encoding encoding = {.size = sizeof encoding};
  ic_bytes bytes = {.size = sizeof bytes};
  ic_error error = {.size = sizeof error};
  encoding.format = "png";
  encoding.flags = IC_LOOP;
  encoding.loop_count = 2;
  IS(ic_encode(registry, frames, 3, &encoding, NULL, &bytes, &error), IC_OK);
  ic_source source = bytes_of(bytes.data, bytes.count);
  ic_request request = {.size = sizeof request};
  ic_file *file = NULL;
  ic_info info = {.size = sizeof info};
  request.pixel_format = IC_RGB8;
  IS(ic_open(registry, &source, &request, &file, &error), IC_OK);
  IS(ic_file_info(file, &info, &error), IC_OK);
  HOLDS(info.frames == 3 && info.loop_count == 2 && info.flags & IC_ANIMATED);
  for (int index = 2; index >= 0; index--) {
    ic_pixels frame = {.size = sizeof frame};
    IS(ic_file_frame(file, (uint32_t)index, &frame, &error), IC_OK);
    HOLDS(same_pixels(&pictures[index], &frame, 3));
    HOLDS(frame.delay_numerator * 10 == (uint32_t)(index + 1) * frame.delay_denominator);
    ic_release(frame.owner);
  }
  ic_pixels none = {.size = sizeof none};
  IS(ic_file_frame(file, 3, &none, &error), IC_INVALID_ARGUMENT);
  ic_file_close(file);
  ic_release(bytes.owner);
  pictures[1].width = 31;
  IS(ic_encode(registry, frames, 3, &encoding, NULL, &bytes, &error), IC_INVALID_ARGUMENT);
}

void opens(void) {
  animation();
  ic_error error = {.size = sizeof error};
  ic_info info = {.size = sizeof info};
  ic_file *file = NULL, *page = NULL;
  ic_source source = path_of("ico/valid/sizes.ico");
  IS(ic_open(registry, &source, NULL, &file, &error), IC_OK);
  IS(ic_file_info(file, &info, &error), IC_OK);
  HOLDS(info.pages == 3 && info.primary_page == 2 && info.width == 20 && info.flags & IC_PAGES_ARE_SIZES);
  IS(ic_file_page(file, 1, &page, &error), IC_OK);
  ic_file_close(file);
  IS(ic_file_info(page, &info, &error), IC_OK);
  HOLDS(info.width == 8 && info.height == 8);
  IS(ic_file_page(page, 4, &file, &error), IC_INVALID_ARGUMENT);
  HOLDS(!file);
  IS(ic_file_page(page, 0, &file, &error), IC_INVALID_ARGUMENT);
  ic_file_close(page);
  ic_file_close(NULL);

  // Payloads as they were given, and what they say.
  uint8_t memory[24 * 100];
  static const uint8_t exif[] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x0F, 1, 2, 0, 4, 0, 0, 0, 'A', 'b', 'c', 0, 0, 0, 0, 0};
  ic_pixels picture = gradient(memory, 0);
  const ic_pixels *frames[] = {&picture};
  ic_encoding encoding = {.size = sizeof encoding};
  ic_bytes bytes = {.size = sizeof bytes}, payload = {.size = sizeof payload};
  encoding.format = "png";
  encoding.exif = exif;
  encoding.exif_count = sizeof exif;
  IS(ic_encode(registry, frames, 1, &encoding, NULL, &bytes, &error), IC_OK);
  source = bytes_of(bytes.data, bytes.count);
  IS(ic_open(registry, &source, NULL, &file, &error), IC_OK);
  IS(ic_file_metadata(file, IC_EXIF, &payload, &error), IC_OK);
  HOLDS(payload.count == sizeof exif && memcmp(payload.data, exif, sizeof exif) == 0);
  ic_release(payload.owner);
  IS(ic_file_metadata(file, IC_XMP, &payload, &error), IC_OK);
  HOLDS(payload.count == 0 && !payload.data && !payload.owner);
  IS(ic_file_metadata(file, 77, &payload, &error), IC_INVALID_ARGUMENT);
  IS(ic_file_properties(file, &payload, &error), IC_OK);
  char *text = calloc(1, payload.count + 1);
  memcpy(text, payload.data, payload.count);
  HOLDS(strstr(text, "\"PixelWidth\": 32") && strstr(text, "\"Make\": \"Abc\""));
  free(text);
  ic_file_close(file);
  ic_release(payload.owner);
  ic_release(bytes.owner);
}

void batches(void) {
  enum { count = 40 };
  static struct {
    ic_job job;
    ic_source source;
    ic_pixels pixels;
    ic_bytes bytes;
    ic_info info;
    ic_error error;
  } jobs[count];
  ic_request request = {.size = sizeof request};
  ic_encoding encoding = {.size = sizeof encoding};
  request.box_width = request.box_height = 8;
  encoding.format = "jpg";
  const char *files[] = {"png/valid/rgb8.png", "png/invalid/ihdr-missing.png", "nowhere.png"};
  static char paths[3][1024];
  for (int index = 0; index < 3; index++) snprintf(paths[index], sizeof paths[0], "%s/%s", fixtures, files[index]);
  for (int index = 0; index < count; index++) {
    // Jobs are as far apart as their size says: here with other things between them.
    jobs[index].job.size = sizeof jobs[0];
    jobs[index].job.operation = (uint32_t)(1 + index % 4);
    jobs[index].job.source = &jobs[index].source;
    jobs[index].job.request = &request;
    jobs[index].job.encoding = &encoding;
    jobs[index].source.size = sizeof(ic_source);
    jobs[index].source.kind = IC_SOURCE_PATH;
    jobs[index].source.path = paths[index % 3];
    jobs[index].pixels.size = sizeof(ic_pixels);
    jobs[index].bytes.size = sizeof(ic_bytes);
    jobs[index].info.size = sizeof(ic_info);
    jobs[index].error.size = sizeof(ic_error);
    jobs[index].job.pixels = &jobs[index].pixels;
    jobs[index].job.bytes = &jobs[index].bytes;
    jobs[index].job.info = &jobs[index].info;
    jobs[index].job.error = &jobs[index].error;
  }
  ic_batch(registry, &jobs[0].job, count, 3, NULL);
  for (int index = 0; index < count; index++) {
    int32_t expected = index % 4 == 3 ? IC_INVALID_ARGUMENT : index % 3 == 0 ? IC_OK : index % 3 == 2 ? IC_IO : IC_MALFORMED;
    if (jobs[index].job.status != expected) fprintf(stderr, "job %d: %s, %s\n", index, ic_status_name((uint32_t)jobs[index].job.status), jobs[index].error.message);
    HOLDS(jobs[index].job.status == expected && jobs[index].error.status == (uint32_t)expected);
    if (expected == IC_OK && index % 4 == 0) HOLDS(jobs[index].info.width == 21);
    if (expected == IC_OK && index % 4 == 1) HOLDS(jobs[index].pixels.width == 8 && jobs[index].pixels.height == 5);
    if (expected == IC_OK && index % 4 == 2) HOLDS(jobs[index].bytes.count > 100 && jobs[index].bytes.data[0] == 0xFF);
    ic_release(jobs[index].pixels.owner);
    ic_release(jobs[index].bytes.owner);
  }
  ic_batch(registry, &jobs[0].job, 0, 0, NULL);
  // A flag that is set stops all of it; each call that takes one looks, too.
  ic_cancel *cancel = ic_cancel_new();
  ic_cancel_set(cancel);
  ic_batch(registry, &jobs[0].job, count, 0, cancel);
  for (int index = 0; index < count; index++) HOLDS(jobs[index].job.status == IC_CANCELLED);
  request.cancel = cancel;
  ic_pixels pixels = {.size = sizeof pixels};
  IS(ic_decode(registry, &jobs[0].source, &request, &pixels, NULL), IC_CANCELLED);
  ic_cancel_free(cancel);
  ic_cancel_free(NULL);
}
