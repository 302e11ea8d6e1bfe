// SPDX-License-Identifier: Apache-2.0
//
// Reads "REEL", the number of the poster frame, and a byte for each frame: its gray level, or 0 for one that is damaged. How
// many frames there are the reader never learns: it only looks whether the next one is there. It counts how often it had
// to walk back, and how many frames somebody asked about. Two hidden pages: a gain map, and one of a kind of the future.

#include <imgcoder/imgcoder.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 4, HEIGHT = 2, HEADER = 5, NAME_BYTES = 2000 };

struct imgcoder_reader {
  const imgcoder_host *host;
  const imgcoder_source *source;
  uint32_t poster;
  uint32_t described;    // frames, at most one after the last
  uint32_t next;         // the frame after the one that was decoded last
  uint32_t walked_back;  // times that an earlier frame was decoded
  char name[NAME_BYTES];
};

static imgcoder_status fail_open(const imgcoder_host *host, imgcoder_status status, const char *text) {
  imgcoder_string message = {text, strlen(text)};
  return host->fail(host, status, -1, message);
}

static imgcoder_status fail(imgcoder_reader *reader, imgcoder_status status, const char *text) {
  return fail_open(reader->host, status, text);
}

static imgcoder_status reader_open(const imgcoder_coder *coder, const imgcoder_host *host,
                                   const imgcoder_source *source, const imgcoder_open_options *options,
                                   imgcoder_reader **result) {
  const uint8_t *bytes;
  uint64_t length;
  (void)coder, (void)options;
  imgcoder_status status = source->view(source, 0, HEADER + 1, &bytes, &length);
  if (status) return status;
  if (length < 4 || memcmp(bytes, "REEL", 4)) return fail_open(host, IMGCODER_STATUS_WRONG_FORMAT, "no REEL");
  if (length < HEADER + 1) return fail_open(host, IMGCODER_STATUS_TRUNCATED, "a reel without a frame");
  if (host->limits->max_side < WIDTH || host->limits->max_pixels < WIDTH * HEIGHT)
    return fail_open(host, IMGCODER_STATUS_LIMIT_EXCEEDED, "frames of 4 by 2 pixels");
  imgcoder_reader *reader = host->allocate(host, sizeof *reader, 16);
  if (!reader) return IMGCODER_STATUS_OUT_OF_MEMORY;
  memset(reader, 0, sizeof *reader);
  reader->host = host;
  reader->source = source;
  reader->poster = bytes[4];
  memset(reader->name, 'n', NAME_BYTES);
  *result = reader;
  return IMGCODER_STATUS_OK;
}

