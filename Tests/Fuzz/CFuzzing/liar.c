// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "CFuzzing.h"

// The script is the file itself, behind the four bytes of the signature. A call takes the next bytes; at the end all
// answers are those of an honest reader of a picture of 2×2.
struct imgcoder_reader {
  const imgcoder_host *host;
  const uint8_t *script;
  uint64_t length, next;
};

static uint8_t next_byte(imgcoder_reader *reader, uint8_t honest) {
  return reader->next < reader->length ? reader->script[reader->next++] : honest;
}

// A number: honest for half of the first bytes, else small, a boundary, or four bytes of the script.
static uint32_t number(imgcoder_reader *reader, uint32_t honest) {
  uint8_t kind = next_byte(reader, 0);
  if (kind < 128) return honest;
  if (kind < 192) return kind & 63;
  switch (kind & 7) {
    case 0: return 0;
    case 1: return UINT32_MAX;
    case 2: return UINT32_C(1) << 31;
    case 3: return honest + 1;
    case 4: return honest - 1;
    default: break;
  }
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) value = value << 8 | next_byte(reader, 0);
  return value;
}

// A number of 64 bits, made as two of 32.
static uint64_t wide(imgcoder_reader *reader, uint64_t honest) {
  uint64_t high = number(reader, (uint32_t)(honest >> 32));
  return high << 32 | number(reader, (uint32_t)honest);
}

// A status: mostly OK.
static imgcoder_status status(imgcoder_reader *reader) {
  uint8_t kind = next_byte(reader, 0);
  if (kind < 224) return IMGCODER_STATUS_OK;
  if (kind & 1) {
    static const char reason[] = "a lie \xff\x1b[31m";
    imgcoder_string message = {reason, sizeof reason - 1};
    return reader->host->fail(reader->host, number(reader, IMGCODER_STATUS_MALFORMED), (int64_t)wide(reader, 0), message);
  }
  return number(reader, IMGCODER_STATUS_MALFORMED);
}

static const imgcoder_string uti = IMGCODER_TEXT("org.example.liar");

