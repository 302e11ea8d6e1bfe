// SPDX-License-Identifier: Apache-2.0
//
// libjpeg's output in chunks to the host. Private to the shim.

#ifndef CJPEG_DESTINATION_H
#define CJPEG_DESTINATION_H

#include "failure.h"
#include "recode.h"

typedef struct destination {
  struct jpeg_destination_mgr manager;  // first: libjpeg hands back a pointer to it
  const imgcoder_host *host;
  const imgcoder_output *output;
  JOCTET *chunk;
  recoder *recoder;  // gets what would go to the host, unless null
} destination;

// Attaches the output to cinfo, which has an error manager.
void destination_begin(j_compress_ptr cinfo, destination *destination, const imgcoder_host *host,
                       const imgcoder_output *output);

// Writes what libjpeg has written so far, and then bytes of the caller's own.
void destination_write(j_compress_ptr cinfo, const uint8_t *bytes, uint64_t length);

// Frees the chunk; not the cinfo.
void destination_end(destination *destination);

#endif
