// SPDX-License-Identifier: Apache-2.0
//
// What reading and writing with libpng have in common: memory, warnings and errors of one call.

#ifndef CPNG_SESSION_H
#define CPNG_SESSION_H

#include <png.h>

#include "CPNGShim.h"

// The state of one call that libpng's callbacks see. It is the first member of the reader's and the writer's state, and
// lives in the caller of the function with setjmp, so that longjmp leaves it intact.
typedef struct cpng_session {
  const imgcoder_host *host;
  cpng_failure *failure;
  png_structp png;
  png_infop info;
  int64_t offset;  // where in the source the work is, or -1
  imgcoder_status fallback;  // for what libpng itself complains of
  int is_out_of_memory;
} cpng_session;

// Records why a call fails, unless that is known already.
//   offset   in the source, or -1
//   returns  the recorded status
imgcoder_status cpng_note(cpng_failure *failure, imgcoder_status status, int64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// The same of a call of libpng, at the session's offset.
imgcoder_status cpng_fail(cpng_session *session, imgcoder_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Records why libpng gave no struct.
imgcoder_status cpng_no_start(cpng_session *session);

// Callbacks for png_create_read_struct_2 and png_create_write_struct_2; the pointers are the cpng_session.
void cpng_on_error(png_structp png, png_const_charp message);
void cpng_on_warning(png_structp png, png_const_charp message);
png_voidp cpng_on_malloc(png_structp png, png_alloc_size_t size);
void cpng_on_free(png_structp png, png_voidp memory);

static inline uint32_t cpng_load32(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline void cpng_store32(uint8_t *bytes, uint32_t value) {
  bytes[0] = (uint8_t)(value >> 24);
  bytes[1] = (uint8_t)(value >> 16);
  bytes[2] = (uint8_t)(value >> 8);
  bytes[3] = (uint8_t)value;
}

static inline int cpng_is_little_endian(void) {
  const uint16_t one = 1;
  return *(const uint8_t *)&one;
}

#define CPNG_IDAT 0x49444154u
#define CPNG_FDAT 0x66644154u
#define CPNG_FCTL 0x6663544Cu
#define CPNG_IEND 0x49454E44u

// Bytes of compressed data that libpng takes or gives at a time.
#define CPNG_BUFFER 65536u

#endif