static imgcoder_status reader_open(const imgcoder_coder *coder, const imgcoder_host *host,
                                   const imgcoder_source *source, const imgcoder_open_options *options,
                                   imgcoder_reader **result) {
  (void)coder, (void)options;
  const uint8_t *bytes;
  uint64_t size;
  imgcoder_status status = source->view(source, 0, UINT64_MAX, &bytes, &size);
  if (status != IMGCODER_STATUS_OK) return status;
  if (size < 4 || memcmp(bytes, "LIAR", 4) != 0) return IMGCODER_STATUS_WRONG_FORMAT;
  imgcoder_reader *reader = host->allocate(host, sizeof *reader, 0);
  if (!reader) return IMGCODER_STATUS_OUT_OF_MEMORY;
  *reader = (imgcoder_reader){host, bytes, size, 4};
  *result = reader;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_info(imgcoder_reader *reader, uint32_t page, imgcoder_info *info) {
  (void)page;
  info->flags = number(reader, 0);
  info->width = number(reader, 2);
  info->height = number(reader, 2);
  info->pixel_format = number(reader, IMGCODER_PIXEL_RGBA8);
  info->bits_per_channel = number(reader, 8);
  info->alpha = number(reader, IMGCODER_ALPHA_STRAIGHT);
  info->orientation = number(reader, 1);
  info->frame_count = number(reader, 1);
  info->page_count = number(reader, 1);
  info->primary_page = number(reader, 0);
  info->plays = number(reader, 0);
  info->subsampling = number(reader, 0);
  uint64_t gamma = wide(reader, 0);
  memcpy(&info->gamma, &gamma, sizeof gamma);
  info->format = uti;
  info->embedded_offset = wide(reader, 0);
  info->embedded_length = wide(reader, 0);
  return status(reader);
}

static imgcoder_status reader_frame_info(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                         imgcoder_frame_info *info) {
  (void)page, (void)frame;
  info->flags = number(reader, 0);
  info->x = number(reader, 0);
  info->y = number(reader, 0);
  info->width = number(reader, 2);
  info->height = number(reader, 2);
  info->delay_numerator = number(reader, 1);
  info->delay_denominator = number(reader, 10);
  info->disposal = number(reader, 0);
  info->blend = number(reader, 0);
  info->depends_on = number(reader, UINT32_MAX);
  return status(reader);
}

static imgcoder_status reader_negotiate(imgcoder_reader *reader, const imgcoder_request *request,
                                        imgcoder_offer *offer) {
  offer->width = number(reader, 2);
  offer->height = number(reader, 2);
  offer->pixel_format = number(reader, IMGCODER_PIXEL_RGBA8);
  offer->alpha = number(reader, request->alpha);
  offer->row_order = number(reader, IMGCODER_ROWS_TOP_DOWN);
  offer->unmet = number(reader, 0);
  offer->scale_code = number(reader, 0);
  offer->memory = wide(reader, 0);
  return status(reader);
}

static imgcoder_status reader_decode(imgcoder_reader *reader, const imgcoder_offer *offer, const imgcoder_sink *sink) {
  uint32_t steps = number(reader, offer->height);
  for (uint32_t y = 0; y < steps && y < 4096; y++) {
    uint32_t row = number(reader, y), count = number(reader, 1);
    imgcoder_rows rows;
    imgcoder_status result = sink->rows(sink, row, count, &rows);
    // One that does not care goes on, and says that rows are done which it was not given.
    if (result != IMGCODER_STATUS_OK) {
      if (next_byte(reader, 0) < 128) return result;
    } else if (rows.count > 0) {
      memset(rows.pixels, next_byte(reader, 0), 1);
    }
    result = sink->done(sink, number(reader, row), number(reader, count), number(reader, 0));
    if (result != IMGCODER_STATUS_OK && next_byte(reader, 0) < 128) return result;
  }
  return status(reader);
}

static imgcoder_status reader_metadata(imgcoder_reader *reader, uint32_t page, imgcoder_metadata_kind kind,
                                       const uint8_t **bytes, uint64_t *length) {
  (void)page, (void)kind;
  // A part of the script, at most all of it.
  uint64_t start = number(reader, 0), count = number(reader, 0);
  if (start > reader->length) start = reader->length;
  if (count > reader->length - start) count = reader->length - start;
  *bytes = reader->script + start;
  *length = count;
  return status(reader);
}

static imgcoder_status reader_properties(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                         const imgcoder_properties *properties) {
  (void)page, (void)frame;
  uint32_t steps = number(reader, 0);
  for (uint32_t i = 0; i < steps && i < 512; i++) {
    uint8_t length = next_byte(reader, 0);
    if (length > reader->length - reader->next) length = (uint8_t)(reader->length - reader->next);
    imgcoder_string name = {(const char *)reader->script + reader->next, length};
    uint64_t bits = wide(reader, 0);
    double value;
    memcpy(&value, &bits, sizeof value);
    switch (next_byte(reader, 0) % 6) {
      case 0: properties->begin(properties, name); break;
      case 1: properties->end(properties); break;
      case 2: properties->put_integer(properties, name, (int64_t)bits); break;
      case 3: properties->put_number(properties, name, value); break;
      case 4: properties->put_text(properties, name, name); break;
      default: properties->begin_list(properties, name); break;
    }
  }
  return status(reader);
}

static void reader_close(imgcoder_reader *reader) { reader->host->free(reader->host, reader); }

static const imgcoder_reader_table reader_table = {
    .struct_size = sizeof(imgcoder_reader_table), .open = reader_open, .info = reader_info,
    .frame_info = reader_frame_info, .negotiate = reader_negotiate, .decode = reader_decode,
    .metadata = reader_metadata, .properties = reader_properties, .close = reader_close};

static const imgcoder_container container = {
    .struct_size = sizeof(imgcoder_container), .default_plays = 1, .dictionary = IMGCODER_TEXT("{Liar}"),
    .unclamped_delay = IMGCODER_TEXT("UnclampedDelayTime"), .delay = IMGCODER_TEXT("DelayTime"),
    .loop_count = IMGCODER_TEXT("LoopCount")};

static const imgcoder_coder coder = {
    .struct_size = sizeof(imgcoder_coder), .id = IMGCODER_TEXT("org.example.liar"), .version = IMGCODER_TEXT("1.0.0"),
    .container = &container, .reader = &reader_table};

const imgcoder_coder *fuzzing_liar(const imgcoder_host *host) {
  (void)host;
  return &coder;
}
