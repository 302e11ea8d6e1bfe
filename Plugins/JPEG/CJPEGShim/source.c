// SPDX-License-Identifier: Apache-2.0

#include "source.h"

#include <string.h>

// Bytes shown to libjpeg at a time. Its fast Huffman decoder stops a few KiB before the end of what it sees, so small
// windows cost time.
enum { WINDOW = 512 * 1024 };

static void look(decoder *decoder, uint64_t offset, uint64_t wanted, const uint8_t **bytes, uint64_t *length) {
  const imgcoder_source *source = decoder->source;
  imgcoder_status status = source->view(source, offset, wanted, bytes, length);
  if (status != IMGCODER_STATUS_OK) failure_escape((j_common_ptr)&decoder->cinfo, status);
}

static void look_some(decoder *decoder, uint64_t offset, uint64_t least, uint64_t wanted, const uint8_t **bytes,
                      uint64_t *length) {
  const imgcoder_source *source = decoder->source;
  imgcoder_status status = imgcoder_source_view_available(source, offset, least, wanted, bytes, length);
  if (status != IMGCODER_STATUS_OK) failure_escape((j_common_ptr)&decoder->cinfo, status);
}

// What libjpeg gets at least of an incremental file, so that one that comes byte by byte is not decoded byte by byte.
enum { LEAST = 4 * 1024 };

static boolean end_source(decoder *decoder) {
  static const JOCTET eoi[2] = {0xFF, JPEG_EOI};
  struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  // The arithmetic decoder reads zeros after the data without a word, so nobody can say how many were missing.
  if (!decoder->has_ended && cinfo->arith_code && !decoder->is_cut && cinfo->input_iMCU_row < cinfo->total_iMCU_rows) {
    decoder->is_cut = 1;
    decoder->cut_scan = cinfo->input_scan_number;
    decoder->cut_row = cinfo->input_iMCU_row;
  }
  decoder->has_ended = 1;
  decoder->manager.next_input_byte = eoi;
  decoder->manager.bytes_in_buffer = sizeof eoi;
  return TRUE;
}

static boolean fill(j_decompress_ptr cinfo) {
  decoder *decoder = cinfo->client_data;
  uint64_t wanted = WINDOW, length = 0;
  const uint8_t *bytes = NULL;
  if (decoder->has_ended) return end_source(decoder);
  while (decoder->next_skip < decoder->skip_count && decoder->offset >= decoder->skips[decoder->next_skip].start) {
    uint64_t end = decoder->skips[decoder->next_skip++].end;
    if (decoder->offset < end) decoder->offset = end;
  }
  if (decoder->next_skip < decoder->skip_count) {
    uint64_t rest = decoder->skips[decoder->next_skip].start - decoder->offset;
    if (rest < wanted) wanted = rest;
  }
  const uint64_t place = decoder->options->height_place;
  if (place > 0 && decoder->offset == place) {
    decoder->offset += sizeof decoder->height;
    decoder->manager.next_input_byte = decoder->height;
    decoder->manager.bytes_in_buffer = sizeof decoder->height;
    return TRUE;
  }
  if (decoder->offset < place && place - decoder->offset < wanted) wanted = place - decoder->offset;
  if (decoder->may_suspend) {
    // What libjpeg has left it reads again, together with what follows, after source_resume.
    return FALSE;
  }
  if (wanted > LEAST && decoder->options->is_incremental) {
    look_some(decoder, decoder->offset, LEAST, wanted, &bytes, &length);
  } else {
    look(decoder, decoder->offset, wanted, &bytes, &length);
  }
  if (length == 0) return end_source(decoder);
  decoder->offset += length;
  decoder->manager.next_input_byte = bytes;
  decoder->manager.bytes_in_buffer = length;
  return TRUE;
}

void source_resume(decoder *decoder) {
  const uint8_t *bytes = NULL;
  uint64_t length = 0, left = decoder->manager.bytes_in_buffer, start = decoder->offset - left;
  look_some(decoder, start, left + LEAST, left + WINDOW, &bytes, &length);
  decoder->manager.next_input_byte = bytes;
  decoder->manager.bytes_in_buffer = length;
  decoder->offset = start + length;
  // The last bytes are there: from here on, their end is the end.
  if (length < left + LEAST) decoder->may_suspend = 0;
}

static void skip(j_decompress_ptr cinfo, long count) {
  decoder *decoder = cinfo->client_data;
  if (count <= 0) return;
  if ((size_t)count <= decoder->manager.bytes_in_buffer) {
    decoder->manager.next_input_byte += count;
    decoder->manager.bytes_in_buffer -= (size_t)count;
  } else {
    if (!decoder->has_ended) decoder->offset += (uint64_t)count - decoder->manager.bytes_in_buffer;
    decoder->manager.bytes_in_buffer = 0;
  }
}

