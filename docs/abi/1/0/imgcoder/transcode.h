// SPDX-License-Identifier: Apache-2.0
//
// Extension of a coder: converts a file of one format to a file of another format with exactly the same content,
// without decoding its pixels. JPEG XL can store a JPEG file in this way, and restore it byte for byte.
//
//   imgcoder_coder.get_extension(coder, "org.imagecoders.transcode/1") -> const imgcoder_transcode_table *
//
// The manifest lists the pairs of formats under "transcodes", so that the host only asks coders that support them.

#ifndef IMGCODER_TRANSCODE_H
#define IMGCODER_TRANSCODE_H

#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IMGCODER_EXTENSION_TRANSCODE "org.imagecoders.transcode/1"

struct imgcoder_coder;

typedef struct imgcoder_transcode_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // Converts a whole file.
  //   ownership  as for a reader's and a writer's `open`, but everything lives only during the call
  //   from, to   uniform type identifiers of the source and of the new file
  //   returns    OK when every byte of the new file is written; UNSUPPORTED if this file cannot be converted without
  //              loss, in which case nothing may have been written; a status of the source or the output; MALFORMED;
  //              TRUNCATED; LIMIT_EXCEEDED; OUT_OF_MEMORY; LIBRARY; CANCELLED
  // [any]
  imgcoder_status(IMGCODER_ABI *transcode)(const struct imgcoder_coder *coder, const imgcoder_host *host,
                                           const imgcoder_source *source, imgcoder_string from, imgcoder_string to,
                                           const imgcoder_output *output);
} imgcoder_transcode_table;

#ifdef __cplusplus
}
#endif

#endif
