// SPDX-License-Identifier: Apache-2.0
//
// Draft extension of a coder: takes the metadata of a file out, or puts other metadata in its place, without decoding
// pixels. All other bytes of the picture stay as they are.
//
//   imgcoder_coder.get_extension(coder, "org.imagecoders.draft.metadata-blocks/1")
//     -> const imgcoder_metadata_blocks_table *
//
// The host knows what is inside of the blocks; the plugin knows where they are in its container.

#ifndef IMGCODER_DRAFT_METADATA_BLOCKS_H
#define IMGCODER_DRAFT_METADATA_BLOCKS_H

#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IMGCODER_DRAFT_METADATA_BLOCKS "org.imagecoders.draft.metadata-blocks/1"

struct imgcoder_coder;

// Kinds of blocks. Those that are also kinds of metadata have the same numbers.
enum {
  IMGCODER_BLOCK_ICC = 1,   // an ICC profile
  IMGCODER_BLOCK_EXIF = 2,  // Exif, from its TIFF header on
  IMGCODER_BLOCK_XMP = 3,   // an XMP packet
  IMGCODER_BLOCK_IPTC = 4,  // IPTC-IIM, from its first data set on
  // Comments, texts and times of the container itself. They cannot be put in.
  IMGCODER_BLOCK_TEXT = 5,
  // Whatever else does not change how the main picture looks: data of applications, thumbnails, previews, bytes after
  // the end. It cannot be put in.
  IMGCODER_BLOCK_OTHER = 6
};

typedef struct imgcoder_block {
  const uint8_t *bytes;  // may be null if `length` is 0
  uint64_t length;
} imgcoder_block;

typedef struct imgcoder_block_edits {
  uint32_t struct_size;
  uint32_t kinds;        // 1 << IMGCODER_BLOCK_…: all blocks of these kinds are taken out
  imgcoder_block icc;    // put in if its kind is among `kinds` and it is not empty
  imgcoder_block exif;
  imgcoder_block xmp;
  imgcoder_block iptc;
} imgcoder_block_edits;

typedef struct imgcoder_metadata_blocks_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // Writes the block of a kind, as the file has it, without the container's own prefix.
  //   kind       ICC, EXIF, XMP or IPTC
  //   ownership  as for `edit`
  //   null       the function itself, if the reader's `metadata` says all there is
  //   returns    OK; NOT_PRESENT; UNSUPPORTED if the reader's `metadata` is to be asked for this kind; MALFORMED;
  //              LIMIT_EXCEEDED
  // [any]
  imgcoder_status(IMGCODER_ABI *read)(const struct imgcoder_coder *coder, const imgcoder_host *host,
                                      const imgcoder_source *source, imgcoder_string format, uint32_t kind,
                                      const imgcoder_output *output);

  // Writes the whole file with other metadata.
  //   ownership  as for a reader's and a writer's `open`, but everything lives only during the call
  //   format     the uniform type identifier of the source
  //   returns    OK when every byte of the new file is written; UNSUPPORTED if a block cannot be taken out of this file, or
  //              put into it, in which case nothing may have been written; INVALID_ARGUMENT if a block is too large for
  //              the container; a status of the source or the output; MALFORMED; TRUNCATED; LIMIT_EXCEEDED;
  //              OUT_OF_MEMORY; CANCELLED
  // [any]
  imgcoder_status(IMGCODER_ABI *edit)(const struct imgcoder_coder *coder, const imgcoder_host *host,
                                      const imgcoder_source *source, imgcoder_string format,
                                      const imgcoder_block_edits *edits, const imgcoder_output *output);
} imgcoder_metadata_blocks_table;

#ifdef __cplusplus
}
#endif

#endif
