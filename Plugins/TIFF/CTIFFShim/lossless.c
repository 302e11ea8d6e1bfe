// SPDX-License-Identifier: Apache-2.0

#include "lossless.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CLosslessJPEG.h>

#define MESSAGE_LENGTH 200

// Codes of differences, by the numbers that scans name them with.
typedef struct lossless_tables {
  lossless_codes codes[4];
  int has_codes[4];
} lossless_tables;

typedef struct reading {
  const rows_plan *plan;
  lossless_room *room;
  char *message;
  uint32_t rows;  // that are wanted
  // The frame, T.81 B.2.2. Its lines may hold several rows, as DNG has them, or a row more channels.
  uint32_t precision, width, height, channels, per_line;
  uint8_t names[LOSSLESS_CHANNELS];
  uint32_t restart_interval;
  uint32_t lines;    // that hold the rows
  uint32_t good;     // lines that every channel so far has
  uint32_t channels_seen;  // a bit for each
} reading;

static uint32_t number(const uint8_t *bytes) { return (uint32_t)bytes[0] << 8 | bytes[1]; }

void lossless_close(lossless_room *room) {
  free(room->tables);
  free(room->samples);
}

uint64_t lossless_memory(const rows_plan *plan) {
  const ctiff_picture *picture = plan->picture;
  return sizeof(lossless_tables) + 2ull * picture->strile_width * picture->strile_height * plan->channels;
}

__attribute__((format(printf, 2, 3))) static int fail(reading *reading, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reading->message, MESSAGE_LENGTH, format, arguments);
  va_end(arguments);
  return 0;
}

// B.2.4.2.
static int read_codes(reading *reading, const uint8_t *payload, uint64_t length) {
  lossless_tables *tables = reading->room->tables;
  while (length >= 17) {
    uint32_t count = 0;
    for (int i = 1; i <= 16; i++) count += payload[i];
    if (count > length - 17) return fail(reading, "a table of %u codes in a segment that ends before", count);
    if (payload[0] < 4) {
      if (!lossless_codes_make(&tables->codes[payload[0]], payload + 1, payload + 17)) {
        return fail(reading, "a table of more codes than there can be");
      }
      tables->has_codes[payload[0]] = 1;
    }
    payload += 17 + count;
    length -= 17 + count;
  }
  return 1;
}

// B.2.2: a picture of as many samples in a row as the strip or tile has.
static int read_frame(reading *reading, const uint8_t *payload, uint64_t length) {
  const ctiff_picture *picture = reading->plan->picture;
  const uint64_t row = (uint64_t)picture->strile_width * reading->plan->channels;
  if (reading->channels > 0 || length < 6 || length < 6 + 3ull * payload[5]) return fail(reading, "a wrong frame header");
  reading->precision = payload[0];
  reading->height = number(payload + 1);
  reading->width = number(payload + 3);
  const uint32_t channels = payload[5];
  if (channels < 1 || channels > LOSSLESS_CHANNELS || reading->precision < 2 || reading->precision > picture->bits) {
    return fail(reading, "%u channels of %u bits, %u bits are stated", channels, reading->precision, picture->bits);
  }
  for (uint32_t i = 0; i < channels; i++) {
    reading->names[i] = payload[6 + 3 * i];
    if (payload[7 + 3 * i] != payload[7]) return fail(reading, "channels of different sizes");
  }
  const uint64_t line = (uint64_t)reading->width * channels;
  if (reading->height == 0 || line == 0 || line % row != 0) {
    return fail(reading, "JPEG of %ux%u pixels of %u samples, %ux%u of %u are stated", reading->width, reading->height,
                channels, picture->strile_width, picture->strile_height, reading->plan->channels);
  }
  reading->per_line = (uint32_t)(line / row);
  const uint32_t wanted = (reading->rows + reading->per_line - 1) / reading->per_line;
  reading->lines = wanted < reading->height ? wanted : reading->height;
  reading->good = reading->lines;
  const uint64_t bytes = line * reading->lines * 2;
  lossless_room *room = reading->room;
  if (bytes > room->bytes) {
    free(room->samples);
    room->samples = malloc(bytes);
    room->bytes = room->samples ? bytes : 0;
    if (!room->samples) return fail(reading, "no memory for %llu bytes of samples", (unsigned long long)bytes);
  }
  memset(room->samples, 0, bytes);
  reading->channels = channels;
  return 1;
}

