// SPDX-License-Identifier: Apache-2.0
//
// Draft extension of a coder: puts a gain map into a file that is there, without decoding either.
//
//   imgcoder_coder.get_extension(coder, "org.imagecoders.draft.gain-map-files/1")
//     -> const imgcoder_gain_map_files_table *
//
// The host makes the map, and says what its samples mean; the plugin knows where both are in its container.

#ifndef IMGCODER_DRAFT_GAIN_MAP_FILES_H
#define IMGCODER_DRAFT_GAIN_MAP_FILES_H

#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IMGCODER_DRAFT_GAIN_MAP_FILES "org.imagecoders.draft.gain-map-files/1"

struct imgcoder_coder;

typedef struct imgcoder_gain_map_parts {
  uint32_t struct_size;
  uint32_t reserved;       // 0
  // The map as a file of the same format; not null. Its colors are those of the other rendition, as far as the format
  // says them so: samples of the map have none.
  const uint8_t *file;
  uint64_t file_length;
  const uint8_t *iso;      // its metadata as ISO 21496-1:2025, C.2 has it; not null
  uint64_t iso_length;
  const uint8_t *xmp;      // the same as an XMP packet of `hdrgm`; may be null
  uint64_t xmp_length;
} imgcoder_gain_map_parts;

typedef struct imgcoder_gain_map_files_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // Writes the file with the map. What follows the picture in the source, and what says of another map, goes.
  //   ownership  as for a reader's and a writer's `open`, but everything lives only during the call
  //   format     the uniform type identifier of the source
  //   returns    OK when every byte of the new file is written; UNSUPPORTED if the source has no room for it;
  //              a status of the source or the output; MALFORMED; TRUNCATED; OUT_OF_MEMORY; CANCELLED
  // [any]
  imgcoder_status(IMGCODER_ABI *attach)(const struct imgcoder_coder *coder, const imgcoder_host *host,
                                        const imgcoder_source *source, imgcoder_string format,
                                        const imgcoder_gain_map_parts *map, const imgcoder_output *output);
} imgcoder_gain_map_files_table;

#ifdef __cplusplus
}
#endif

#endif
