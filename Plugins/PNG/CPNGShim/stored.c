// SPDX-License-Identifier: Apache-2.0

#include "stored.h"

#include "session.h"

#define IHDR 0x49484452u
#define PLTE 0x504C5445u
#define TRNS 0x74524E53u

int cpng_read_lead(const uint8_t *lead, uint64_t length, cpng_stored *stored) {
  uint64_t offset = 8;
  *stored = (cpng_stored){0};
  while (offset <= length && length - offset >= 12) {
    const uint32_t size = cpng_load32(lead + offset), name = cpng_load32(lead + offset + 4);
    const uint8_t *data = lead + offset + 8;
    if (size > length - offset - 12) return 0;
    switch (name) {
      case IHDR:
        if (size < 13) return 0;
        stored->width = cpng_load32(data);
        stored->height = cpng_load32(data + 4);
        stored->bit_depth = data[8];
        stored->color_type = data[9];
        stored->is_interlaced = data[12] != 0;
        break;
      case PLTE:
        stored->palette = data;
        stored->palette_count = size / 3;
        break;
      case TRNS:
        stored->transparency = data;
        stored->transparency_length = size;
        break;
      default: break;
    }
    offset += 12ull + size;
  }
  return stored->width > 0 && stored->height > 0 && stored->bit_depth >= 1 && stored->bit_depth <= 16;
}
