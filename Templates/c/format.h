// What the files of reader and writer share: the fields of the format, which FORMAT.md describes, and errors.

#ifndef FORMAT_H
#define FORMAT_H

#include <imgcoder/imgcoder.h>
#include <string.h>

enum { HEADER_SIZE = 14, FRAME_HEADER_SIZE = 16, PIXEL_SIZE = 4, LONGEST_PACKET = 128, IS_ANIMATED = 1, IS_RUN = 128 };

typedef struct frame {
  uint64_t data;  // where the packets begin in the file
  uint32_t length;
  uint16_t x, y, width, height, delay;
  uint8_t disposal, blend;
} frame;

static inline uint16_t get16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }

static inline uint32_t get32(const uint8_t *p) { return (uint32_t)get16(p) << 16 | get16(p + 2); }

static inline void put16(uint8_t *p, uint32_t value) {
  p[0] = (uint8_t)(value >> 8);
  p[1] = (uint8_t)value;
}

static inline void put32(uint8_t *p, uint32_t value) {
  put16(p, value >> 16);
  put16(p + 2, value & 0xFFFF);
}

// Tells the host why a call fails (R14) and passes the status on. NO_OFFSET: the problem has no place in the file.
imgcoder_status fail(const imgcoder_host *host, imgcoder_status status, uint64_t offset, const char *format, ...);

// Says that the file needs `found` of a limit, IMGCODER_LIMIT_*, that allows `allowed`, and returns LIMIT_EXCEEDED.
imgcoder_status fail_limit(const imgcoder_host *host, uint32_t limit, uint64_t found, uint64_t allowed, uint64_t offset,
                           const char *what);

#define NO_OFFSET UINT64_MAX

extern const imgcoder_reader_table reader_table;
extern const imgcoder_writer_table writer_table;

#endif
