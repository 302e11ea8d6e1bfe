// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker.h"

#define SMALL_BYTES (64u << 10)

// Reads a struct that came as payload.
#define TAKE(type, request, value) \
  if ((request)->length < sizeof(type)) _exit(0); \
  type value; \
  memcpy(&value, payload(), sizeof value)

typedef struct results {
  uint32_t length;
  uint8_t bytes[ISOLATION_MAX_PAYLOAD - ISOLATION_MAX_SENTENCE];
} results;

static void add(results *to, const void *bytes, size_t length) {
  if (length > sizeof to->bytes - to->length) return;
  memcpy(to->bytes + to->length, bytes, length);
  to->length += (uint32_t)length;
}

// Frames from one on, until one cannot be described. Only the failure of the first one counts.
static imgcoder_status add_frames(uint32_t page, uint32_t first, uint32_t count, results *to) {
  session *s = &the_session;
  imgcoder_status status = IMGCODER_STATUS_OK;
  if (count > ISOLATION_MAX_FRAMES) count = ISOLATION_MAX_FRAMES;
  for (uint32_t index = 0; index < count; index++) {
    imgcoder_frame_info info;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    status = s->reader.frame_info(s->file, page, first + index, &info);
    if (status != IMGCODER_STATUS_OK) {
      if (index > 0) {
        s->failure = 0;
        s->failure_length = 0;
        status = IMGCODER_STATUS_OK;
      }
      break;
    }
    add(to, &info, sizeof info);
  }
  return status;
}

// A text after its length; one that is too long is cut off.
static void add_text(imgcoder_string text, results *to) {
  uint32_t length = 0;
  if (text.bytes && text.length <= IMGCODER_MAX_TEXT) {
    length = text.length < ISOLATION_MAX_NAME ? (uint32_t)text.length : ISOLATION_MAX_NAME;
  }
  add(to, &length, sizeof length);
  add(to, text.bytes, length);
}

// A page: its info, the names of its format and of itself, and some frames.
static imgcoder_status add_page(uint32_t page, uint32_t frames, imgcoder_info *info, results *to) {
  session *s = &the_session;
  memset(info, 0, sizeof *info);
  info->struct_size = sizeof *info;
  imgcoder_status status = s->reader.info(s->file, page, info);
  if (status != IMGCODER_STATUS_OK) return status;
  imgcoder_string format = info->format, name = info->page_name;
  info->format = info->page_name = (imgcoder_string){0};
  add(to, info, sizeof *info);
  add_text(format, to);
  add_text(name, to);
  if (frames > info->frame_count) frames = info->frame_count;
  if (frames > 0 && add_frames(page, 0, frames, to) != IMGCODER_STATUS_OK) {
    s->failure = 0;
    s->failure_length = 0;
  }
  return status;
}

static void close_file(void) {
  session *s = &the_session;
  if (s->file && s->reader.close) s->reader.close(s->file);
  if (s->output && s->writer.close) s->writer.close(s->output);
  s->file = NULL;
  s->output = NULL;
  output_end();
  writing_end();
  services_end();
  siblings_end();
  bytes_end();
}

// Begins with a file, of which nothing is looked at.
static int take_source(const isolation_message *request, int memory) {
  TAKE(imgcoder_limits, request, limits);
  close_file();
  services_begin(&limits);
  siblings_begin();
  uint32_t small = request->words[2];
  if (small > request->length - sizeof limits) _exit(0);
  return memory < 0 ? bytes_begin_small(payload() + sizeof limits, small)
                    : bytes_begin(memory, request->longs[1], request->longs[0]);
}

static void negotiate(const imgcoder_request *wanted, int goes_on, uint32_t clears);

// The picture of a file that holds nothing else, which is nearly always asked for next.
static void picture_ahead(const isolation_message *request, const imgcoder_info *info) {
  imgcoder_request wanted = {.struct_size = sizeof wanted, .pixel_format = (uint32_t)request->longs[2]};
  if (wanted.pixel_format == IMGCODER_PIXEL_ANY) wanted.pixel_format = info->pixel_format;
  wanted.alpha = info->alpha == IMGCODER_ALPHA_OPAQUE ? IMGCODER_ALPHA_OPAQUE : (uint32_t)request->longs[3];
  the_session.call += 1;
  negotiate(&wanted, 1, request->words[4]);
}