// The gray level of a frame.
static imgcoder_status level(imgcoder_reader *reader, uint32_t frame, uint8_t *found) {
  const uint8_t *bytes;
  uint64_t length;
  imgcoder_status status = reader->source->view(reader->source, (uint64_t)HEADER + frame, 1, &bytes, &length);
  if (status) return status;
  if (!length) return fail(reader, IMGCODER_STATUS_INVALID_ARGUMENT, "no such frame");
  if (!bytes[0]) return fail(reader, IMGCODER_STATUS_MALFORMED, "a frame that is damaged");
  *found = bytes[0];
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_info(imgcoder_reader *reader, uint32_t page, imgcoder_info *info) {
  static const imgcoder_string uti = IMGCODER_TEXT("org.example.reel"), map = IMGCODER_TEXT("a map");
  if (page > 2) return fail(reader, IMGCODER_STATUS_INVALID_ARGUMENT, "three pages, of which two are hidden");
  info->width = page ? 1 : WIDTH;
  info->height = page ? 1 : HEIGHT;
  info->pixel_format = IMGCODER_PIXEL_GRAY8;
  info->bits_per_channel = 8;
  info->frame_count = info->page_count = 1;
  info->format = uti;
  IMGCODER_SET(info, imgcoder_info, hidden_page_count, 2);
  if (page == 0) {
    info->flags = IMGCODER_INFO_ANIMATED;
    if (IMGCODER_HAS(info, imgcoder_info, access)) info->flags |= IMGCODER_INFO_FRAMES_UNKNOWN;
    IMGCODER_SET(info, imgcoder_info, duration, 83.5);
    IMGCODER_SET(info, imgcoder_info, poster_frame, reader->poster);
    IMGCODER_SET(info, imgcoder_info, access, IMGCODER_ACCESS_FIRST);
    return IMGCODER_STATUS_OK;
  }
  imgcoder_string name = {reader->name, NAME_BYTES};
  IMGCODER_SET(info, imgcoder_info, page_kind, page == 1 ? IMGCODER_PAGE_GAIN_MAP : 77);
  IMGCODER_SET(info, imgcoder_info, page_name, page == 1 ? map : name);
  if (page == 1) {
    info->cicp.primaries = 9;
    info->cicp.transfer = 16;
    info->cicp.matrix = 9;
  } else {
    IMGCODER_SET(info, imgcoder_info, page_x, -3);
    IMGCODER_SET(info, imgcoder_info, page_y, 5);
  }
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_frame_info(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                         imgcoder_frame_info *info) {
  uint8_t gray = 1;
  imgcoder_info of_page = {.struct_size = sizeof of_page};
  imgcoder_status status = reader_info(reader, page, &of_page);
  if (!status && page && frame) status = fail(reader, IMGCODER_STATUS_INVALID_ARGUMENT, "one frame");
  if (!page && frame >= reader->described) reader->described = frame + 1;
  if (!status && !page) status = level(reader, frame, &gray);
  if (status) return status;
  info->width = of_page.width;
  info->height = of_page.height;
  info->delay_numerator = 1;
  info->delay_denominator = 10;
  info->depends_on = UINT32_MAX;
  info->flags = frame ? 0 : IMGCODER_FRAME_IS_KEY;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_negotiate(imgcoder_reader *reader, const imgcoder_request *request,
                                        imgcoder_offer *offer) {
  uint8_t gray;
  imgcoder_info info = {.struct_size = sizeof info};
  imgcoder_status status = reader_info(reader, request->page, &info);
  if (!status && request->page && request->frame)
    status = fail(reader, IMGCODER_STATUS_INVALID_ARGUMENT, "one frame");
  if (!status && !request->page) status = level(reader, request->frame, &gray);
  if (status) return status;
  offer->width = info.width;
  offer->height = info.height;
  offer->pixel_format = IMGCODER_PIXEL_GRAY8;
  offer->alpha = IMGCODER_ALPHA_OPAQUE;
  offer->row_order = IMGCODER_ROWS_TOP_DOWN;
  if (request->pixel_format && request->pixel_format != IMGCODER_PIXEL_GRAY8)
    offer->unmet |= IMGCODER_UNMET_PIXEL_FORMAT;
  if ((request->width || request->height) && (request->width != info.width || request->height != info.height))
    offer->unmet |= IMGCODER_UNMET_SIZE;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_decode(imgcoder_reader *reader, const imgcoder_offer *offer, const imgcoder_sink *sink) {
  uint8_t gray = 9;
  if (!offer->page) {
    imgcoder_status status = level(reader, offer->frame, &gray);
    if (status) return status;
    if (offer->frame < reader->next) reader->walked_back++;
    reader->next = offer->frame + 1;
  }
  for (uint32_t y = 0; y < offer->height;) {
    imgcoder_rows rows;
    imgcoder_status status = sink->rows(sink, y, offer->height - y, &rows);
    if (status) return status;
    for (uint32_t row = 0; row < rows.count; row++) memset(rows.pixels + row * rows.stride, gray, offer->width);
    status = sink->done(sink, y, rows.count, 0);
    if (status) return status;
    y += rows.count;
  }
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_metadata(imgcoder_reader *reader, uint32_t page, imgcoder_metadata_kind kind,
                                       const uint8_t **bytes, uint64_t *length) {
  static const uint8_t map[5] = {1, 2, 3, 4, 5}, profile[3] = {6, 7, 8};
  imgcoder_info info = {.struct_size = sizeof info};
  imgcoder_status status = reader_info(reader, page, &info);
  if (status) return status;
  if (page != 1 || (kind != IMGCODER_METADATA_GAIN_MAP && kind != IMGCODER_METADATA_ALTERNATE_ICC))
    return IMGCODER_STATUS_NOT_PRESENT;
  *bytes = kind == IMGCODER_METADATA_GAIN_MAP ? map : profile;
  *length = kind == IMGCODER_METADATA_GAIN_MAP ? sizeof map : sizeof profile;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_properties(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                         const imgcoder_properties *properties) {
  static const imgcoder_string group = IMGCODER_TEXT("{Reel}"), walked = IMGCODER_TEXT("WalkedBack"),
                               described = IMGCODER_TEXT("FramesDescribed");
  imgcoder_frame_info info = {.struct_size = sizeof info};
  uint32_t before = reader->described;
  imgcoder_status status = reader_frame_info(reader, page, frame == UINT32_MAX ? 0 : frame, &info);
  reader->described = before;
  if (status || frame != UINT32_MAX || page) return status;
  properties->begin(properties, group);
  properties->put_integer(properties, walked, reader->walked_back);
#ifdef TELLS_CALLS
  properties->put_integer(properties, described, reader->described);
#else
  (void)described;  /* Calls differ from host to host, and so would the properties. */
#endif
  properties->end(properties);
  return IMGCODER_STATUS_OK;
}

static void reader_close(imgcoder_reader *reader) { reader->host->free(reader->host, reader); }

static const imgcoder_reader_table table = {
    .struct_size = sizeof table,
    .open = reader_open,
    .info = reader_info,
    .frame_info = reader_frame_info,
    .negotiate = reader_negotiate,
    .decode = reader_decode,
    .metadata = reader_metadata,
    .properties = reader_properties,
    .close = reader_close,
};

static const imgcoder_coder coder = {
    .struct_size = sizeof coder,
    .id = IMGCODER_TEXT("org.example.uncounted"),
    .version = IMGCODER_TEXT("1.0.0"),
    .reader = &table,
};

static const imgcoder_coder *describe(const imgcoder_host *host) { return host ? &coder : NULL; }

IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
    sizeof(imgcoder_entry), IMGCODER_ABI_MAJOR, IMGCODER_ABI_MINOR, 0, IMGCODER_ENTRY_MAGIC, describe};
