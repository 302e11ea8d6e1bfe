// SPDX-License-Identifier: Apache-2.0

#include "CLosslessJPEG.h"

#include <string.h>

// T.81 annex C, F.2.2.3.
int lossless_codes_make(lossless_codes *codes, const uint8_t counts[16], const uint8_t *values) {
  uint32_t code = 0, index = 0;
  memset(codes, 0, sizeof *codes);
  codes->largest[0] = -1;
  for (uint32_t length = 1; length <= 16; length++) {
    const uint32_t count = counts[length - 1];
    if (code + count > 1u << length || index + count > sizeof codes->values) return 0;
    codes->offsets[length] = (int32_t)index - (int32_t)code;
    for (uint32_t i = 0; i < count; i++, code++, index++) {
      codes->values[index] = values[index];
      if (length > LOSSLESS_LOOK_BITS) continue;
      const uint32_t left = LOSSLESS_LOOK_BITS - length;
      for (uint32_t look = code << left; look < (code + 1) << left; look++)
        codes->look[look] = (uint16_t)(length << 8 | values[index]);
    }
    codes->largest[length] = count > 0 ? (int32_t)code - 1 : -1;
    code <<= 1;
  }
  codes->largest[17] = INT32_MAX;
  codes->count = index;
  return 1;
}

// At least 57 bits. After the last byte come zeros, which are counted.
static void fill(lossless_scan *scan) {
  while (scan->count <= 56) {
    uint8_t byte = 0;
    const size_t at = scan->position;
    if (at < scan->length && scan->bytes[at] != 0xFF) {
      byte = scan->bytes[at];
      scan->position += 1;
    } else if (at + 1 < scan->length && scan->bytes[at + 1] == 0) {
      // A byte of ones that is no marker has a zero after it.
      byte = 0xFF;
      scan->position += 2;
    } else {
      scan->missing += 8;
    }
    scan->buffer |= (uint64_t)byte << (56 - scan->count);
    scan->count += 8;
  }
}

static inline void drop(lossless_scan *scan, uint32_t count) {
  scan->buffer <<= count;
  scan->count -= count;
}

static uint32_t long_code(lossless_scan *scan, const lossless_codes *codes) {
  uint32_t length = 1;
  while (length <= 16 && (int32_t)(scan->buffer >> (64 - length)) > codes->largest[length]) length++;
  if (length > 16) length = 16;
  const int64_t place = (int64_t)(scan->buffer >> (64 - length)) + codes->offsets[length];
  drop(scan, length);
  // Bits that are no code stand for no difference.
  return place < 0 || place >= codes->count ? 0 : codes->values[place];
}

// The next difference, H.1.2.2 and F.2.2.1.
static inline int32_t difference(lossless_scan *scan, const lossless_codes *codes) {
  if (scan->count < 32) fill(scan);
  const uint32_t found = codes->look[scan->buffer >> (64 - LOSSLESS_LOOK_BITS)];
  uint32_t size;
  if (__builtin_expect(found != 0, 1)) {
    drop(scan, found >> 8);
    size = found & 0xFF;
  } else {
    size = long_code(scan, codes);
  }
  if (size == 0) return 0;
  // 16 stands for one number alone, and has no bits after it.
  if (size >= 16) return 1 << 15;
  const int32_t value = (int32_t)(scan->buffer >> (64 - size));
  drop(scan, size);
  return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
}

static inline int32_t prediction(uint32_t predictor, int32_t left, int32_t up, int32_t corner) {
  switch (predictor) {
    case 1: return left;
    case 2: return up;
    case 3: return corner;
    case 4: return left + up - corner;
    case 5: return left + ((up - corner) >> 1);
    case 6: return up + ((left - corner) >> 1);
    default: return (left + up) >> 1;
  }
}

// The first row after the start or a restart has none above it.
static void read_row(lossless_scan *scan, int is_first) {
  for (uint32_t x = 0; x < scan->width; x++) {
    for (uint32_t i = 0; i < scan->channel_count; i++) {
      const lossless_channel *channel = &scan->channels[i];
      uint16_t *sample = channel->samples + scan->y * channel->row + x * channel->step;
      int32_t predicted;
      if (is_first) {
        predicted = x == 0 ? 1 << (scan->precision - scan->point_transform - 1) : sample[-(ptrdiff_t)channel->step];
      } else {
        const uint16_t *above = sample - channel->row;
        predicted = x == 0 ? above[0]
                           : prediction(scan->predictor, sample[-(ptrdiff_t)channel->step], above[0],
                                        above[-(ptrdiff_t)channel->step]);
      }
      *sample = (uint16_t)(predicted + difference(scan, channel->codes));
    }
  }
}

// Moves after the next restart marker; 0 if that is not what follows.
static int restart(lossless_scan *scan) {
  size_t at = scan->position;
  scan->buffer = scan->missing = scan->count = 0;
  // Whole bytes that were not needed may be left, and fill bytes.
  while (at + 1 < scan->length && !(scan->bytes[at] == 0xFF && scan->bytes[at + 1] != 0 && scan->bytes[at + 1] != 0xFF)) at++;
  if (at + 1 >= scan->length || scan->bytes[at + 1] < 0xD0 || scan->bytes[at + 1] > 0xD7) return 0;
  scan->position = at + 2;
  return 1;
}

uint32_t lossless_rows(lossless_scan *scan, uint32_t count) {
  uint32_t done = 0;
  for (; done < count && scan->y < scan->height; done++) {
    int is_first = scan->y == 0;
    if (scan->restart_interval > 0) {
      if (scan->y > 0 && scan->until_restart == 0) {
        if (!restart(scan)) return done;
        is_first = 1;
      }
      if (is_first) scan->until_restart = scan->restart_interval;
      scan->until_restart -= scan->until_restart < scan->width ? scan->until_restart : scan->width;
    }
    read_row(scan, is_first);
    if (scan->count < scan->missing) return done;
    scan->y += 1;
  }
  return done;
}
