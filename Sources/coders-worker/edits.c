// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "worker.h"

static const void *extension(const imgcoder_coder *coder, const char *name) {
  imgcoder_coder described = imgcoder_coder_read(coder);
  imgcoder_string id = {name, strlen(name)};
  return described.get_extension ? described.get_extension(coder, id) : NULL;
}

static imgcoder_transcode_table transcoder(const imgcoder_coder *coder) {
  const void *found = extension(coder, IMGCODER_EXTENSION_TRANSCODE);
  return found ? imgcoder_transcode_table_read(found) : (imgcoder_transcode_table){0};
}

static imgcoder_metadata_blocks_table blocks(const imgcoder_coder *coder) {
  const void *found = extension(coder, IMGCODER_DRAFT_METADATA_BLOCKS);
  return found ? imgcoder_metadata_blocks_table_read(found) : (imgcoder_metadata_blocks_table){0};
}

static imgcoder_stored_geometry_table geometry(const imgcoder_coder *coder) {
  const void *found = extension(coder, IMGCODER_DRAFT_STORED_GEOMETRY);
  return found ? imgcoder_stored_geometry_table_read(found) : (imgcoder_stored_geometry_table){0};
}

static imgcoder_gain_map_files_table gain_maps(const imgcoder_coder *coder) {
  const void *found = extension(coder, IMGCODER_DRAFT_GAIN_MAP_FILES);
  return found ? imgcoder_gain_map_files_table_read(found) : (imgcoder_gain_map_files_table){0};
}

uint32_t edits_abilities(const imgcoder_coder *coder) {
  return (transcoder(coder).transcode ? ISOLATION_CAN_TRANSCODE : 0) |
         (blocks(coder).read ? ISOLATION_CAN_READ_BLOCKS : 0) | (blocks(coder).edit ? ISOLATION_CAN_EDIT_BLOCKS : 0) |
         (geometry(coder).write ? ISOLATION_CAN_TURN : 0) | (gain_maps(coder).attach ? ISOLATION_CAN_ATTACH : 0);
}

static imgcoder_status edit(parcel *parcel, imgcoder_string format) {
  session *s = &the_session;
  imgcoder_block_edits edits = imgcoder_block_edits_sized();
  parcel_take(parcel, &edits.kinds, sizeof edits.kinds);
  edits.icc = parcel_block(parcel);
  edits.exif = parcel_block(parcel);
  edits.xmp = parcel_block(parcel);
  edits.iptc = parcel_block(parcel);
  return blocks(s->coder).edit(s->coder, &s->host, &s->source, format, &edits, &the_output);
}

static imgcoder_status turn(parcel *parcel, imgcoder_string format) {
  session *s = &the_session;
  imgcoder_stored_part part;
  parcel_take(parcel, &part, sizeof part);
  return geometry(s->coder).write(s->coder, &s->host, &s->source, format, &part, &the_output);
}

static imgcoder_status attach(parcel *parcel, imgcoder_string format) {
  session *s = &the_session;
  uint32_t has_packet;
  parcel_take(parcel, &has_packet, sizeof has_packet);
  imgcoder_block file = parcel_block(parcel), iso = parcel_block(parcel), packet = parcel_block(parcel);
  imgcoder_gain_map_parts parts = imgcoder_gain_map_parts_sized();
  parts.file = file.bytes;
  parts.file_length = file.length;
  parts.iso = iso.bytes;
  parts.iso_length = iso.length;
  if (has_packet) {
    parts.xmp = packet.bytes;
    parts.xmp_length = packet.length;
  }
  return gain_maps(s->coder).attach(s->coder, &s->host, &s->source, format, &parts, &the_output);
}

// The program asks only for what the coder is able to do.
static imgcoder_status run(const isolation_message *request, parcel *parcel) {
  session *s = &the_session;
  imgcoder_string format = parcel_text(parcel);
  switch (request->kind) {
    case ISOLATION_TRANSCODE: {
      imgcoder_string to = parcel_text(parcel);
      return transcoder(s->coder).transcode(s->coder, &s->host, &s->source, format, to, &the_output);
    }
    case ISOLATION_BLOCK:
      return blocks(s->coder).read(s->coder, &s->host, &s->source, format, request->words[0], &the_output);
    case ISOLATION_EDIT: return edit(parcel, format);
    case ISOLATION_TURN: return turn(parcel, format);
    default: return attach(parcel, format);
  }
}

void edits_call(const isolation_message *request, int memory) {
  parcel parcel;
  if (!parcel_open(&parcel, request, memory)) return reply(IMGCODER_STATUS_OUT_OF_MEMORY, NULL, 0);
  bytes_update(request->longs[2], request->longs[3]);
  output_begin();
  imgcoder_status status = run(request, &parcel);
  parcel_close(&parcel);
  output_reply(status, NULL, 0);
  output_end();
}
