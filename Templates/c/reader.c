// Reads files of the format flipbook. R7, R9: rules of imgcoder/plugin.h.

#include "format.h"

static const imgcoder_string uti = IMGCODER_TEXT("org.example.flipbook");

struct imgcoder_reader {
  const imgcoder_host *host;
  const imgcoder_source *source;
  uint16_t width, height, frame_count, plays;
  uint8_t flags;
  frame *frames;
  uint32_t known;        // frames whose headers were read
  uint64_t next;         // where the header of the next frame begins
  imgcoder_status end;   // why no more frames can be found: OK, TRUNCATED or MALFORMED
  int is_incremental;
};

// Reads the header of the next frame. In an incremental session this waits for its bytes, and for no others.
static imgcoder_status read_frame_header(imgcoder_reader *reader) {
  const imgcoder_host *host = reader->host;
  const uint8_t *p;
  uint64_t length;
  imgcoder_status status = imgcoder_source_view_available(reader->source, reader->next, FRAME_HEADER_SIZE,
                                                          FRAME_HEADER_SIZE, &p, &length);
  if (status != IMGCODER_STATUS_OK) return status;
  if (length < FRAME_HEADER_SIZE)
    return fail(host, reader->end = IMGCODER_STATUS_TRUNCATED, reader->next + length,
                "the header of frame %u has %u bytes, %d are left", reader->known, FRAME_HEADER_SIZE, (int)length);
  frame f = {reader->next + FRAME_HEADER_SIZE, get32(p + 12), get16(p),     get16(p + 2), get16(p + 4),
             get16(p + 6),                     get16(p + 8),  p[10], p[11]};
  if (f.width == 0 || f.height == 0 || f.x + f.width > reader->width || f.y + f.height > reader->height)
    return fail(host, reader->end = IMGCODER_STATUS_MALFORMED, reader->next,
                "frame %u is %ux%u at %u,%u on a canvas of %ux%u", reader->known, f.width, f.height, f.x, f.y,
                reader->width, reader->height);
  if (!(reader->flags & IS_ANIMATED) && (f.width != reader->width || f.height != reader->height))
    return fail(host, reader->end = IMGCODER_STATUS_MALFORMED, reader->next + 4,
                "a still picture of %ux%u on a canvas of %ux%u", f.width, f.height, reader->width, reader->height);
  if (f.disposal > IMGCODER_DISPOSAL_RESTORE_PREVIOUS)
    return fail(host, reader->end = IMGCODER_STATUS_MALFORMED, reader->next + 10, "disposal %u, 0 to 2 are allowed",
                f.disposal);
  if (f.blend > IMGCODER_BLEND_OVER)
    return fail(host, reader->end = IMGCODER_STATUS_MALFORMED, reader->next + 11, "blend %u, 0 and 1 are allowed",
                f.blend);
  reader->frames[reader->known++] = f;
  reader->next = f.data + f.length;
  return IMGCODER_STATUS_OK;
}

// Finds a frame, so that any can be decoded in any order.
static imgcoder_status find_frame(imgcoder_reader *reader, uint32_t page, uint32_t index) {
  if (page != 0)
    return fail(reader->host, IMGCODER_STATUS_INVALID_ARGUMENT, NO_OFFSET, "page %u of a file that has 1", page);
  if (index >= reader->frame_count)
    return fail(reader->host, IMGCODER_STATUS_INVALID_ARGUMENT, NO_OFFSET, "frame %u of a file that has %u", index,
                reader->frame_count);
  imgcoder_status status = IMGCODER_STATUS_OK;
  while (reader->known <= index && status == IMGCODER_STATUS_OK) status = read_frame_header(reader);
  return status;
}

static void reader_close(imgcoder_reader *reader) {
  const imgcoder_host *host = reader->host;
  host->free(host, reader->frames);
  host->free(host, reader);
}

