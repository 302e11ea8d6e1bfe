// SPDX-License-Identifier: Apache-2.0
//
// The effort `small`: the picture is kept, the levels of its coefficients are chosen by what they cost, and the smallest of a
// few files is written. Private to the shim.

#ifndef CJPEG_SMALL_H
#define CJPEG_SMALL_H

#include "kept.h"
#include "levels.h"
#include "planes.h"

typedef struct small_picture {
  planes planes;
  tuning tuning;
  levels_channel channel[3];
  jvirt_barray_ptr blocks[3];
  levels_counts counts[2];             // of luma and of chroma
  struct jpeg_compress_struct trial;
  kept files[2];                       // the smallest so far, and the one that is tried
} small_picture;

// What is asked of a host now and then: it may end the call with a longjmp.
typedef void small_visit(j_common_ptr cinfo, double done);

// Makes room for a picture. `cinfo` is configured for it, and holds the memory that libjpeg allocates.
void small_begin(small_picture *small, j_compress_ptr cinfo, const imgcoder_host *host,
                 const cjpeg_encode_options *options);

// Writes everything that follows SOI and the segments, after the last row.
//   configure  makes a compressor that has been created like cinfo
void small_write(small_picture *small, j_compress_ptr cinfo, const cjpeg_encode_options *options,
                 void (*configure)(j_compress_ptr cinfo), small_visit *visit, const imgcoder_output *output);

void small_free(small_picture *small);

#endif
