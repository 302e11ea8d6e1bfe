// SPDX-License-Identifier: Apache-2.0

#include "handle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

imgcoder_status ctiff_fail(ctiff_failure *failure, imgcoder_status status, int64_t offset, const char *format, ...) {
  va_list arguments;
  if (failure->status != IMGCODER_STATUS_OK) return failure->status;
  failure->status = status;
  failure->offset = offset;
  va_start(arguments, format);
  vsnprintf(failure->message, sizeof failure->message, format, arguments);
  va_end(arguments);
  return status;
}

// Messages of libtiff have line ends and stops that ours have not.
static void tidy(char *message) {
  for (char *c = message; *c; c++) {
    if (*c == '\n' || *c == '\r') *c = ' ';
  }
  size_t length = strlen(message);
  while (length > 0 && (message[length - 1] == '.' || message[length - 1] == ' ')) message[--length] = 0;
}

static int on_error(TIFF *tiff, void *context, const char *module, const char *format, va_list arguments) {
  handle *handle = context;
  (void)tiff;
  (void)module;
  handle->has_complained = 1;
  if (!handle->message[0]) {
    vsnprintf(handle->message, sizeof handle->message, format, arguments);
    tidy(handle->message);
  }
  return 1;  // no other handler is asked
}

static int on_warning(TIFF *tiff, void *context, const char *module, const char *format, va_list arguments) {
  handle *handle = context;
  char line[200];
  (void)tiff;
  (void)module;
  handle->has_complained = 1;
  vsnprintf(line, sizeof line, format, arguments);
  // "Premature EOF at line …" of the fax codecs, "Premature end of JPEG file" of libjpeg.
  if (strstr(line, "Premature E") || strstr(line, "Premature e")) {
    handle->has_ended_early = 1;
    if (!handle->message[0]) {
      memcpy(handle->message, line, sizeof line);
      tidy(handle->message);
    }
  }
  return 1;
}

static tmsize_t on_read(thandle_t context, void *bytes, tmsize_t count) {
  handle *handle = context;
  uint64_t rest = handle->position < handle->length ? handle->length - handle->position : 0;
  uint64_t length = count < 0 ? 0 : (uint64_t)count < rest ? (uint64_t)count : rest;
  if (length > 0) memcpy(bytes, handle->bytes + handle->position, length);
  handle->position += length;
  return (tmsize_t)length;
}

static tmsize_t on_write(thandle_t context, void *bytes, tmsize_t count) {
  handle *handle = context;
  if (count <= 0 || handle->bytes) return 0;
  uint64_t end = handle->position + (uint64_t)count;
  if (end > handle->written_capacity) {
    uint64_t capacity = handle->written_capacity * 2 < end ? end + 4096 : handle->written_capacity * 2;
    uint8_t *grown = realloc(handle->written, capacity);
    if (!grown) {
      handle->is_out_of_memory = 1;
      return 0;
    }
    memset(grown + handle->written_capacity, 0, capacity - handle->written_capacity);
    handle->written = grown;
    handle->written_capacity = capacity;
  }
  memcpy(handle->written + handle->position, bytes, (size_t)count);
  handle->position = end;
  if (end > handle->written_length) handle->written_length = end;
  return count;
}

static toff_t on_seek(thandle_t context, toff_t offset, int whence) {
  handle *handle = context;
  uint64_t size = handle->bytes ? handle->length : handle->written_length;
  uint64_t base = whence == SEEK_CUR ? handle->position : whence == SEEK_END ? size : 0;
  uint64_t target = base + offset;
  if (target > (uint64_t)INT64_MAX) return (toff_t)-1;
  // Nothing that is written here is as large as the largest jump that is let pass.
  if (!handle->bytes && target > size + (1u << 20)) return (toff_t)-1;
  handle->position = target;
  return target;
}

static int on_close(thandle_t context) {
  (void)context;
  return 0;
}

