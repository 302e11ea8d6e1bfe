// SPDX-License-Identifier: Apache-2.0

#include "session.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static imgcoder_status note(cpng_failure *failure, imgcoder_status status, int64_t offset, const char *format,
                            va_list arguments) {
  if (failure->status == IMGCODER_STATUS_OK) {
    failure->status = status;
    failure->offset = offset;
    vsnprintf(failure->message, sizeof failure->message, format, arguments);
  }
  return failure->status;
}

imgcoder_status cpng_note(cpng_failure *failure, imgcoder_status status, int64_t offset, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  status = note(failure, status, offset, format, arguments);
  va_end(arguments);
  return status;
}

imgcoder_status cpng_fail(cpng_session *session, imgcoder_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  status = note(session->failure, status, session->offset, format, arguments);
  va_end(arguments);
  return status;
}

void cpng_on_error(png_structp png, png_const_charp message) {
  cpng_session *session = png_get_error_ptr(png);
  // The function that knows the cause has recorded it. What is left are libpng's own checks.
  if (session->is_out_of_memory) {
    cpng_fail(session, IMGCODER_STATUS_OUT_OF_MEMORY, "no memory for libpng");
  } else {
    cpng_fail(session, session->fallback, "libpng says: %s", message);
  }
  png_longjmp(png, 1);
}

void cpng_on_warning(png_structp png, png_const_charp message) {
  const cpng_session *session = png_get_error_ptr(png);
  char line[160];
  int length = snprintf(line, sizeof line, "libpng warns: %s", message);
  if (length < 0) return;
  imgcoder_string text = {line, (uint64_t)length < sizeof line ? (uint64_t)length : sizeof line - 1};
  session->host->log(session->host, IMGCODER_LOG_DEBUG, text);
}

png_voidp cpng_on_malloc(png_structp png, png_alloc_size_t size) {
  cpng_session *session = png_get_mem_ptr(png);
  void *memory = session->host->allocate(session->host, size, 0);
  if (!memory) session->is_out_of_memory = 1;
  return memory;
}

void cpng_on_free(png_structp png, png_voidp memory) {
  const cpng_session *session = png_get_mem_ptr(png);
  session->host->free(session->host, memory);
}

imgcoder_status cpng_no_start(cpng_session *session) {
  if (session->is_out_of_memory) return cpng_fail(session, IMGCODER_STATUS_OUT_OF_MEMORY, "no memory for libpng");
  return cpng_fail(session, IMGCODER_STATUS_LIBRARY, "libpng %s does not start, %s or a later 1.6 is needed",
                   cpng_version(), PNG_LIBPNG_VER_STRING);
}

const char *cpng_version(void) { return png_get_libpng_ver(NULL); }
