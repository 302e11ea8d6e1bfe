// SPDX-License-Identifier: Apache-2.0
//
// libtiff over bytes in memory. Private to the shim.

#ifndef CTIFF_HANDLE_H
#define CTIFF_HANDLE_H

#include <stdatomic.h>
#include <tiffio.h>

#include "CTIFFShim.h"

// One open TIFF with what its procedures see.
typedef struct handle {
  TIFF *tiff;
  const uint8_t *bytes;  // what is read
  uint64_t length, position;
  uint8_t *written;      // what was written, when the handle writes
  uint64_t written_length, written_capacity;
  int has_ended_early;   // the codec warned that its data ends before the rows do
  int has_complained;    // an error or a warning since the last call
  int is_out_of_memory;
  char message[200];     // the first error since the last call
} handle;

// Opens a directory for reading; `offset` 0 means the file's first. Returns 0 on failure with a message.
int handle_open(handle *handle, const uint8_t *bytes, uint64_t length, uint64_t offset, uint64_t largest);

// Opens an empty file for writing.
int handle_create(handle *handle, uint64_t largest);

void handle_close(handle *handle);

// Forgets the message and what was noticed.
void handle_reset(handle *handle);

imgcoder_status ctiff_fail(ctiff_failure *failure, imgcoder_status status, int64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
