/* SPDX-License-Identifier: Apache-2.0
 *
 * Image sequences in HEVC of 8 bits and 4:2:0, with libde265 and the plainest walk to the first track's samples. */
#include "floor.h"

#include <libde265/de265.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a box, or of a part of one. */
struct bytes {
  const uint8_t *start;
  size_t size;
};

/* The first track of pictures: how long the lengths of NAL units are, and where samples are. */
struct sequence {
  struct bytes configuration, sizes, chunks, runs;
  uint32_t count;
};

static uint32_t number(const uint8_t *bytes, int width) {
  uint32_t value = 0;
  for (int i = 0; i < width; i++) value = value << 8 | bytes[i];
  return value;
}

/* The payload of the first box of a name, behind `skip` bytes of fields. */
static struct bytes box(struct bytes in, size_t skip, const char *name) {
  for (size_t at = skip; at + 8 <= in.size;) {
    size_t size = number(in.start + at, 4);
    if (size == 0) size = in.size - at;
    if (size < 8 || size > in.size - at) break;
    if (memcmp(in.start + at + 4, name, 4) == 0) return (struct bytes){in.start + at + 8, size - 8};
    at += size;
  }
  return (struct bytes){NULL, 0};
}

static int open_sequence(struct input input, struct sequence *sequence) {
  struct bytes movie = box((struct bytes){input.bytes, input.size}, 0, "moov");
  struct bytes media = box(box(movie, 0, "trak"), 0, "mdia");
  struct bytes table = box(box(media, 0, "minf"), 0, "stbl");
  struct bytes entry = box(box(table, 0, "stsd"), 8, "hvc1");
  sequence->configuration = box(entry, 78, "hvcC");
  sequence->sizes = box(table, 0, "stsz");
  sequence->chunks = box(table, 0, "stco");
  sequence->runs = box(table, 0, "stsc");
  if (sequence->configuration.size < 23 || sequence->sizes.size < 12 || sequence->chunks.size < 12) return 0;
  if (sequence->runs.size < 20 || number(sequence->sizes.start + 4, 4) != 0) return 0;
  sequence->count = number(sequence->sizes.start + 8, 4);
  return sequence->count <= (sequence->sizes.size - 12) / 4;
}

static void push_configuration(de265_decoder_context *decoder, struct bytes record) {
  size_t at = 23;
  for (int array = 0; array < record.start[22] && at + 3 <= record.size; array++) {
    uint32_t count = number(record.start + at + 1, 2);
    at += 3;
    for (uint32_t i = 0; i < count && at + 2 <= record.size; i++) {
      uint32_t length = number(record.start + at, 2);
      if (length > record.size - at - 2) return;
      de265_push_NAL(decoder, record.start + at + 2, (int)length, 0, NULL);
      at += 2 + length;
    }
  }
}

static void push_sample(de265_decoder_context *decoder, const uint8_t *bytes, size_t size) {
  for (size_t at = 0; at + 4 <= size;) {
    uint32_t length = number(bytes + at, 4);
    if (length > size - at - 4) return;
    de265_push_NAL(decoder, bytes + at + 4, (int)length, 0, NULL);
    at += 4 + length;
  }
}

static uint8_t clamp(int32_t sum) { return (uint8_t)(sum < 0 ? 0 : sum >> 16 > 255 ? 255 : sum >> 16); }

static int32_t nearest(double value) { return (int32_t)(value + 33554432.5) - 33554432; }

/* BT.601 of the narrow range, by tables of 16 bits behind the point. */
static void convert(const struct de265_image *image, uint8_t *pixels) {
  static int32_t luma[256], red[256], green_b[256], green_r[256], blue[256];
  if (luma[255] == 0) {
    const double one = 255 * 65536.0, kr = 0.299, kb = 0.114, kg = 1 - kr - kb;
    for (int i = 0; i < 256; i++) {
      double c = (i - 128) / 224.0 * one;
      luma[i] = nearest((i - 16) / 219.0 * one) + 32768;
      red[i] = nearest(c * 2 * (1 - kr));
      blue[i] = nearest(c * 2 * (1 - kb));
      green_b[i] = nearest(c * -2 * kb * (1 - kb) / kg);
      green_r[i] = nearest(c * -2 * kr * (1 - kr) / kg);
    }
  }
  int strides[3], width = de265_get_image_width(image, 0), height = de265_get_image_height(image, 0);
  const uint8_t *planes[3];
  for (int i = 0; i < 3; i++) planes[i] = de265_get_image_plane(image, i, &strides[i]);
  for (int y = 0; y < height; y++) {
    const uint8_t *row = planes[0] + (size_t)y * strides[0];
    const uint8_t *cb = planes[1] + (size_t)(y / 2) * strides[1], *cr = planes[2] + (size_t)(y / 2) * strides[2];
    for (int x = 0; x < width; x++, pixels += 4) {
      int32_t l = luma[row[x]];
      uint8_t u = cb[x / 2], v = cr[x / 2];
      pixels[0] = clamp(l + red[v]);
      pixels[1] = clamp(l + green_b[u] + green_r[v]);
      pixels[2] = clamp(l + blue[u]);
      pixels[3] = 255;
    }
  }
}

