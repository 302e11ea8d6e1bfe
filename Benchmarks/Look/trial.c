// SPDX-License-Identifier: Apache-2.0
//
// usage: trial EFFORT SUBSAMPLING PICTURE.ppm QUALITY… [NUMBER=VALUE…]
//
// Writes a picture as JPEG at some qualities, and prints for each: the quality, bytes, SSIMULACRA2, and milliseconds of the
// encoder. EFFORT is fast, default, optimized, progressive or small; SUBSAMPLING 420 or 444. A NUMBER is one of those of
// tuning.h, in their order, by which `search.py` looks for better ones. With -o FILE the last file is kept.

#include <CSimilarity.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jpeglib.h>

#include "CJPEGShim.h"
#include "tuning.h"

static const char *const names[TUNING_NUMBERS] = {"slope", "cslope", "power", "dc",    "chroma", "blue",
                                                  "lambda", "clambda", "mask", "cmask", "sharp"};
static double numbers[TUNING_NUMBERS];  // 0: as it is

void tuning_search(tuning *tuning) {
  for (int i = 0; i < TUNING_NUMBERS; i++) {
    if (numbers[i] > 0) ((double *)tuning)[i] = numbers[i];
  }
}

typedef struct file {
  uint8_t *bytes;
  uint64_t length, room;
} file;

static void *allocate(const imgcoder_host *host, uint64_t size, uint64_t alignment) { return malloc(size); }
static void release(const imgcoder_host *host, void *memory) { free(memory); }
static uint32_t is_cancelled(const imgcoder_host *host) { return 0; }
static void progress(const imgcoder_host *host, double done) {}

static imgcoder_status write_bytes(const imgcoder_output *output, const uint8_t *bytes, uint64_t length) {
  file *file = output->context;
  while (file->length + length > file->room) file->bytes = realloc(file->bytes, file->room = file->room * 2 + 65536);
  memcpy(file->bytes + file->length, bytes, length);
  file->length += length;
  return IMGCODER_STATUS_OK;
}

static uint8_t *read_picture(const char *path, uint32_t *width, uint32_t *height) {
  FILE *in = fopen(path, "rb");
  int largest;
  if (!in || fscanf(in, "P6 %u %u %d", width, height, &largest) != 3 || fgetc(in) == EOF) exit(2);
  uint8_t *pixels = malloc((size_t)*width * *height * 3);
  if (fread(pixels, (size_t)*width * 3, *height, in) != *height) exit(2);
  fclose(in);
  return pixels;
}

static uint8_t *decode(const file *file) {
  struct jpeg_decompress_struct cinfo;
  struct jpeg_error_mgr errors;
  cinfo.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&cinfo);
  jpeg_mem_src(&cinfo, file->bytes, file->length);
  jpeg_read_header(&cinfo, TRUE);
  cinfo.out_color_space = JCS_RGB;
  jpeg_start_decompress(&cinfo);
  uint8_t *pixels = malloc((size_t)cinfo.output_width * cinfo.output_height * 3);
  while (cinfo.output_scanline < cinfo.output_height) {
    JSAMPROW row = pixels + (size_t)cinfo.output_scanline * cinfo.output_width * 3;
    jpeg_read_scanlines(&cinfo, &row, 1);
  }
  jpeg_destroy_decompress(&cinfo);
  return pixels;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int count, char **arguments) {
  if (count < 5) return fputs("usage: trial EFFORT SUBSAMPLING PICTURE.ppm QUALITY… [NUMBER=VALUE…]\n", stderr), 2;
  const char *effort = arguments[1], *kept = NULL;
  const int is_small = strcmp(effort, "small") == 0, is_fast = strcmp(effort, "fast") == 0;
  const int is_progressive = is_small || strstr(effort, "progressive") != NULL;
  uint32_t width, height, factor = strcmp(arguments[2], "420") == 0 ? 2 : 1;
  uint8_t *pixels = read_picture(arguments[3], &width, &height);
  for (int i = 4; i < count; i++) {
    char *equals = strchr(arguments[i], '=');
    for (int n = 0; equals && n < TUNING_NUMBERS; n++) {
      const size_t length = (size_t)(equals - arguments[i]);
      if (strlen(names[n]) == length && strncmp(names[n], arguments[i], length) == 0) numbers[n] = atof(equals + 1);
    }
    if (strcmp(arguments[i], "-o") == 0) kept = arguments[i + 1];
  }
  const similarity_picture picture = {pixels, (uint64_t)width * 3, width, height, 3};
  similarity_original *original = similarity_begin(&picture);
  imgcoder_limits limits = {.struct_size = sizeof limits, .max_memory = 1ull << 40};
  imgcoder_host host = {
      .struct_size = sizeof host, .limits = &limits, .allocate = allocate, .free = release, .is_cancelled = is_cancelled,
      .progress = progress};
  for (int i = 4; i < count; i++) {
    const double quality = atof(arguments[i]);
    if (strcmp(arguments[i], "-o") == 0) break;
    if (quality <= 0) continue;
    file file = {0};
    imgcoder_output output = {.struct_size = sizeof output, .context = &file, .write = write_bytes};
    cjpeg_encode_options options = {
        .width = width, .height = height, .pixel_format = IMGCODER_PIXEL_RGB8, .quality = quality, .horizontal = factor,
        .vertical = factor, .is_progressive = is_progressive, .effort = is_small ? CJPEG_EFFORT_SMALL : CJPEG_EFFORT_DEFAULT,
        .is_optimized = !is_fast};
    if (is_fast || strncmp(effort, "annex", 5) == 0) options.effort = CJPEG_EFFORT_FAST;
    double best = 1e9;
    for (int round = 0; round < 3; round++) {
      cjpeg_report report;
      cjpeg_encoder *encoder;
      file.length = 0;
      const double start = now();
      imgcoder_status status = cjpeg_encode_begin(&host, &output, &options, &encoder, &report);
      if (status == 0) status = cjpeg_encode_add(encoder, pixels, (uint64_t)width * 3, height, &report);
      if (status == 0) status = cjpeg_encode_end(encoder, &report);
      cjpeg_encode_free(encoder);
      if (status != 0) return fprintf(stderr, "status %u: %s\n", status, report.message), 1;
      const double taken = now() - start;
      if (taken < best) best = taken;
      if (getenv("ONCE")) break;
    }
    uint8_t *decoded = decode(&file);
    const similarity_picture other = {decoded, (uint64_t)width * 3, width, height, 3};
    double score = 0;
    const double start = now();
    similarity_compare(original, &other, NULL, NULL, &score);
    if (getenv("TIMES")) fprintf(stderr, "compared in %.1f ms\n", now() - start);
    printf("%g %llu %.3f %.2f\n", quality, (unsigned long long)file.length, score, best);
    if (kept) {
      FILE *out = fopen(kept, "wb");
      fwrite(file.bytes, 1, file.length, out);
      fclose(out);
    }
    free(decoded);
    free(file.bytes);
  }
  return 0;
}