static void open_file(const isolation_message *request, int memory) {
  session *s = &the_session;
  if (!take_source(request, memory)) return reply(IMGCODER_STATUS_OUT_OF_MEMORY, NULL, 0);
  imgcoder_open_options options = {.struct_size = sizeof options, .flags = request->words[0]};
  uint32_t before = (uint32_t)sizeof(imgcoder_limits) + request->words[2];
  if (request->length > before) {
    parcel given = {payload() + before, request->length - before, NULL, 0};
    options.values = parcel_values(&given, &options.value_count);
    if (!options.values) return reply(IMGCODER_STATUS_OUT_OF_MEMORY, NULL, 0);
  }
  imgcoder_reader *file = NULL;
  imgcoder_status status = s->reader.open
                               ? s->reader.open(s->coder, &s->host, &s->source, &options, &file)
                               : IMGCODER_STATUS_UNSUPPORTED;
  free((void *)options.values);
  // A secret is not to be found here by the next file.
  explicit_bzero(payload() + before, request->length - before);
  static results page;
  imgcoder_info info;
  page.length = 0;
  if (status == IMGCODER_STATUS_OK) {
    s->file = file;
    if (file && request->words[1] > 0 && add_page(0, request->words[1], &info, &page) != IMGCODER_STATUS_OK) {
      // The program asks for it, and gets the reason then.
      s->failure = 0;
      s->failure_length = 0;
      page.length = 0;
    }
    if (!file) {
      static const imgcoder_string nothing = IMGCODER_TEXT("the plugin opened a file and gives no reader");
      status = s->host.fail(&s->host, IMGCODER_STATUS_LIBRARY, -1, nothing);
    }
  }
  uint32_t goes_on = request->words[3] == 1 && page.length > 0 && info.primary_page == 0 && info.frame_count == 1 &&
                     !(info.flags & IMGCODER_INFO_ANIMATED) && info.embedded_length == 0;
  reply_with_output(status, page.bytes, page.length, goes_on, 0);
  if (goes_on) picture_ahead(request, &info);
}

static void metadata(const isolation_message *request) {
  session *s = &the_session;
  const uint8_t *bytes = NULL;
  uint64_t length = 0;
  imgcoder_status status = s->reader.metadata
                               ? s->reader.metadata(s->file, request->words[0], request->words[1], &bytes, &length)
                               : IMGCODER_STATUS_NOT_PRESENT;
  // A block that is too large is told by its size alone.
  if (status == IMGCODER_STATUS_OK && bytes && length <= s->limits.max_metadata) {
    send_chunks(ISOLATION_CHUNK, bytes, length);
  }
  reply(status, &length, sizeof length);
}

static void recognize(const isolation_message *request, int memory) {
  session *s = &the_session;
  imgcoder_limits none = {.struct_size = sizeof none};
  close_file();
  services_begin(&none);
  imgcoder_status status = IMGCODER_STATUS_WRONG_FORMAT;
  if (bytes_begin(memory, request->longs[0], request->longs[0]) && s->described.recognize) {
    uint64_t length;
    const uint8_t *bytes = bytes_all(&length);
    status = s->described.recognize(s->coder, bytes, length, request->longs[1]);
  }
  bytes_end();
  reply(status, NULL, 0);
}

static imgcoder_status missing(const char *call) { return services_fail_without(call, IMGCODER_STATUS_UNSUPPORTED); }

// The rows are nearly always asked for next: as many as the bands have room for are there then.
static void decode_ahead(const imgcoder_request *wanted, imgcoder_offer *offer, uint32_t rows, uint32_t clears) {
  session *s = &the_session;
  s->call += 1;
  offer->struct_size = sizeof *offer;
  offer->page = wanted->page;
  offer->frame = wanted->frame;
  offer->unmet = 0;
  isolation_message own = {.words = {rows, clears}, .longs = {pixels_row_bytes(offer)}};
  reply(s->reader.decode ? pixels_decode(&own, offer, -1) : missing("decode"), NULL, 0);
}