static toff_t on_size(thandle_t context) {
  const handle *handle = context;
  return handle->bytes ? handle->length : handle->written_length;
}

static int on_map(thandle_t context, void **base, toff_t *size) {
  const handle *handle = context;
  if (!handle->bytes) return 0;
  *base = (void *)(uintptr_t)handle->bytes;  // libtiff reads it only
  *size = handle->length;
  return 1;
}

static void on_unmap(thandle_t context, void *base, toff_t size) {
  (void)context;
  (void)base;
  (void)size;
}

static int begin(handle *handle, const char *mode, uint64_t largest) {
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!options) {
    handle->is_out_of_memory = 1;
    return 0;
  }
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, largest > (uint64_t)INT64_MAX ? INT64_MAX : (tmsize_t)largest);
  TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, handle);
  TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, handle);
  handle->tiff = TIFFClientOpenExt("memory", mode, handle, on_read, on_write, on_seek, on_close, on_size, on_map,
                                   on_unmap, options);
  TIFFOpenOptionsFree(options);
  return handle->tiff != NULL;
}

int handle_open(handle *handle, const uint8_t *bytes, uint64_t length, uint64_t offset, uint64_t largest) {
  memset(handle, 0, sizeof *handle);
  handle->bytes = bytes;
  handle->length = length;
  // "c": strips stay as they are; "O": their places are not read before they are needed; "h": no directory yet.
  if (!begin(handle, offset ? "rch" : "rcO", largest)) return 0;
  if (offset && !TIFFSetSubDirectory(handle->tiff, offset)) {
    handle_close(handle);
    return 0;
  }
  return 1;
}

int handle_create(handle *handle, uint64_t largest) {
  memset(handle, 0, sizeof *handle);
  return begin(handle, "w8", largest);
}

void handle_close(handle *handle) {
  if (handle->tiff) TIFFCleanup(handle->tiff);
  free(handle->written);
  handle->tiff = NULL;
  handle->written = NULL;
}

void handle_reset(handle *handle) {
  handle->message[0] = 0;
  handle->has_ended_early = 0;
  handle->has_complained = 0;
}

int ctiff_read_old_jpeg(const uint8_t *bytes, uint64_t length, uint64_t directory, ctiff_old_jpeg *found) {
  handle handle;
  uint16_t photometric = 0, samples = 0, factors[2] = {0};
  // The codec's own memory is a row or two.
  int is_read = bytes && handle_open(&handle, bytes, length, directory, 256u << 20);
  if (!is_read) return 0;
  // libtiff takes what the directory calls RGB for YCbCr, and reads subsampling from the JPEG when it is asked for it.
  is_read = TIFFGetField(handle.tiff, TIFFTAG_PHOTOMETRIC, &photometric) &&
            TIFFGetFieldDefaulted(handle.tiff, TIFFTAG_SAMPLESPERPIXEL, &samples) &&
            TIFFGetFieldDefaulted(handle.tiff, TIFFTAG_YCBCRSUBSAMPLING, &factors[0], &factors[1]);
  handle_close(&handle);
  *found = (ctiff_old_jpeg){photometric, samples, factors[0], factors[1]};
  for (int i = 0; i < 2; i++) {
    if (factors[i] != 1 && factors[i] != 2 && factors[i] != 4) return 0;
  }
  return is_read;
}

const char *ctiff_version(void) {
  // "LIBTIFF, Version 4.5.0\nCopyright …": the third word.
  static char version[16];
  static atomic_int is_known;
  if (!atomic_load(&is_known)) {
    char found[sizeof version] = "";
    sscanf(TIFFGetVersion(), "%*s %*s %15[0-9.]", found);
    memcpy(version, found, sizeof found);
    atomic_store(&is_known, 1);
  }
  return version;
}

int ctiff_has_codec(uint16_t compression) { return TIFFIsCODECConfigured(compression); }
