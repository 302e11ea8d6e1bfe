// SPDX-License-Identifier: Apache-2.0
//
// A coder of the QOI format in plain C, against the installed headers alone. It is the model for a plugin's author:
//
//   cc -std=c99 -shared -fPIC -O2 -fvisibility=hidden -I include -o libqoi.so qoi.c
//
// What the bytes mean is in chunks.h; here is what every plugin has: a reader, a writer, the coder and the entry.

#include <stdarg.h>
#include <stdio.h>

#include "chunks.h"
#include "imgcoder/imgcoder.h"

static const imgcoder_string uti = IMGCODER_TEXT("io.qoiformat.qoi");

// Tells the host why a call fails (rule R14) and passes the status on.
static imgcoder_status fail(const imgcoder_host *host, imgcoder_status status, int64_t offset, const char *format,
                            ...) {
  char text[160];
  imgcoder_string message = {text, 0};
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length > 0) message.length = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
  return host->fail(host, status, offset, message);
}

// Reading. An open file: the host keeps its bytes until `close`.

struct imgcoder_reader {
  const imgcoder_host *host;
  const uint8_t *bytes;
  uint64_t end;  // of the chunks: where the end marker begins, or the file ends
  uint32_t width, height, channels, is_linear;
};

static uint32_t big_endian(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static imgcoder_status reader_open(const imgcoder_coder *coder, const imgcoder_host *host,
                                   const imgcoder_source *source, const imgcoder_open_options *options,
                                   imgcoder_reader **result) {
  (void)coder, (void)options;
  const imgcoder_limits *limits = host->limits;
  const uint8_t *bytes;
  uint64_t size;
  imgcoder_status status = source->view(source, 0, UINT64_MAX, &bytes, &size);
  if (status != IMGCODER_STATUS_OK) return status;
  if (size == 0 || memcmp(bytes, "qoif", size < 4 ? (size_t)size : 4) != 0)
    return fail(host, IMGCODER_STATUS_WRONG_FORMAT, 0, "the file does not begin with \"qoif\"");
  if (size < HEADER_SIZE)
    return fail(host, IMGCODER_STATUS_TRUNCATED, (int64_t)size, "%d bytes; the header has %d", (int)size, HEADER_SIZE);
  uint32_t width = big_endian(bytes + 4), height = big_endian(bytes + 8);
  if (width == 0 || height == 0)
    return fail(host, IMGCODER_STATUS_MALFORMED, 4, "a canvas of %ux%u, at least 1x1 is needed", width, height);
  if (bytes[12] != 3 && bytes[12] != 4)
    return fail(host, IMGCODER_STATUS_MALFORMED, 12, "%u channels, 3 and 4 are allowed", bytes[12]);
  if (bytes[13] > 1)
    return fail(host, IMGCODER_STATUS_MALFORMED, 13, "colorspace %u, 0 and 1 are allowed", bytes[13]);
  // R7: limits before memory. The product of two 32-bit numbers fits 64 bits.
  // Reported through `fail`, as plugins do that do not know `fail_with`: the host finds the name in the sentence.
  if (width > limits->max_side || height > limits->max_side)
    return fail(host, IMGCODER_STATUS_LIMIT_EXCEEDED, 4, "a canvas of %ux%u; max_side allows %u", width, height,
                limits->max_side);
  if ((uint64_t)width * height > limits->max_pixels)
    return fail(host, IMGCODER_STATUS_LIMIT_EXCEEDED, 4, "a canvas of %ux%u; max_pixels allows %llu", width, height,
                (unsigned long long)limits->max_pixels);
  imgcoder_reader *reader = host->allocate(host, sizeof *reader, 0);
  if (!reader) return fail(host, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for %u bytes", (unsigned)sizeof *reader);
  int is_whole = size >= HEADER_SIZE + MARKER_SIZE && memcmp(bytes + size - MARKER_SIZE, end_marker, MARKER_SIZE) == 0;
  uint64_t end = is_whole ? size - MARKER_SIZE : size;
  *reader = (imgcoder_reader){host, bytes, end, width, height, bytes[12], bytes[13]};
  *result = reader;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status no_such(imgcoder_reader *reader, uint32_t page, uint32_t frame) {
  return fail(reader->host, IMGCODER_STATUS_INVALID_ARGUMENT, -1, "page %u, frame %u; there is one of each", page,
              frame);
}

// The host's structs have every field of version 1.0 and may have more; `struct_size` stays as the host set it.
static imgcoder_status reader_info(imgcoder_reader *reader, uint32_t page, imgcoder_info *info) {
  if (page != 0) return no_such(reader, page, 0);
  info->flags = IMGCODER_INFO_LOSSLESS;
  info->width = reader->width;
  info->height = reader->height;
  info->pixel_format = reader->channels == 4 ? IMGCODER_PIXEL_RGBA8 : IMGCODER_PIXEL_RGB8;
  info->bits_per_channel = 8;
  info->alpha = reader->channels == 4 ? IMGCODER_ALPHA_STRAIGHT : IMGCODER_ALPHA_OPAQUE;
  info->orientation = info->frame_count = info->page_count = 1;
  // ITU-T H.273: primaries of BT.709, the transfer function of sRGB or none, RGB, full range.
  info->cicp.primaries = 1;
  info->cicp.transfer = reader->is_linear ? 8 : 13;
  info->cicp.full_range = 1;
  info->format = uti;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_frame_info(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                         imgcoder_frame_info *info) {
  if (page != 0 || frame != 0) return no_such(reader, page, frame);
  info->flags = reader->channels == 4 ? IMGCODER_FRAME_HAS_ALPHA : 0;
  info->width = reader->width;
  info->height = reader->height;
  return IMGCODER_STATUS_OK;
}

// Rows are always RGBA: what the host would rather have, it makes of them.
static imgcoder_status reader_negotiate(imgcoder_reader *reader, const imgcoder_request *request,
                                        imgcoder_offer *offer) {
  if (request->page != 0 || request->frame != 0) return no_such(reader, request->page, request->frame);
  offer->width = reader->width;
  offer->height = reader->height;
  offer->pixel_format = IMGCODER_PIXEL_RGBA8;
  offer->alpha = reader->channels == 4 ? IMGCODER_ALPHA_STRAIGHT : IMGCODER_ALPHA_OPAQUE;
  offer->row_order = IMGCODER_ROWS_TOP_DOWN;
  if (request->width && request->width < offer->width) offer->unmet |= IMGCODER_UNMET_SIZE;
  if (request->pixel_format != offer->pixel_format) offer->unmet |= IMGCODER_UNMET_PIXEL_FORMAT;
  if (request->alpha != offer->alpha) offer->unmet |= IMGCODER_UNMET_ALPHA;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_decode(imgcoder_reader *reader, const imgcoder_offer *offer, const imgcoder_sink *sink) {
  chunks c = {reader->bytes + HEADER_SIZE, reader->bytes + reader->end, {{0, 0, 0, 0}}, {0, 0, 0, 255}, 0};
  for (uint32_t y = 0; y < reader->height; y++) {
    imgcoder_rows rows;
    imgcoder_status status = sink->rows(sink, y, 1, &rows);
    if (status != IMGCODER_STATUS_OK) return status;
    for (pixel *p = (pixel *)rows.pixels, *end = p + reader->width; p < end; p++) {
      if (!next_pixel(&c))  // R9: the rows above are done
        return fail(reader->host, IMGCODER_STATUS_TRUNCATED, c.next - reader->bytes, "the pixels end in row %u of %u",
                    y, reader->height);
      *p = c.previous;
      if (offer->alpha == IMGCODER_ALPHA_OPAQUE) p->a = 255;
    }
    status = sink->done(sink, y, 1, 0);
    if (status != IMGCODER_STATUS_OK) return status;
  }
  return IMGCODER_STATUS_OK;
}

static void reader_close(imgcoder_reader *reader) { reader->host->free(reader->host, reader); }

static const imgcoder_reader_table reader_table = {
    .struct_size = sizeof(imgcoder_reader_table), .open = reader_open, .info = reader_info, .close = reader_close,
    .frame_info = reader_frame_info, .negotiate = reader_negotiate, .decode = reader_decode};

// Writing. Rows are encoded as they are handed over; the only memory is one row's worst case.

struct imgcoder_writer {
  const imgcoder_host *host;
  const imgcoder_output *output;
  uint32_t frames;
  int is_lossless, is_linear;
};

static imgcoder_status writer_open(const imgcoder_coder *coder, const imgcoder_host *host,
                                   const imgcoder_output *output, const imgcoder_write_options *options,
                                   imgcoder_writer **result) {
  (void)coder;
  if (options->format.length != uti.length || memcmp(options->format.bytes, uti.bytes, (size_t)uti.length) != 0)
    return fail(host, IMGCODER_STATUS_UNSUPPORTED, -1, "a format other than io.qoiformat.qoi");
  imgcoder_writer *writer = host->allocate(host, sizeof *writer, 0);
  if (!writer) return fail(host, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for a writer");
  int is_lossless = (options->flags & IMGCODER_WRITE_LOSSLESS) != 0;
  int is_linear = options->value_count > 0 && options->values[0]->number == 1;  // the only option there is
  *writer = (imgcoder_writer){host, output, 0, is_lossless, is_linear};
  *result = writer;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status writer_negotiate(imgcoder_writer *writer, imgcoder_pixel_format wanted, imgcoder_alpha alpha,
                                        imgcoder_pixel_format *accepted, imgcoder_alpha *accepted_alpha) {
  int is_deep =
      wanted == IMGCODER_PIXEL_GRAY16 || wanted == IMGCODER_PIXEL_GRAY_ALPHA16 || wanted >= IMGCODER_PIXEL_RGBA16;
  if (is_deep && writer->is_lossless)
    return fail(writer->host, IMGCODER_STATUS_UNSUPPORTED, -1, "pixel format %u without loss; samples have 8 bits",
                wanted);
  *accepted = IMGCODER_PIXEL_RGBA8;
  *accepted_alpha = alpha == IMGCODER_ALPHA_OPAQUE ? IMGCODER_ALPHA_OPAQUE : IMGCODER_ALPHA_STRAIGHT;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status writer_set_info(imgcoder_writer *writer, const imgcoder_info *info) {
  uint8_t header[HEADER_SIZE] = {'q', 'o', 'i', 'f'};
  for (int i = 0; i < 4; i++) {
    header[4 + i] = (uint8_t)(info->width >> (24 - 8 * i));
    header[8 + i] = (uint8_t)(info->height >> (24 - 8 * i));
  }
  header[12] = info->alpha == IMGCODER_ALPHA_OPAQUE ? 3 : 4;
  header[13] = (uint8_t)writer->is_linear;
  return writer->output->write(writer->output, header, sizeof header);
}

static imgcoder_status writer_add_frame(imgcoder_writer *writer, const imgcoder_frame_info *frame,
                                        const imgcoder_pixels *pixels) {
  (void)frame;
  const imgcoder_host *host = writer->host;
  if (writer->frames++ > 0) return fail(host, IMGCODER_STATUS_UNSUPPORTED, -1, "a second frame; a file holds one");
  uint8_t *row = host->allocate(host, (uint64_t)pixels->width * 5 + 1, 0);
  if (!row) return fail(host, IMGCODER_STATUS_OUT_OF_MEMORY, -1, "no memory for a row of %u pixels", pixels->width);
  chunks c = {NULL, NULL, {{0, 0, 0, 0}}, {0, 0, 0, 255}, 0};
  imgcoder_status status = IMGCODER_STATUS_OK;
  for (uint32_t y = 0; y < pixels->height && status == IMGCODER_STATUS_OK; y++) {
    const pixel *p = (const pixel *)(pixels->pixels + y * pixels->stride);
    uint8_t *out = row;
    for (const pixel *end = p + pixels->width; p < end; p++) {
      if (c.run == LONGEST_RUN || (c.run > 0 && !same(*p, c.previous))) out = put_run(out, &c);
      if (same(*p, c.previous)) c.run++;
      else out = put_pixel(out, &c, *p);
    }
    if (c.run > 0 && y + 1 == pixels->height) out = put_run(out, &c);
    status = host->is_cancelled(host) ? IMGCODER_STATUS_CANCELLED
                                      : writer->output->write(writer->output, row, (uint64_t)(out - row));
  }
  host->free(host, row);
  return status;
}

static imgcoder_status writer_finish(imgcoder_writer *writer) {
  if (writer->frames == 0) return fail(writer->host, IMGCODER_STATUS_OUT_OF_ORDER, -1, "finish without a frame");
  return writer->output->write(writer->output, end_marker, MARKER_SIZE);
}

static void writer_close(imgcoder_writer *writer) { writer->host->free(writer->host, writer); }

static const imgcoder_writer_table writer_table = {
    .struct_size = sizeof(imgcoder_writer_table), .open = writer_open, .negotiate = writer_negotiate,
    .set_info = writer_set_info, .add_frame = writer_add_frame, .finish = writer_finish, .close = writer_close};

static const imgcoder_string colorspaces[] = {IMGCODER_TEXT("srgb"), IMGCODER_TEXT("linear")};
static const imgcoder_option colorspace = {
    .struct_size = sizeof(imgcoder_option), .type = IMGCODER_OPTION_CHOICE, .name = IMGCODER_TEXT("colorspace"),
    .text = IMGCODER_TEXT("What the header says of the samples."), .choices = colorspaces, .choice_count = 2};
static const imgcoder_option *const options[] = {&colorspace};

static const imgcoder_coder coder = {
    .struct_size = sizeof(imgcoder_coder), .id = IMGCODER_TEXT("org.example.qoi"), .version = IMGCODER_TEXT("1.0.0"),
    .reader = &reader_table, .writer = &writer_table, .options = options, .option_count = 1};

static const imgcoder_coder *describe(const imgcoder_host *host) { return host ? &coder : NULL; }

IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
    .struct_size = sizeof(imgcoder_entry), .abi_major = IMGCODER_ABI_MAJOR, .abi_minor = IMGCODER_ABI_MINOR,
    .magic = IMGCODER_ENTRY_MAGIC, .describe = describe};
