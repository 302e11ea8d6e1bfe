// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker.h"

// The name of the format that is written, for as long as the writer.
static char format[1024];
static uint64_t format_length;

// Rows of a picture that is larger than the bands. It is used again for the next frame.
static uint8_t *picture;
static uint64_t picture_bytes;

void writing_end(void) {
  if (picture) munmap(picture, picture_bytes);
  picture = NULL;
  picture_bytes = 0;
}

static imgcoder_status open_writer(parcel *parcel) {
  session *s = &the_session;
  imgcoder_limits limits;
  uint32_t flags;
  parcel_take(parcel, &limits, sizeof limits);
  parcel_take(parcel, &flags, sizeof flags);
  imgcoder_string name = parcel_text(parcel);
  services_begin(&limits);
  output_begin();
  if (name.length > sizeof format) _exit(0);
  memcpy(format, name.bytes, name.length);
  format_length = name.length;
  imgcoder_write_options options = imgcoder_write_options_sized();
  options.flags = flags;
  options.format = (imgcoder_string){format, format_length};
  options.values = parcel_values(parcel, &options.value_count);
  if (!options.values) return IMGCODER_STATUS_OUT_OF_MEMORY;
  imgcoder_writer *writer = NULL;
  imgcoder_status status =
      s->writer.open ? s->writer.open(s->coder, &s->host, &the_output, &options, &writer) : services_lacks("open");
  free((void *)options.values);
  if (status == IMGCODER_STATUS_OK) s->output = writer;
  if (status == IMGCODER_STATUS_OK && !writer) {
    static const imgcoder_string nothing = IMGCODER_TEXT("the plugin opened a session and gives no writer");
    status = s->host.fail(&s->host, IMGCODER_STATUS_LIBRARY, -1, nothing);
  }
  return status;
}

static void ask_for(uint32_t first, uint32_t count, uint32_t band) {
  send_message(ISOLATION_WANT, (isolation_message){.words = {first, count, band}}, NULL, 0);
}

// Copies rows out of two bands, of which the program fills one meanwhile.
static void collect(uint64_t row_bytes, uint32_t height, uint32_t rows_of_band) {
  uint32_t asked = 0, done = 0;
  for (uint32_t band = 0; done < height; band ^= 1) {
    while (asked < height && asked < done + 2 * rows_of_band) {
      uint32_t count = height - asked < rows_of_band ? height - asked : rows_of_band;
      ask_for(asked, count, asked / rows_of_band % 2);
      asked += count;
    }
    isolation_message message;
    int descriptor;
    do {
      receive(&message, &descriptor);
      if (message.kind == ISOLATION_TAKEN) output_taken(message.words[0]);
    } while (message.kind == ISOLATION_TAKEN);
    if (message.kind != ISOLATION_FILLED) _exit(0);
    uint32_t count = height - done < rows_of_band ? height - done : rows_of_band;
    const uint8_t *start = the_session.shared + ISOLATION_CONTROL_BYTES + (size_t)band * ISOLATION_BAND_BYTES;
    memcpy(picture + done * row_bytes, start, count * row_bytes);
    done += count;
  }
}

static imgcoder_status add_picture(const isolation_message *request) {
  session *s = &the_session;
  imgcoder_frame_info frame;
  imgcoder_pixels pixels;
  if (request->length != sizeof frame + sizeof pixels) _exit(0);
  memcpy(&frame, payload(), sizeof frame);
  memcpy(&pixels, payload() + sizeof frame, sizeof pixels);
  uint64_t size = pixels.stride * pixels.height;
  if (request->words[0]) {
    // The program does not touch the bands before this call is answered.
    pixels.pixels = s->shared + ISOLATION_CONTROL_BYTES;
  } else {
    if (picture_bytes < size) {
      writing_end();
      void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (map == MAP_FAILED) return IMGCODER_STATUS_OUT_OF_MEMORY;
      picture = map;
      picture_bytes = size;
    }
    collect(pixels.stride, pixels.height, request->words[1]);
    pixels.pixels = picture;
  }
  if (request->kind == ISOLATION_WRITER_THUMBNAIL) {
    return s->writer.add_thumbnail ? s->writer.add_thumbnail(s->output, &pixels) : services_lacks("add_thumbnail");
  }
  return s->writer.add_frame ? s->writer.add_frame(s->output, &frame, &pixels) : services_lacks("add_frame");
}

static imgcoder_status set_header(const isolation_message *request) {
  session *s = &the_session;
  imgcoder_info info;
  if (request->length != sizeof info) _exit(0);
  memcpy(&info, payload(), sizeof info);
  info.format = (imgcoder_string){format, format_length};
  return s->writer.set_info ? s->writer.set_info(s->output, &info) : services_lacks("set_info");
}

static imgcoder_status set_color(const isolation_message *request) {
  session *s = &the_session;
  imgcoder_color color;
  if (request->length != sizeof color) _exit(0);
  memcpy(&color, payload(), sizeof color);
  if (s->writer.set_color) return s->writer.set_color(s->output, &color);
  static const imgcoder_string lacks = IMGCODER_TEXT("the format has no place for light levels");
  return s->host.fail(&s->host, IMGCODER_STATUS_UNSUPPORTED, -1, lacks);
}

static imgcoder_status add_metadata(uint32_t kind, parcel *parcel) {
  session *s = &the_session;
  parcel_bytes block = parcel_block(parcel);
  return s->writer.add_metadata ? s->writer.add_metadata(s->output, kind, block.bytes, block.length)
                                : services_lacks("add_metadata");
}

void writing_call(const isolation_message *request, int memory) {
  session *s = &the_session;
  uint32_t layout[2] = {0, 0};
  if (request->kind == ISOLATION_WRITER_OPEN || request->kind == ISOLATION_WRITER_METADATA) {
    parcel parcel;
    if (!parcel_open(&parcel, request, memory)) return reply(IMGCODER_STATUS_OUT_OF_MEMORY, NULL, 0);
    imgcoder_status status = IMGCODER_STATUS_OUT_OF_ORDER;
    if (request->kind == ISOLATION_WRITER_OPEN) status = open_writer(&parcel);
    else if (s->output) status = add_metadata(request->words[0], &parcel);
    parcel_close(&parcel);
    return output_reply(status, NULL, 0);
  }
  if (!s->output) return reply(IMGCODER_STATUS_OUT_OF_ORDER, NULL, 0);
  switch (request->kind) {
    case ISOLATION_WRITER_LAYOUT: {
      imgcoder_status status =
          s->writer.negotiate
              ? s->writer.negotiate(s->output, request->words[0], request->words[1], &layout[0], &layout[1])
              : services_lacks("negotiate");
      return output_reply(status, layout, sizeof layout);
    }
    case ISOLATION_WRITER_HEADER: return output_reply(set_header(request), NULL, 0);
    case ISOLATION_WRITER_COLOR: return output_reply(set_color(request), NULL, 0);
    case ISOLATION_WRITER_FINISH:
      return output_reply(s->writer.finish ? s->writer.finish(s->output) : services_lacks("finish"), NULL, 0);
    default: return output_reply(add_picture(request), NULL, 0);
  }
}
