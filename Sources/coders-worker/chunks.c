// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "worker.h"

static uint8_t buffer[ISOLATION_MAX_PAYLOAD];
static uint32_t filled;

void chunks_begin(void) { filled = 0; }

void chunks_end(void) {
  if (filled > 0) send_message(ISOLATION_CHUNK, (isolation_message){0}, buffer, filled);
  filled = 0;
}

void chunks_put(const void *bytes, uint64_t length) {
  const uint8_t *from = bytes;
  while (length > 0) {
    if (filled == sizeof buffer) chunks_end();
    uint64_t part = length < sizeof buffer - filled ? length : sizeof buffer - filled;
    memcpy(buffer + filled, from, part);
    filled += (uint32_t)part;
    from += part;
    length -= part;
  }
}
