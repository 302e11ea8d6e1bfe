// SPDX-License-Identifier: Apache-2.0

#include <libdeflate.h>
#include <string.h>
#include <zlib.h>

#include "CPNGShim.h"

static voidpf take(voidpf host, uInt count, uInt size) {
  return ((const imgcoder_host *)host)->allocate(host, (uint64_t)count * size, 0);
}

static void give_back(voidpf host, voidpf memory) { ((const imgcoder_host *)host)->free(host, memory); }

// zlib counts bytes in 32 bits.
static uInt portion(uint64_t length) { return length < 1u << 30 ? (uInt)length : 1u << 30; }

uint32_t cpng_crc(uint32_t crc, const uint8_t *bytes, uint64_t length) {
  return length > 0 ? libdeflate_crc32(crc, bytes, (size_t)length) : crc;
}

// Gives room for at least one more byte, at most `limit` in all. 0 when there is no memory.
static int grow(const imgcoder_host *host, uint8_t **memory, uint64_t *capacity, uint64_t used, uint64_t limit) {
  uint64_t larger = *capacity ? (*capacity < limit / 2 ? *capacity * 2 : limit) : (limit < 16384 ? limit : 16384);
  uint8_t *fresh = host->allocate(host, larger, 0);
  if (!fresh) return 0;
  if (used) memcpy(fresh, *memory, used);
  host->free(host, *memory);
  *memory = fresh;
  *capacity = larger;
  return 1;
}

imgcoder_status cpng_inflate(const imgcoder_host *host, const uint8_t *input, uint64_t length, uint64_t limit,
                             uint8_t **output, uint64_t *output_length) {
  z_stream stream = {0};
  imgcoder_status status = IMGCODER_STATUS_OK;
  uint8_t *memory = NULL, probe;
  uint64_t capacity = 0, used = 0;
  int result = Z_OK;
  *output = NULL;
  *output_length = 0;
  stream.zalloc = take;
  stream.zfree = give_back;
  stream.opaque = (voidpf)host;
  if (inflateInit(&stream) != Z_OK) return IMGCODER_STATUS_OUT_OF_MEMORY;
  while (result != Z_STREAM_END) {
    int is_probe = used >= limit;
    if (!is_probe && used == capacity && !grow(host, &memory, &capacity, used, limit)) {
      status = IMGCODER_STATUS_OUT_OF_MEMORY;
      break;
    }
    if (stream.avail_in == 0) {
      stream.next_in = (Bytef *)input;
      stream.avail_in = portion(length);
      input += stream.avail_in;
      length -= stream.avail_in;
    }
    // At the limit one byte more decides between a stream that ends there and one that does not.
    uInt room = is_probe ? 1 : portion(capacity - used);
    stream.next_out = is_probe ? &probe : memory + used;
    stream.avail_out = room;
    result = inflate(&stream, Z_NO_FLUSH);
    if (is_probe && stream.avail_out == 0) {
      status = IMGCODER_STATUS_LIMIT_EXCEEDED;
      break;
    }
    if (!is_probe) used += room - stream.avail_out;
    // Z_BUF_ERROR says that no byte could be read: the input ends early.
    if (result != Z_OK && result != Z_STREAM_END) {
      status = result == Z_MEM_ERROR ? IMGCODER_STATUS_OUT_OF_MEMORY : IMGCODER_STATUS_MALFORMED;
      break;
    }
  }
  inflateEnd(&stream);
  if (status == IMGCODER_STATUS_OUT_OF_MEMORY) {
    host->free(host, memory);
    return status;
  }
  *output = memory;
  *output_length = used;
  return status;
}

imgcoder_status cpng_deflate(const imgcoder_host *host, const uint8_t *input, uint64_t length, uint8_t **output,
                             uint64_t *output_length) {
  z_stream stream = {0};
  *output = NULL;
  *output_length = 0;
  if (length > 1u << 30) return IMGCODER_STATUS_OUT_OF_MEMORY;
  stream.zalloc = take;
  stream.zfree = give_back;
  stream.opaque = (voidpf)host;
  if (deflateInit(&stream, Z_BEST_COMPRESSION) != Z_OK) return IMGCODER_STATUS_OUT_OF_MEMORY;
  uint64_t bound = deflateBound(&stream, (uLong)length);
  uint8_t *memory = host->allocate(host, bound, 0);
  if (memory) {
    stream.next_in = (Bytef *)input;
    stream.avail_in = (uInt)length;
    stream.next_out = memory;
    stream.avail_out = (uInt)bound;
    // The bound is enough for one call to finish.
    if (deflate(&stream, Z_FINISH) == Z_STREAM_END) {
      *output = memory;
      *output_length = bound - stream.avail_out;
    } else {
      host->free(host, memory);
      memory = NULL;
    }
  }
  deflateEnd(&stream);
  return memory ? IMGCODER_STATUS_OK : IMGCODER_STATUS_OUT_OF_MEMORY;
}
