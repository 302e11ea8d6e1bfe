// SPDX-License-Identifier: Apache-2.0

#include "jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <CJPEGEighths.h>

// As many as libtiff reads of one strip or tile.
#define MOST_SCANS 100
#define MESSAGE_LENGTH 200

// Of one strip or tile: what it defines holds for no other.
typedef struct decoder {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  jmp_buf failed;
  char *message;
} decoder;

_Noreturn static void stop(void *from, const char *why) {
  decoder *d = from;
  snprintf(d->message, MESSAGE_LENGTH, "%s", why);
  longjmp(d->failed, 1);
}

static void on_error(j_common_ptr info) {
  char text[JMSG_LENGTH_MAX];
  info->err->format_message(info, text);
  stop(info->client_data, text);
}

static void on_message(j_common_ptr info, int level) {
  (void)info;
  (void)level;
}

static void on_progress(j_common_ptr info) {
  if (((j_decompress_ptr)info)->input_scan_number > MOST_SCANS) stop(info->client_data, "more than 100 scans");
}

static void on_source(j_decompress_ptr info) { (void)info; }

static boolean fill(j_decompress_ptr info) { stop(info->client_data, "Premature end of JPEG data"); }

static void skip(j_decompress_ptr info, long count) {
  struct jpeg_source_mgr *source = info->src;
  if (count <= 0) return;
  if ((unsigned long)count > source->bytes_in_buffer) fill(info);
  source->next_input_byte += count;
  source->bytes_in_buffer -= (size_t)count;
}

static void show(decoder *d, const uint8_t *bytes, uint64_t length) {
  d->source.next_input_byte = bytes;
  d->source.bytes_in_buffer = length;
}

static void begin(decoder *d) {
  jpeg_create_decompress(&d->info);
  d->source = (struct jpeg_source_mgr){.init_source = on_source,
                                       .fill_input_buffer = fill,
                                       .skip_input_data = skip,
                                       .resync_to_restart = jpeg_resync_to_restart,
                                       .term_source = on_source};
  d->info.src = &d->source;
  d->progress.progress_monitor = on_progress;
  d->info.progress = &d->progress;
}

// libtiff's rules: as many components as the directory has, and no more pixels than the strip or tile.
static void check(decoder *d, const ctiff_picture *picture) {
  const struct jpeg_decompress_struct *info = &d->info;
  char text[MESSAGE_LENGTH];
  if (info->num_components != (int)picture->samples) {
    snprintf(text, sizeof text, "JPEG of %d components, %u are stated", info->num_components, picture->samples);
    stop(d, text);
  }
  if (info->image_width > picture->coded_width || info->image_height > picture->coded_height) {
    snprintf(text, sizeof text, "JPEG of %u×%u pixels, %u×%u are stated", info->image_width, info->image_height,
             picture->coded_width, picture->coded_height);
    stop(d, text);
  }
}

static void read_header(decoder *d, const ctiff_picture *picture, const uint8_t *bytes, uint64_t length) {
  if (picture->codec_length > 0) {
    show(d, picture->codec, picture->codec_length);
    if (jpeg_read_header(&d->info, FALSE) != JPEG_HEADER_TABLES_ONLY) stop(d, "JPEGTables has more than tables");
  }
  show(d, bytes, length);
  jpeg_read_header(&d->info, TRUE);
  check(d, picture);
  const J_COLOR_SPACE plain = picture->samples == 1 ? JCS_GRAYSCALE : JCS_RGB;
  d->info.jpeg_color_space = picture->flags & CTIFF_JPEG ? JCS_YCbCr : plain;
  d->info.out_color_space = plain;
  d->info.scale_num = 8 / picture->reduction;
  d->info.scale_denom = 8;
}

void jpeg_close(jpeg_room *room) { free(room->memory); }

static int no_more(eighths_input *input) {
  (void)input;
  return 0;
}

// At 1/8, without libjpeg, which is asked if the answer is 0.
static int read_eighths(const decoder *d, uint32_t rows, uint64_t row_bytes, uint8_t *out, jpeg_room *room) {
  const struct jpeg_decompress_struct *info = &d->info;
  eighths_frame frame;
  const size_t bytes = eighths_describe(info, &frame) ? eighths_bytes(&frame) : 0;
  if (bytes == 0) return 0;
  if (bytes > room->bytes) {
    free(room->memory);
    *room = (jpeg_room){.memory = malloc(bytes), .bytes = bytes};
    if (!room->memory) room->bytes = 0;
  }
  eighths *picture = room->memory ? eighths_make(room->memory, &frame, room->was_made) : NULL;
  room->was_made = room->memory != NULL;
  eighths_input input = {
      .next = info->src->next_input_byte, .end = info->src->next_input_byte + info->src->bytes_in_buffer, .more = no_more};
  if (!picture || !eighths_decode(picture, &input)) return 0;
  const uint32_t width = (frame.width + 7) / 8, height = (frame.height + 7) / 8;
  for (uint32_t y = 0; y < rows && y < height; y++) {
    const uint8_t *lines[EIGHTHS_CHANNELS] = {0};
    for (uint32_t i = 0; i < frame.channel_count; i++) lines[i] = eighths_line(picture, i, y);
    const eighths_format format = frame.channel_count == 1 ? EIGHTHS_GRAY : EIGHTHS_RGB;
    eighths_pixels(lines, width, info->jpeg_color_space == JCS_YCbCr, format, out + y * row_bytes);
  }
  return 1;
}

uint32_t jpeg_read(const ctiff_picture *picture, const uint8_t *bytes, uint64_t length, uint32_t rows,
                   uint64_t row_bytes, uint8_t *out, jpeg_room *room, char *message) {
  decoder d;
  memset(&d, 0, sizeof d);
  struct jpeg_decompress_struct *info = &d.info;
  d.message = message;
  info->err = jpeg_std_error(&d.errors);
  d.errors.error_exit = on_error;
  d.errors.emit_message = on_message;
  info->client_data = &d;
  uint32_t right = rows;
  if (setjmp(d.failed)) {
    right = info->output_scanline;
  } else {
    begin(&d);
    read_header(&d, picture, bytes, length);
    jpeg_calc_output_dimensions(info);
    // What the JPEG leaves out is 0, as with libtiff.
    if (info->output_width < picture->strile_width || info->output_height < rows) memset(out, 0, rows * row_bytes);
    if (picture->reduction == 8 && read_eighths(&d, rows, row_bytes, out, room)) {
      jpeg_destroy_decompress(info);
      return rows;
    }
    jpeg_start_decompress(info);
    while (info->output_scanline < rows && info->output_scanline < info->output_height) {
      JSAMPROW row = out + info->output_scanline * row_bytes;
      jpeg_read_scanlines(info, &row, 1);
    }
  }
  jpeg_destroy_decompress(info);
  return right;
}