// B.2.3. Sets `*end` to where the scan's bytes end.
static int read_scan(reading *reading, const uint8_t *header, uint64_t header_length, const uint8_t *bytes,
                     uint64_t length, uint64_t *end) {
  const lossless_tables *tables = reading->room->tables;
  const uint32_t count = header_length > 0 ? header[0] : 0;
  if (reading->channels == 0 || count < 1 || count > reading->channels || header_length < 4 + 2ull * count) {
    return fail(reading, "a wrong scan header");
  }
  const uint8_t *rest = header + 1 + 2 * count;
  lossless_scan scan = {.channel_count = count,
                        .width = reading->width,
                        .height = reading->lines,
                        .predictor = rest[0],
                        .precision = reading->precision,
                        .point_transform = rest[2] & 15,
                        .restart_interval = reading->restart_interval,
                        .bytes = bytes,
                        .length = length,
                        .position = *end};
  if (scan.predictor < 1 || scan.predictor > 7 || scan.point_transform >= scan.precision) {
    return fail(reading, "predictor %u, 1 to 7 are allowed; point transform %u", scan.predictor, scan.point_transform);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t index = 0;
    while (index < reading->channels && reading->names[index] != header[1 + 2 * i]) index++;
    const uint32_t table = header[2 + 2 * i] >> 4;
    if (index == reading->channels || reading->channels_seen & 1u << index || table > 3 || !tables->has_codes[table]) {
      return fail(reading, "a scan of channel %u by table %u", header[1 + 2 * i], table);
    }
    scan.channels[i] = (lossless_channel){.codes = &tables->codes[table],
                                          .samples = reading->room->samples + index,
                                          .row = (size_t)reading->width * reading->channels,
                                          .step = reading->channels};
    reading->channels_seen |= 1u << index;
  }
  const uint32_t lines = lossless_rows(&scan, reading->lines);
  *end = scan.position;
  for (uint64_t i = 0; scan.point_transform > 0 && i < (uint64_t)lines * reading->width; i++) {
    for (uint32_t channel = 0; channel < count; channel++) {
      scan.channels[channel].samples[i * scan.channels[channel].step] <<= scan.point_transform;
    }
  }
  if (lines < reading->good) reading->good = lines;
  return lines == reading->lines ? 1 : fail(reading, "Premature end of JPEG data");
}

// Reads segments as far as they are needed.
static int read_file(reading *reading, const uint8_t *bytes, uint64_t length) {
  uint64_t at = 0;
  while (length - at >= 2) {
    if (bytes[at] != 0xFF || bytes[at + 1] == 0 || bytes[at + 1] == 0xFF) {
      at += 1;
      continue;
    }
    const uint8_t marker = bytes[at + 1];
    at += 2;
    if (marker == 0xD9) return 1;
    if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) continue;
    const uint64_t segment = length - at >= 2 ? number(bytes + at) : 0;
    if (segment < 2 || segment > length - at) return fail(reading, "Premature end of JPEG data");
    const uint8_t *payload = bytes + at + 2;
    int is_right = 1;
    at += segment;
    switch (marker) {
      case 0xC4: is_right = read_codes(reading, payload, segment - 2); break;
      case 0xC3: is_right = read_frame(reading, payload, segment - 2); break;
      case 0xDD:
        if (segment >= 4) reading->restart_interval = number(payload);
        break;
      case 0xDA: is_right = read_scan(reading, payload, segment - 2, bytes, length, &at); break;
      case 0xC0: case 0xC1: case 0xC2: case 0xC5: case 0xC6: case 0xC7: case 0xC9: case 0xCA: case 0xCB:
      case 0xCD: case 0xCE: case 0xCF:
        is_right = fail(reading, "JPEG of process %u among lossless ones", marker & 15u);
        break;
      default: break;
    }
    if (!is_right) return 0;
    if (reading->channels > 0 && reading->channels_seen + 1 == 1u << reading->channels) return 1;
  }
  return 1;
}

// Samples as TIFF has them without compression, words in the processor's order.
static void pack(const uint16_t *samples, uint64_t count, uint32_t bits, uint8_t *out) {
  if (bits == 16) {
    memcpy(out, samples, count * 2);
    return;
  }
  if (bits == 8) {
    for (uint64_t i = 0; i < count; i++) out[i] = (uint8_t)samples[i];
    return;
  }
  uint32_t buffer = 0, held = 0;
  for (uint64_t i = 0; i < count; i++) {
    buffer = buffer << bits | (samples[i] & ((1u << bits) - 1));
    for (held += bits; held >= 8; held -= 8) *out++ = (uint8_t)(buffer >> (held - 8));
  }
  if (held > 0) *out = (uint8_t)(buffer << (8 - held));
}

uint32_t lossless_read(const rows_plan *plan, const uint8_t *bytes, uint64_t length, uint32_t rows, uint8_t *out,
                       lossless_room *room, char *message) {
  const ctiff_picture *picture = plan->picture;
  const uint64_t row = (uint64_t)picture->strile_width * plan->channels;
  reading reading = {.plan = plan, .room = room, .message = message, .rows = rows};
  memset(out, 0, rows * plan->plane_row_bytes);
  if (!room->tables) room->tables = malloc(sizeof *room->tables);
  if (!room->tables) {
    fail(&reading, "no memory for tables");
    return 0;
  }
  memset(room->tables, 0, sizeof *room->tables);
  if (picture->codec_length > 0 && !read_file(&reading, picture->codec, picture->codec_length)) return 0;
  const int is_right = read_file(&reading, bytes, length);
  if (reading.channels == 0 || reading.channels_seen + 1 != 1u << reading.channels) {
    if (is_right) fail(&reading, "Premature end of JPEG data");
    return 0;
  }
  const uint64_t good = (uint64_t)reading.good * reading.per_line;
  const uint32_t count = good < rows ? (uint32_t)good : rows;
  for (uint32_t y = 0; y < count; y++) {
    pack(room->samples + y * row, row, picture->bits, out + y * plan->plane_row_bytes);
  }
  if (count < rows && is_right) fail(&reading, "JPEG of %u rows, %u are stated", (uint32_t)good, rows);
  return count;
}
