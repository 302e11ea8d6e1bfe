/* SPDX-License-Identifier: Apache-2.0
 *
 * usage: floor full|thumbnail|all|processor FILE REPETITIONS [heif]
 *        floor encode FILE REPETITIONS HOW
 *        floor run COMMAND…
 *
 * Prints `min_ms X med_ms Y hash H`, or `bytes B` for the hash when it encodes. `processor` is `all` in processor time of
 * all threads. `heif` has libheif read the file: AVIF, which is libavif's otherwise. `run` prints `processor_ms X
 * peak_kb Y` of a command, whose output goes nowhere: a program as small as this one hands little of its own memory on. */
#include "floor.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The order is that of the questions: formats whose signatures are weak come last. */
extern const struct floor_format jpeg_floor, png_floor, gif_floor, webp_floor, avif_floor, heics_floor, heif_floor,
    tiff_floor, jpeg2000_floor, bmp_floor, icns_floor, qoi_floor, pnm_floor, jxl_floor;
static const struct floor_format *const formats[] = {
    &jpeg_floor, &png_floor,      &gif_floor, &webp_floor, &avif_floor, &heics_floor, &heif_floor,
    &tiff_floor, &jpeg2000_floor, &bmp_floor, &icns_floor, &qoi_floor,  &pnm_floor,  &jxl_floor};

double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static double processor_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

uint64_t hash_bytes(uint64_t hash, const uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 0x100000001B3u;
  return hash;
}

void cells_begin(struct cells *cells, size_t width, size_t height, size_t box) {
  size_t longer = width > height ? width : height;
  cells->side = (longer + box - 1) / box;
  cells->width = width;
  cells->height = height;
  cells->row = 0;
  cells->result.width = (width + cells->side - 1) / cells->side;
  cells->result.height = (height + cells->side - 1) / cells->side;
  cells->result.pixels = malloc(cells->result.width * cells->result.height * 4);
  cells->sums = calloc(cells->result.width * 4, sizeof *cells->sums);
}

void cells_add(struct cells *cells, const uint8_t *row) {
  size_t side = cells->side;
  for (size_t x = 0, cell = 0; x < cells->width; x += side, cell++) {
    size_t end = x + side < cells->width ? x + side : cells->width;
    uint32_t red = 0, green = 0, blue = 0, alpha = 0;
    for (const uint8_t *p = row + 4 * x; p < row + 4 * end; p += 4) {
      red += p[0], green += p[1], blue += p[2], alpha += p[3];
    }
    uint32_t *sum = cells->sums + 4 * cell;
    sum[0] += red, sum[1] += green, sum[2] += blue, sum[3] += alpha;
  }
  cells->row++;
  if (cells->row % side != 0 && cells->row != cells->height) return;
  size_t rows = cells->row % side == 0 ? side : cells->row % side;
  uint8_t *out = cells->result.pixels + (cells->row - 1) / side * cells->result.width * 4;
  for (size_t cell = 0; cell < cells->result.width; cell++) {
    size_t left = cells->width - cell * side;
    uint32_t count = (uint32_t)((left < side ? left : side) * rows);
    for (int channel = 0; channel < 4; channel++) {
      out[4 * cell + channel] = (uint8_t)((cells->sums[4 * cell + channel] + count / 2) / count);
    }
  }
  memset(cells->sums, 0, cells->result.width * 4 * sizeof *cells->sums);
}

struct picture cells_end(struct cells *cells) {
  free(cells->sums);
  return cells->result;
}

static struct input read_file(const char *path) {
  struct input input = {NULL, 0};
  FILE *file = fopen(path, "rb");
  if (!file) return input;
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(size);
  if (bytes && fread(bytes, 1, size, file) == size) {
    input.bytes = bytes;
    input.size = size;
  }
  fclose(file);
  return input;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Decodes the file once and encodes the picture again and again. */
static int encode(const struct floor_format *format, struct input input, int count, double *times, const char *how) {
  struct picture picture = {NULL, 0, 0};
  size_t bytes = 0;
  if (!format->full(input, &picture)) return 1;
  for (int i = 0; i < count; i++) {
    double start = now_ms();
    bytes = floor_encode(how, picture);
    times[i] = now_ms() - start;
    if (bytes == 0) return 1;
  }
  qsort(times, count, sizeof *times, compare);
  printf("min_ms %.5f med_ms %.5f bytes %zu\n", times[0], times[count / 2], bytes);
  return 0;
}

static int run(char **command) {
  pid_t child = fork();
  int status = 0;
  struct rusage use;
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), 1);
    execvp(command[0], command);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &use) != child || status != 0) return 1;
  double seconds = (double)use.ru_utime.tv_sec + (double)use.ru_stime.tv_sec;
  double rest = ((double)use.ru_utime.tv_usec + (double)use.ru_stime.tv_usec) / 1e3;
  printf("processor_ms %.3f peak_kb %ld\n", seconds * 1e3 + rest, use.ru_maxrss);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "run") == 0) return run(argv + 2);
  int encodes = argc == 5 && strcmp(argv[1], "encode") == 0;
  int by_heif = argc == 5 && strcmp(argv[4], "heif") == 0;
  if (argc != 4 && !encodes && !by_heif) {
    fprintf(stderr, "usage: floor full|thumbnail|all|processor FILE REPETITIONS [heif]\n"
                    "       floor encode FILE REPETITIONS HOW\n");
    return 2;
  }
  struct input input = read_file(argv[2]);
  int count = atoi(argv[3]);
  if (!input.bytes || input.size < 12 || count < 1) return 1;
  const struct floor_format *format = by_heif ? &heif_floor : NULL;
  for (size_t i = 0; !format && i < sizeof formats / sizeof *formats; i++) {
    if (formats[i]->matches(input)) format = formats[i];
  }
  if (!format) {
    fprintf(stderr, "no floor for this format\n");
    return 1;
  }
  int (*decode)(struct input, struct picture *) = strcmp(argv[1], "thumbnail") == 0 ? format->thumbnail : format->full;
  int (*compose)(struct input, uint64_t *, double *) = format->all;
  int processor = strcmp(argv[1], "processor") == 0;
  int all = processor || strcmp(argv[1], "all") == 0;
  double (*clock_ms)(void) = processor ? processor_ms : now_ms;
  double *times = malloc(count * sizeof *times);
  if (encodes) return encode(format, input, count, times, argv[4]);
  uint64_t hash = HASH_START;
  for (int i = 0; i < count; i++) {
    struct picture picture = {NULL, 0, 0};
    double start = clock_ms(), hashing = 0;
    int done = all ? compose && compose(input, i == 0 && !processor ? &hash : NULL, &hashing) : decode(input, &picture);
    times[i] = clock_ms() - start - hashing;
    if (!done) return 1;
    if (!all && i == 0) hash = hash_bytes(hash, picture.pixels, picture.width * picture.height * 4);
    free(picture.pixels);
  }
  qsort(times, count, sizeof *times, compare);
  printf("min_ms %.5f med_ms %.5f hash %016lx\n", times[0], times[count / 2], (unsigned long)hash);
  return 0;
}
