// SPDX-License-Identifier: Apache-2.0

#include "codes.h"

static void put_bytes(code_writer *writer, const uint8_t *bytes, uint64_t length) {
  if (writer->status == IMGCODER_STATUS_OK && length > 0) {
    writer->status = writer->output->write(writer->output, bytes, length);
  }
}

void code_flush(code_writer *writer) {
  const uint8_t *from = writer->bytes, *end = from + writer->tail.length;
  uint8_t *to = writer->stuffed;
  while (from < end) {
    const uint8_t *ones = memchr(from, 0xFF, (size_t)(end - from));
    size_t count = (size_t)((ones ? ones + 1 : end) - from);
    memcpy(to, from, count);
    from += count;
    to += count;
    if (ones) *to++ = 0;
  }
  put_bytes(writer, writer->stuffed, (uint64_t)(to - writer->stuffed));
  writer->tail.length = 0;
}

void code_end(code_writer *writer, uint8_t marker) {
  int rest = (8 - writer->tail.count) % 8;
  if (rest > 0) code_put(writer, &writer->tail, (1u << rest) - 1, rest);
  code_flush(writer);
  put_bytes(writer, (const uint8_t[]){0xFF, marker}, 2);
}
