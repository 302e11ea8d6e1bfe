// SPDX-License-Identifier: Apache-2.0
//
// A file of libjpeg's that is kept in memory, until it is known to be the smallest. Private to the shim.

#ifndef CJPEG_KEPT_H
#define CJPEG_KEPT_H

#include "failure.h"

typedef struct kept_piece kept_piece;

typedef struct kept {
  struct jpeg_destination_mgr manager;  // first: libjpeg hands back a pointer to it
  const imgcoder_host *host;
  kept_piece *first, *last;
  uint64_t length;
} kept;

// Attaches an empty file to cinfo, which has an error manager.
void kept_begin(j_compress_ptr cinfo, kept *kept, const imgcoder_host *host);

// Writes all but the first bytes.
imgcoder_status kept_write(const kept *kept, uint64_t skipped, const imgcoder_output *output);

void kept_free(kept *kept);

#endif