// Answers with an offer, and perhaps goes on with its rows.
static void negotiate(const imgcoder_request *wanted, int goes_on, uint32_t clears) {
  session *s = &the_session;
  imgcoder_offer offer;
  memset(&offer, 0, sizeof offer);
  offer.struct_size = sizeof offer;
  imgcoder_status status = s->reader.negotiate ? s->reader.negotiate(s->file, wanted, &offer) : missing("negotiate");
  uint32_t rows = status == IMGCODER_STATUS_OK && goes_on ? pixels_rows_of_band(&offer) : 0;
  // A small picture is decoded before another process would have woken up to hear of it.
  if (rows > 0 && rows == offer.height && rows * pixels_row_bytes(&offer) <= SMALL_BYTES) messages_hold(1);
  reply_with_output(status, &offer, sizeof offer, rows, 0);
  if (rows > 0) decode_ahead(wanted, &offer, rows, clears);
  messages_hold(0);
}

static void call_reader(const isolation_message *request, int memory) {
  session *s = &the_session;
  static results found;
  imgcoder_info info;
  found.length = 0;
  if (!s->file) return reply(IMGCODER_STATUS_OUT_OF_ORDER, NULL, 0);
  // What has arrived since the last call.
  bytes_update(request->longs[2], request->longs[3]);
  imgcoder_status status;
  switch (request->kind) {
    case ISOLATION_INFO:
      status = add_page(request->words[0], request->words[1], &info, &found);
      return reply(status, found.bytes, found.length);
    case ISOLATION_FRAME:
      status = add_frames(request->words[0], request->words[1], request->words[2], &found);
      return reply(status, found.bytes, found.length);
    case ISOLATION_NEGOTIATE: {
      TAKE(imgcoder_request, request, wanted);
      return negotiate(&wanted, request->words[1] != 0, request->words[2]);
    }
    case ISOLATION_DECODE: {
      TAKE(imgcoder_offer, request, offer);
      status = s->reader.decode ? pixels_decode(request, &offer, memory) : missing("decode");
      if (memory >= 0) close(memory);
      return reply(status, NULL, 0);
    }
    case ISOLATION_METADATA: return metadata(request);
    case ISOLATION_COLOR: return reply(color_send(request->words[0]), NULL, 0);
    default: return reply(properties_send(request->words[0], request->words[1]), NULL, 0);
  }
}

void session_run(const imgcoder_coder *coder, uint8_t *shared) {
  session *s = &the_session;
  s->coder = coder;
  s->described = imgcoder_coder_read(coder);
  s->shared = shared;
  if (s->described.reader) s->reader = imgcoder_reader_table_read(s->described.reader);
  if (s->described.writer) s->writer = imgcoder_writer_table_read(s->described.writer);
  while (1) {
    isolation_message request;
    int memory;
    receive(&request, &memory);
    s->call = request.call;
    s->may_inflate = request.inflated;
    __atomic_store_n(&s->inflated, 0, __ATOMIC_RELAXED);
    switch (request.kind) {
      case ISOLATION_OPEN: open_file(&request, memory); break;
      case ISOLATION_RECOGNIZE: recognize(&request, memory); break;
      case ISOLATION_CLOSE:
        close_file();
        reply(IMGCODER_STATUS_OK, NULL, 0);
        break;
      case ISOLATION_WRITER_OPEN:
        close_file();
        writing_call(&request, memory);
        break;
      case ISOLATION_WRITER_LAYOUT:
      case ISOLATION_WRITER_HEADER:
      case ISOLATION_WRITER_METADATA:
      case ISOLATION_WRITER_THUMBNAIL:
      case ISOLATION_WRITER_FRAME:
      case ISOLATION_WRITER_COLOR:
      case ISOLATION_WRITER_FINISH: writing_call(&request, memory); break;
      case ISOLATION_SOURCE:
        reply(take_source(&request, memory) ? IMGCODER_STATUS_OK : IMGCODER_STATUS_OUT_OF_MEMORY, NULL, 0);
        break;
      case ISOLATION_OPERATE: operations_call(&request, memory); break;
      case ISOLATION_INFO:
      case ISOLATION_FRAME:
      case ISOLATION_NEGOTIATE:
      case ISOLATION_DECODE:
      case ISOLATION_METADATA:
      case ISOLATION_COLOR:
      case ISOLATION_PROPERTIES: call_reader(&request, memory); break;
      default: _exit(0);
    }
  }
}