/* Called with each picture; 0 stops. */
typedef int (*visit)(const struct de265_image *image, void *context);

static int decode(struct input input, visit each, void *context) {
  struct sequence sequence;
  if (!open_sequence(input, &sequence)) return 0;
  de265_decoder_context *decoder = de265_new_decoder();
  push_configuration(decoder, sequence.configuration);
  uint32_t sample = 0, in_chunk = 0, chunk = 0, run = 0;
  uint32_t chunks = number(sequence.chunks.start + 4, 4), runs = number(sequence.runs.start + 4, 4);
  size_t at = number(sequence.chunks.start + 8, 4);
  int more = 1, goes_on = 1, flushed = 0, shown = 0;
  while (goes_on && more) {
    de265_error error = de265_decode(decoder, &more);
    const struct de265_image *image;
    while (goes_on && (image = de265_get_next_picture(decoder)) != NULL) {
      goes_on = each(image, context);
      shown++;
    }
    if (error != DE265_ERROR_WAITING_FOR_INPUT_DATA || flushed) continue;
    more = 1;
    if (sample == sequence.count || chunk == chunks) {
      de265_flush_data(decoder);
      flushed = 1;
      continue;
    }
    size_t size = number(sequence.sizes.start + 12 + 4 * sample++, 4);
    if (at > input.size || size > input.size - at) break;
    push_sample(decoder, input.bytes + at, size);
    at += size;
    while (run + 1 < runs && chunk + 1 >= number(sequence.runs.start + 20 + 12 * run, 4)) run++;
    if (++in_chunk == number(sequence.runs.start + 12 + 12 * run, 4) && ++chunk < chunks) {
      at = number(sequence.chunks.start + 8 + 4 * chunk, 4);
      in_chunk = 0;
    }
  }
  de265_free_decoder(decoder);
  return shown;
}

static int matches(struct input input) {
  if (input.size < 16 || memcmp(input.bytes + 4, "ftyp", 4) != 0) return 0;
  return memcmp(input.bytes + 8, "msf1", 4) == 0 || memcmp(input.bytes + 8, "hevc", 4) == 0;
}

static int keep_first(const struct de265_image *image, void *context) {
  struct picture *picture = context;
  picture->width = (size_t)de265_get_image_width(image, 0);
  picture->height = (size_t)de265_get_image_height(image, 0);
  picture->pixels = malloc(picture->width * picture->height * 4);
  convert(image, picture->pixels);
  return 0;
}

static int full(struct input input, struct picture *picture) { return decode(input, keep_first, picture); }

static int thumbnail(struct input input, struct picture *picture) {
  struct picture whole;
  struct cells cells;
  if (!full(input, &whole)) return 0;
  cells_begin(&cells, whole.width, whole.height, THUMBNAIL);
  for (size_t y = 0; y < whole.height; y++) cells_add(&cells, whole.pixels + y * whole.width * 4);
  *picture = cells_end(&cells);
  free(whole.pixels);
  return 1;
}

/* What becomes of the pictures of an animation. */
struct mix {
  uint64_t *hash;
  double *hash_ms;
};

static int mix_in(const struct de265_image *image, void *context) {
  struct mix *mix = context;
  struct picture picture;
  keep_first(image, &picture);
  if (mix->hash) {
    double start = now_ms();
    *mix->hash = hash_bytes(*mix->hash, picture.pixels, picture.width * picture.height * 4);
    *mix->hash_ms += now_ms() - start;
  }
  free(picture.pixels);
  return 1;
}

static int all(struct input input, uint64_t *hash, double *hash_ms) {
  struct mix mix = {hash, hash_ms};
  return decode(input, mix_in, &mix) > 0;
}

const struct floor_format heics_floor = {.matches = matches, .full = full, .thumbnail = thumbnail, .all = all};
