// SPDX-License-Identifier: Apache-2.0
//
// A plugin that reads files beside its own. A file of it is the word SIBLING, a space, and names, one a line. Its picture is
// one pixel, and its XMP says for each name what the host answered: a status, and after a space the bytes.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "imgcoder/imgcoder.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

enum { PREFIX = 8, MOST = 1 << 16 };

struct imgcoder_reader {
  size_t length;
  char said[MOST];
};

static void say(imgcoder_reader *reader, const void *bytes, size_t length) {
  if (length > MOST - reader->length) length = MOST - reader->length;
  memcpy(reader->said + reader->length, bytes, length);
  reader->length += length;
}

static void ask(imgcoder_reader *reader, const imgcoder_host *host, const imgcoder_siblings_table *table,
                const char *name, size_t length) {
  imgcoder_string asked = {name, length};
  const imgcoder_source *source = NULL;
  const uint8_t *bytes;
  uint64_t count, place;
  char status[16];
  say(reader, status, (size_t)snprintf(status, sizeof status, "%u ", table->open(host, asked, &source)));
  if (source && !source->view(source, 0, UINT64_MAX, &bytes, &count)) say(reader, bytes, (size_t)count);
  // Once more in pieces of three bytes: the same, or a mark.
  for (place = 0; source && place < source->size; place += 3) {
    const uint8_t *part;
    uint64_t some, left = source->size - place;
    if (imgcoder_source_view_available(source, place, 1, 3, &part, &some) || some != (left < 3 ? left : 3) ||
        memcmp(part, bytes + place, (size_t)some))
      say(reader, "!", 1);
  }
  say(reader, "\n", 1);
}

static imgcoder_status reader_open(const imgcoder_coder *coder, const imgcoder_host *host,
                                   const imgcoder_source *source, const imgcoder_open_options *options,
                                   imgcoder_reader **result) {
  static const imgcoder_string id = TEXT(IMGCODER_EXTENSION_SIBLINGS);
  const imgcoder_siblings_table *table = host->get_extension(host, id);
  const uint8_t *bytes;
  uint64_t size;
  imgcoder_status status = source->view(source, 0, UINT64_MAX, &bytes, &size);
  (void)coder, (void)options;
  if (status) return status;
  if (size < PREFIX || memcmp(bytes, "SIBLING ", PREFIX)) return IMGCODER_STATUS_WRONG_FORMAT;
  imgcoder_reader *reader = calloc(1, sizeof *reader);
  char *names = malloc((size_t)size);
  if (!reader || !names) return IMGCODER_STATUS_OUT_OF_MEMORY;
  // A view of the source is over when the host is asked for something else.
  memcpy(names, bytes, (size_t)size);
  for (char *name = names + PREFIX, *end = names + size; table && name < end;) {
    char *stop = memchr(name, '\n', (size_t)(end - name));
    ask(reader, host, table, name, (size_t)((stop ? stop : end) - name));
    name = stop ? stop + 1 : end;
  }
  if (!table) say(reader, "no table\n", 9);
  free(names);
  *result = reader;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_info(imgcoder_reader *reader, uint32_t page, imgcoder_info *info) {
  static const imgcoder_string uti = TEXT("org.example.sibling");
  (void)reader, (void)page;
  info->width = info->height = info->frame_count = info->page_count = 1;
  info->pixel_format = IMGCODER_PIXEL_RGBA8;
  info->bits_per_channel = 8;
  info->alpha = IMGCODER_ALPHA_STRAIGHT;
  info->flags = IMGCODER_INFO_HAS_XMP;
  info->format = uti;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_frame_info(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                         imgcoder_frame_info *info) {
  (void)reader, (void)page, (void)frame;
  info->width = info->height = 1;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_negotiate(imgcoder_reader *reader, const imgcoder_request *request,
                                        imgcoder_offer *offer) {
  (void)reader, (void)request;
  offer->width = offer->height = 1;
  offer->pixel_format = IMGCODER_PIXEL_RGBA8;
  offer->alpha = IMGCODER_ALPHA_STRAIGHT;
  offer->row_order = IMGCODER_ROWS_TOP_DOWN;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_decode(imgcoder_reader *reader, const imgcoder_offer *offer, const imgcoder_sink *sink) {
  imgcoder_rows rows;
  (void)reader, (void)offer;
  imgcoder_status status = sink->rows(sink, 0, 1, &rows);
  if (status) return status;
  memset(rows.pixels, 7, 4);
  return sink->done(sink, 0, 1, 0);
}

static imgcoder_status reader_metadata(imgcoder_reader *reader, uint32_t page, imgcoder_metadata_kind kind,
                                       const uint8_t **bytes, uint64_t *length) {
  (void)page;
  if (kind != IMGCODER_METADATA_XMP) return IMGCODER_STATUS_NOT_PRESENT;
  *bytes = (const uint8_t *)reader->said;
  *length = reader->length;
  return IMGCODER_STATUS_OK;
}

static void reader_close(imgcoder_reader *reader) { free(reader); }

static const imgcoder_reader_table reader_table = {
    sizeof(imgcoder_reader_table), 0, reader_open, reader_info, reader_frame_info, reader_negotiate, reader_decode,
    reader_metadata, NULL, reader_close, NULL, NULL};
static const imgcoder_coder coder = {
    sizeof(imgcoder_coder), 0, NULL, TEXT("org.example.sibling"), TEXT("1.0.0"), TEXT(""), NULL, &reader_table, NULL,
    NULL, 0, NULL, NULL, NULL, 0};

static const imgcoder_coder *describe(const imgcoder_host *host) {
  (void)host;
  return &coder;
}

IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
    sizeof(imgcoder_entry), IMGCODER_ABI_MAJOR, IMGCODER_ABI_MINOR, 0, IMGCODER_ENTRY_MAGIC, describe};
