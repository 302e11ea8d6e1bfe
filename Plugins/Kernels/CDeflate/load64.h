// SPDX-License-Identifier: Apache-2.0

#ifndef CDEFLATE_LOAD64_H
#define CDEFLATE_LOAD64_H

#include <stdint.h>
#include <string.h>

// Eight bytes, the first in the lowest bits: as deflate counts bits (RFC 1951 §3.1.1).
static inline uint64_t load64(const uint8_t *bytes) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t value;
  memcpy(&value, bytes, 8);
  return value;
#else
  uint64_t value = 0;
  for (int i = 7; i >= 0; i--) value = value << 8 | bytes[i];
  return value;
#endif
}

#endif