static imgcoder_status reader_open(const imgcoder_coder *coder, const imgcoder_host *host,
                                   const imgcoder_source *source, const imgcoder_open_options *options,
                                   imgcoder_reader **result) {
  (void)coder;
  const imgcoder_limits *limits = host->limits;
  const uint8_t *p;
  uint64_t length;
  imgcoder_status status = imgcoder_source_view_available(source, 0, HEADER_SIZE, HEADER_SIZE, &p, &length);
  if (status != IMGCODER_STATUS_OK) return status;
  if (length == 0 || memcmp(p, "FLIP", length < 4 ? (size_t)length : 4) != 0)
    return fail(host, IMGCODER_STATUS_WRONG_FORMAT, 0, "the file does not begin with \"FLIP\"");
  if (length < HEADER_SIZE)
    return fail(host, IMGCODER_STATUS_TRUNCATED, length, "%d bytes, the header has %d", (int)length, HEADER_SIZE);
  if (p[4] != 1) return fail(host, IMGCODER_STATUS_UNSUPPORTED, 4, "version %u, version 1 is supported", p[4]);
  if (p[5] > IS_ANIMATED)
    return fail(host, IMGCODER_STATUS_MALFORMED, 5, "flags of 0x%02x, 0 and 1 are allowed", p[5]);
  imgcoder_reader header = {host, source, get16(p + 6), get16(p + 8), get16(p + 10), get16(p + 12), p[5],
                            NULL, 0,      HEADER_SIZE,  IMGCODER_STATUS_OK, 0};
  if (header.width == 0 || header.height == 0)
    return fail(host, IMGCODER_STATUS_MALFORMED, 6, "a canvas of %ux%u, at least 1x1 is needed", header.width,
                header.height);
  if (header.frame_count == 0 || (header.frame_count > 1 && !(header.flags & IS_ANIMATED)))
    return fail(host, IMGCODER_STATUS_MALFORMED, 10, "%u frames; a still has 1, an animation 1 to 65535",
                header.frame_count);
  // R7: limits before memory, each by its name.
  uint32_t side = header.width > header.height ? header.width : header.height;
  if (side > limits->max_side)
    return fail_limit(host, IMGCODER_LIMIT_SIDE, side, limits->max_side, 6, "a side of");
  uint64_t pixels = (uint64_t)header.width * header.height;
  if (pixels > limits->max_pixels)
    return fail_limit(host, IMGCODER_LIMIT_PIXELS, pixels, limits->max_pixels, 6, "a pixel count of");
  if (header.frame_count > limits->max_frames)
    return fail_limit(host, IMGCODER_LIMIT_FRAMES, header.frame_count, limits->max_frames, 10, "a frame count of");
  header.is_incremental = options && (options->flags & IMGCODER_OPEN_INCREMENTAL);
  imgcoder_reader *reader = host->allocate(host, sizeof *reader, 0);
  header.frames = host->allocate(host, header.frame_count * sizeof(frame), 0);
  if (!reader || !header.frames) {
    host->free(host, reader);
    host->free(host, header.frames);
    return fail(host, IMGCODER_STATUS_OUT_OF_MEMORY, NO_OFFSET, "no memory for %u frames", header.frame_count);
  }
  *reader = header;
  // A file without its first frame shows nothing.
  status = read_frame_header(reader);
  if (status != IMGCODER_STATUS_OK) reader_close(reader);
  else *result = reader;
  return status;
}

