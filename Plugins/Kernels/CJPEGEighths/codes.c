// SPDX-License-Identifier: Apache-2.0

#include "codes.h"

#include <string.h>

// T.81 annex C, F.2.2.3.
int codes_make(codes *made, const eighths_codes *stated, uint32_t largest_value) {
  made->stated = *stated;
  memset(made->look, 0, sizeof made->look);
  uint32_t code = 0, index = 0;
  made->largest[0] = -1;
  made->offsets[0] = 0;
  for (uint32_t length = 1; length <= 16; length++) {
    const uint32_t count = stated->counts[length - 1];
    // Annex C: no code has ones alone.
    if ((count > 0 && code + count >= 1u << length) || index + count > sizeof stated->values) return 0;
    made->offsets[length] = (int32_t)index - (int32_t)code;
    for (uint32_t i = 0; i < count; i++, code++, index++) {
      if (stated->values[index] > largest_value) return 0;
      if (length > LOOK_BITS) continue;
      const uint32_t left = LOOK_BITS - length;
      for (uint32_t look = code << left; look < (code + 1) << left; look++)
        made->look[look] = (uint16_t)(length << 8 | stated->values[index]);
    }
    made->largest[length] = count > 0 ? (int32_t)code - 1 : -1;
    code <<= 1;
  }
  made->largest[17] = INT32_MAX;
  return 1;
}

static uint32_t pass_of(uint32_t bits, const codes *of) {
  uint32_t used = 0, count = 0, before = 0, ends = 0;
  while (used < LOOK_BITS && !ends) {
    const uint32_t found = of->look[bits << used & (LOOKS - 1)];
    const uint32_t length = found >> 8, run = found >> 4 & 15, size = found & 15;
    if (length == 0 || used + length > LOOK_BITS) break;
    // Two such are the most that a block has room for.
    if (count + run + 1 > 127) break;
    before = count;
    used += length + size;
    // F.2.2.2: sixteen zeros, or the end.
    if (size > 0 || run == 15) count += run + 1;
    else ends = PASS_ENDS;
  }
  return used == 0 ? 0 : used | count << 6 | before << 14 | ends;
}

void passes_make(passes *made, const codes *of) {
  for (uint32_t bits = 0; bits < LOOKS; bits++) made->by_bits[bits] = pass_of(bits, of);
  made->is_made = 1;
}
