// SPDX-License-Identifier: Apache-2.0
//
// Extension of a coder: a file of one format becomes a file of another one that holds exactly the same, without its
// pixels being decoded. JPEG XL keeps JPEG files so, and gives them back byte for byte.
//
//   imgcoder_coder.get_extension(coder, "org.imagecoders.transcode/1") -> const imgcoder_transcode_table *
//
// The manifest lists the pairs of formats under "transcodes", so that the host asks nobody in vain.

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

  // Carries a whole file over.
  //   ownership  everything is the host's or the plugin's own, as for a reader's and a writer's `open`, and lives during
  //              the call
  //   from, to   uniform type identifiers: what the source is, and what is wanted
  //   returns    OK when every byte of the new file is written; UNSUPPORTED when this file cannot be carried over
  //              without loss, and then nothing may have been written; a status of the source or the output; MALFORMED;
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