// The host's structs have every field of version 1.0 and may have more; `struct_size` stays as the host set it.
static imgcoder_status reader_info(imgcoder_reader *reader, uint32_t page, imgcoder_info *info) {
  imgcoder_status status = find_frame(reader, page, 0);
  if (status != IMGCODER_STATUS_OK) return status;
  info->flags = IMGCODER_INFO_LOSSLESS;
  if (reader->flags & IS_ANIMATED) info->flags |= IMGCODER_INFO_ANIMATED | IMGCODER_INFO_PLAYS_STATED;
  if (reader->is_incremental && reader->source->size == UINT64_MAX) {
    info->flags |= IMGCODER_INFO_INCOMPLETE;  // frame_count is what is known so far; nothing waits here
  } else {
    // Counts the frames that the file really has. A damaged frame ends the count, and is no error of this call.
    while (reader->known < reader->frame_count && reader->end == IMGCODER_STATUS_OK) {
      status = read_frame_header(reader);
      if (status != IMGCODER_STATUS_OK && status != reader->end) return status;
    }
    int is_short = reader->end == IMGCODER_STATUS_TRUNCATED || reader->next > reader->source->size;
    if (is_short) info->flags |= IMGCODER_INFO_TRUNCATED;
    if (reader->end == IMGCODER_STATUS_MALFORMED) info->flags |= IMGCODER_INFO_DAMAGED;
  }
  info->width = reader->width;
  info->height = reader->height;
  info->pixel_format = IMGCODER_PIXEL_RGBA8;
  info->bits_per_channel = 8;
  info->alpha = IMGCODER_ALPHA_STRAIGHT;
  info->orientation = info->page_count = 1;
  info->frame_count = reader->known;
  info->plays = reader->plays;
  info->format = uti;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_frame_info(imgcoder_reader *reader, uint32_t page, uint32_t index,
                                         imgcoder_frame_info *info) {
  imgcoder_status status = find_frame(reader, page, index);
  if (status != IMGCODER_STATUS_OK) return status;
  const frame *f = &reader->frames[index];
  info->flags = IMGCODER_FRAME_HAS_ALPHA;
  info->x = f->x;
  info->y = f->y;
  info->width = f->width;
  info->height = f->height;
  info->delay_numerator = f->delay;
  info->delay_denominator = 1000;
  info->disposal = f->disposal;
  info->blend = f->blend;
  info->depends_on = UINT32_MAX;  // the host works it out
  return IMGCODER_STATUS_OK;
}

// Rows are always RGBA with straight alpha and in the frame's own size; the host does the rest.
static imgcoder_status reader_negotiate(imgcoder_reader *reader, const imgcoder_request *request,
                                        imgcoder_offer *offer) {
  imgcoder_status status = find_frame(reader, request->page, request->frame);
  if (status != IMGCODER_STATUS_OK) return status;
  offer->width = reader->frames[request->frame].width;
  offer->height = reader->frames[request->frame].height;
  offer->pixel_format = IMGCODER_PIXEL_RGBA8;
  offer->alpha = IMGCODER_ALPHA_STRAIGHT;
  offer->row_order = IMGCODER_ROWS_TOP_DOWN;
  if (request->width != 0 && request->width < offer->width) offer->unmet |= IMGCODER_UNMET_SIZE;
  if (request->pixel_format != offer->pixel_format) offer->unmet |= IMGCODER_UNMET_PIXEL_FORMAT;
  if (request->alpha != offer->alpha) offer->unmet |= IMGCODER_UNMET_ALPHA;
  return IMGCODER_STATUS_OK;
}

// A window on the packets of a frame.
typedef struct input {
  imgcoder_reader *reader;
  const uint8_t *bytes;
  uint64_t left, position, end;
} input;

// Makes at least `count` bytes available.
static imgcoder_status need(input *in, uint64_t count) {
  if (in->left >= count) return IMGCODER_STATUS_OK;
  uint64_t rest = in->end - in->position;
  const imgcoder_host *host = in->reader->host;
  if (rest < count)
    return fail(host, IMGCODER_STATUS_MALFORMED, in->position, "a packet of %llu bytes, the frame has %llu left",
                (unsigned long long)count, (unsigned long long)rest);
  imgcoder_status status = imgcoder_source_view_available(in->reader->source, in->position, count,
                                                          rest < 65536 ? rest : 65536, &in->bytes, &in->left);
  if (status != IMGCODER_STATUS_OK) return status;
  if (in->left < count)
    return fail(host, IMGCODER_STATUS_TRUNCATED, in->position + in->left, "a packet of %llu bytes, %llu are left",
                (unsigned long long)count, (unsigned long long)in->left);
  return IMGCODER_STATUS_OK;
}

static void skip(input *in, uint64_t count) {
  in->bytes += count;
  in->left -= count;
  in->position += count;
}

static imgcoder_status decode_row(input *in, uint8_t *out, uint32_t width) {
  for (uint32_t x = 0; x < width;) {
    imgcoder_status status = need(in, 1);
    if (status != IMGCODER_STATUS_OK) return status;
    uint32_t count = (in->bytes[0] & 127u) + 1, is_run = in->bytes[0] & IS_RUN;
    if (count > width - x)
      return fail(in->reader->host, IMGCODER_STATUS_MALFORMED, in->position,
                  "a packet of %u pixels, the row has %u left", count, width - x);
    uint64_t size = 1 + PIXEL_SIZE * (is_run ? 1u : (uint64_t)count);
    status = need(in, size);
    if (status != IMGCODER_STATUS_OK) return status;
    for (uint32_t i = 0; i < count; i++, out += PIXEL_SIZE)
      memcpy(out, in->bytes + 1 + (is_run ? 0 : i * PIXEL_SIZE), PIXEL_SIZE);
    skip(in, size);
    x += count;
  }
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_decode(imgcoder_reader *reader, const imgcoder_offer *offer, const imgcoder_sink *sink) {
  imgcoder_status status = find_frame(reader, offer->page, offer->frame);
  if (status != IMGCODER_STATUS_OK) return status;
  const frame *f = &reader->frames[offer->frame];
  input in = {reader, NULL, 0, f->data, f->data + f->length};
  for (uint32_t y = 0; y < f->height; y++) {
    imgcoder_rows rows;
    status = sink->rows(sink, y, 1, &rows);
    if (status == IMGCODER_STATUS_OK) status = decode_row(&in, rows.pixels, f->width);
    if (status == IMGCODER_STATUS_OK) status = sink->done(sink, y, 1, 0);
    if (status != IMGCODER_STATUS_OK) return status;  // R9: the rows above are done
  }
  return IMGCODER_STATUS_OK;
}

static const imgcoder_string dictionary = IMGCODER_TEXT("{Flipbook}"), delay_name = IMGCODER_TEXT("UnclampedDelayTime"),
                             loop_name = IMGCODER_TEXT("LoopCount");

static imgcoder_status reader_properties(imgcoder_reader *reader, uint32_t page, uint32_t index,
                                         const imgcoder_properties *properties) {
  imgcoder_status status = find_frame(reader, page, index == UINT32_MAX ? 0 : index);
  if (status != IMGCODER_STATUS_OK || !(reader->flags & IS_ANIMATED)) return status;
  properties->begin(properties, dictionary);
  if (index == UINT32_MAX) properties->put_integer(properties, loop_name, reader->plays);
  else properties->put_number(properties, delay_name, reader->frames[index].delay / 1000.0);
  properties->end(properties);
  return IMGCODER_STATUS_OK;
}

const imgcoder_reader_table reader_table = {
    .struct_size = sizeof(imgcoder_reader_table),
    .open = reader_open,
    .info = reader_info,
    .frame_info = reader_frame_info,
    .negotiate = reader_negotiate,
    .decode = reader_decode,
    .properties = reader_properties,
    .close = reader_close};
