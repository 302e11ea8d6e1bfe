// SPDX-License-Identifier: Apache-2.0
//
// Draft extension of a coder: writes a file whose picture is a part of another one's, turned or mirrored, without decoding
// it, so that nothing is lost to a second compression.
//
//   imgcoder_coder.get_extension(coder, "org.imagecoders.draft.stored-geometry/1")
//     -> const imgcoder_stored_geometry_table *
//
// Metadata is carried over as it is; the host puts right what it says of the picture.

#ifndef IMGCODER_DRAFT_STORED_GEOMETRY_H
#define IMGCODER_DRAFT_STORED_GEOMETRY_H

#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IMGCODER_DRAFT_STORED_GEOMETRY "org.imagecoders.draft.stored-geometry/1"

struct imgcoder_coder;

typedef struct imgcoder_stored_part {
  uint32_t struct_size;
  uint32_t orientation;  // 1 to 8, Exif 2.32 4.6.4 A: how the part is turned, as if it were stored so and made upright
  uint32_t x, y;         // of the part in the stored picture, pixels
  uint32_t width, height;
} imgcoder_stored_part;

typedef struct imgcoder_stored_geometry_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // Writes the whole file with another picture.
  //   ownership  as for a reader's and a writer's `open`, but everything lives only during the call
  //   format     the uniform type identifier of the source
  //   part       not empty, and inside the picture
  //   returns    OK when every byte of the new file is written; UNSUPPORTED if this part cannot be taken, or turned so,
  //              without loss, in which case nothing may have been written; INVALID_ARGUMENT for a part that is not
  //              inside; a status of the source or the output; MALFORMED or TRUNCATED if a part of the picture is missing;
  //              LIMIT_EXCEEDED; OUT_OF_MEMORY; LIBRARY; CANCELLED
  // [any]
  imgcoder_status(IMGCODER_ABI *write)(const struct imgcoder_coder *coder, const imgcoder_host *host,
                                       const imgcoder_source *source, imgcoder_string format,
                                       const imgcoder_stored_part *part, const imgcoder_output *output);
} imgcoder_stored_geometry_table;

#ifdef __cplusplus
}
#endif

#endif