static void start_or_stop(j_decompress_ptr cinfo) { (void)cinfo; }

void source_begin(decoder *decoder) {
  decoder->manager.init_source = start_or_stop;
  decoder->manager.fill_input_buffer = fill;
  decoder->manager.skip_input_data = skip;
  decoder->manager.resync_to_restart = jpeg_resync_to_restart;
  decoder->manager.term_source = start_or_stop;
  decoder->cinfo.src = &decoder->manager;
}

uint64_t source_position(const decoder *decoder) {
  if (decoder->has_ended) return decoder->source->size;
  return decoder->offset - decoder->manager.bytes_in_buffer;
}

// Other views have ended that which libjpeg was reading.
void source_return(decoder *decoder, uint64_t offset) {
  decoder->offset = offset;
  decoder->manager.next_input_byte = NULL;
  decoder->manager.bytes_in_buffer = 0;
}

imgcoder_status source_look(const decoder *decoder, uint64_t offset, const uint8_t **bytes, uint64_t *length) {
  return decoder->source->view(decoder->source, offset, WINDOW, bytes, length);
}

// Finds the next marker that is neither RSTn nor TEM, at or after `*at`, and sets `*at` after it; -1 at the end.
static int next_marker(decoder *decoder, uint64_t *at) {
  for (;;) {
    const uint8_t *bytes = NULL, *byte, *last;
    uint64_t length = 0;
    look(decoder, *at, WINDOW, &bytes, &length);
    if (length < 2) return -1;
    last = bytes + length - 1;
    for (byte = bytes; byte < last;) {
      byte = memchr(byte, 0xFF, (size_t)(last - byte));
      if (!byte) break;
      uint8_t code = byte[1];
      if (code == 0xFF) {
        byte += 1;
      } else if (code <= 0x01 || (code >= JPEG_RST0 && code <= JPEG_RST0 + 7)) {
        byte += 2;
      } else {
        *at += (uint64_t)(byte - bytes) + 2;
        return code;
      }
    }
    *at += byte ? (uint64_t)(byte - bytes) : length - 1;
  }
}

// Whether one scan, by its header after the length, holds AC coefficients of a component that shows 1 pixel per block.
static int is_unused(const decoder *decoder, const uint8_t *header, uint64_t length) {
  // T.81 B.2.3: Ns, Cs, Td/Ta, Ss, Se, Ah/Al; G.1.1.1.1: a scan of AC coefficients has one component.
  if (length < 6 || header[0] != 1 || header[3] == 0) return 0;
  for (int i = 0; i < decoder->cinfo.num_components; i++) {
    const jpeg_component_info *component = &decoder->cinfo.comp_info[i];
    if (component->component_id != header[1]) continue;
#if JPEG_LIB_VERSION >= 70
    return component->DCT_h_scaled_size == 1 && component->DCT_v_scaled_size == 1;
#else
    return component->DCT_scaled_size == 1;
#endif
  }
  return 0;
}

void source_skip_unused_scans(decoder *decoder) {
  const imgcoder_host *host = decoder->host;
  uint64_t at = source_position(decoder), start = at;
  uint32_t scans = 1;
  int code;
  uint64_t most = decoder->source->size / 10 + 1;  // a scan's marker and header take 10 bytes
  if (most > host->limits->max_scans) most = host->limits->max_scans;
  decoder->skip_capacity = most + 2;
  decoder->skips = host->allocate(host, decoder->skip_capacity * sizeof *decoder->skips, 0);
  if (!decoder->skips) failure_escape((j_common_ptr)&decoder->cinfo, IMGCODER_STATUS_OUT_OF_MEMORY);
  while ((code = next_marker(decoder, &at)) > 0 && code != JPEG_EOI) {
    const uint8_t *header = NULL;
    uint64_t length = 0, segment;
    look(decoder, at, 8, &header, &length);
    if (length < 2) break;
    segment = (uint64_t)header[0] << 8 | header[1];
    if (segment < 2) break;
    if (code != 0xDA) {  // SOS
      at += segment;
      continue;
    }
    if (++scans > host->limits->max_scans) {
      // What comes before is a picture, if a coarser one.
      decoder->excess_scans = scans;
      decoder->skips[decoder->skip_count++] = (skipped){.start = at - 2, .end = decoder->source->size};
      break;
    }
    if (segment == 8 && is_unused(decoder, header + 2, length - 2) && decoder->skip_count + 1 < decoder->skip_capacity) {
      skipped *skipped = &decoder->skips[decoder->skip_count++];
      skipped->start = at - 2;
      at += segment;
      code = next_marker(decoder, &at);
      at = code > 0 ? at - 2 : decoder->source->size;
      skipped->end = at;
    } else {
      at += segment;
    }
  }
  source_return(decoder, start);
}
