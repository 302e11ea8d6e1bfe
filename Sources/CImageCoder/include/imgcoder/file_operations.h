// SPDX-License-Identifier: Apache-2.0
//
// Extension of a coder: works on whole files without decoding their pixels: writes another format with the same
// content, other metadata, a lossless turn or crop, a gain map, or takes a part of the file out.
//
//   imgcoder_coder.get_extension(coder, "org.imagecoders.file-operations/1") -> const imgcoder_file_operations_table *
//
// An operation is a name, values that are described as options of a writer are, and named blocks of bytes. A new
// operation is a new name: no function, no struct and no message between processes changes. Names without a dot belong to
// this interface; others begin with their author's domain, "org.example.watermark".
//
//   name             values                                  blocks                facts
//   transcode        –                                       –                     –
//   read-metadata    kind                                    –                     –
//   edit-metadata    drop                                    icc, exif, xmp, iptc  –
//   turn             orientation, x, y, width, height        –                     NearestX, NearestY
//   attach-gain-map  –                                       map, iso, xmp,        –
//                                                            cicp, icc
//   attach-video     –                                       video                 –
//   attach-auxiliary –                                       picture, type, xmp    –
//
//   transcode        The same content in another format, so that nothing is lost on the way there and back.
//   read-metadata    Takes out the block of a kind, as the file has it, without the container's own prefix. `kind` is one
//                    of the words "icc", "exif", "xmp" and "iptc"; a coder lists those of which the reader's `metadata`
//                    does not say all. TAKES_OUT.
//   edit-metadata    Writes the file with other metadata, and all else byte for byte. All blocks of the kinds in `drop`,
//                    words with spaces between them, are taken out: those of `kind`, "text" (comments, texts and times of
//                    the container itself) and "other" (whatever else does not change how the main picture looks: data of
//                    applications, thumbnails, previews, bytes after the end). A block is put in; its kind is in `drop`.
//   turn             Writes the file with a part of its picture, turned: x, y, width and height are in pixels of the
//                    stored picture, and a side of 0 reaches to its end; orientation is 1 to 8, Exif 2.32 4.6.4 A: as if
//                    the part were stored so and made upright. Metadata is carried over as it is. Where a part cannot
//                    begin there, facts say at which nearest place it can.
//   attach-gain-map  Writes the file with a gain map. What follows the picture in the source, and what says of another
//                    map, goes. `map` is a file of the same format, whose colors are those of the other rendition as far
//                    as the format says them; `iso` its metadata as ISO 21496-1:2025, C.2 has it; `xmp` the same as a
//                    packet of `hdrgm`, which may be left out. A coder whose operation takes `cicp` and `icc` gets those
//                    colors there instead, as far as they are known: code points as four bytes (primaries, transfer,
//                    matrix, and 1 for full range), and a profile.
//
//   attach-video     Writes the file with a video after its pictures: that of a motion photo. `video` is an MP4 or QuickTime
//                    file. Another video, and other bytes after the pictures, go. What XMP says of it is for the host.
//   attach-auxiliary Writes the file with another picture that belongs to its main one: depth, a matte. `picture` is a
//                    file of the same format; `type` the name of what it is, ASCII, which a format may state by another
//                    name that means the same; `xmp` a packet that says more of it, which may be left out. All else
//                    stays, pictures that the file has already among it.
//
// Facts have at most 64 KiB of names and values.
//
// The manifest lists the operations under "operations", so that the host asks only coders that have them.

#ifndef IMGCODER_FILE_OPERATIONS_H
#define IMGCODER_FILE_OPERATIONS_H

#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IMGCODER_EXTENSION_FILE_OPERATIONS "org.imagecoders.file-operations/1"

struct imgcoder_coder;

// Bytes that an operation works with.
typedef struct imgcoder_block {
  uint32_t struct_size;
  uint32_t reserved;     // 0
  imgcoder_string name;
  const uint8_t *bytes;  // may be null if `length` is 0
  uint64_t length;
} imgcoder_block;

// What is asked for. The host has checked the name, formats, values and names of blocks against the description.
typedef struct imgcoder_operation {
  uint32_t struct_size;
  uint32_t reserved;         // 0
  imgcoder_string name;
  imgcoder_string from, to;  // uniform type identifiers of the source and of the new file, often the same
  const imgcoder_option_value *const *values;  // values that were given; the defaults apply to the other options
  uint64_t value_count;
  const imgcoder_block *const *blocks;         // blocks that were given
  uint64_t block_count;
} imgcoder_operation;

enum {
  IMGCODER_OPERATION_TAKES_OUT = 1  // what is written is a part of the source, and no file of a format that `to` names
};

// Describes an operation; the manifest says the same.
typedef struct imgcoder_operation_kind {
  uint32_t struct_size;
  uint32_t flags;        // IMGCODER_OPERATION_*
  imgcoder_string name;  // lower case, words joined by "-": "turn"
  imgcoder_string text;  // one sentence for lists
  const imgcoder_string *from;               // formats of sources
  const imgcoder_string *to;                 // formats of new files, one for each of `from`; null: the format stays
  uint64_t format_count;
  const imgcoder_option *const *options;     // all values that it takes
  uint64_t option_count;
  const imgcoder_string *blocks;             // names of the blocks that it takes
  uint64_t block_count;
} imgcoder_operation_kind;

typedef struct imgcoder_file_operations_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0
  const imgcoder_operation_kind *const *kinds;  // all operations of the coder, static as the coder is
  uint64_t kind_count;

  // Says whether `run` would write this file, and what it would do, in `facts`. Cheap: reads headers.
  //   ownership  as for a reader's and a writer's `open`, but everything lives only during the call
  //   null       the function itself: the host runs the operation and sees
  //   returns    OK; UNSUPPORTED for this file, and `facts` may say what would be possible; as `run`
  // [any]
  imgcoder_status(IMGCODER_ABI *can)(const struct imgcoder_coder *coder, const imgcoder_host *host,
                                     const imgcoder_source *source, const imgcoder_operation *operation,
                                     const imgcoder_properties *facts);

  // Writes the new file, or the part that is taken out.
  //   ownership  as `can`
  //   returns    OK when every byte is written; NOT_PRESENT if the source does not have the part that is to be taken out;
  //              UNSUPPORTED if this file cannot be changed so, or not without loss, in which case nothing may have been
  //              written; INVALID_ARGUMENT for a value or block that fits no file, or not this one; a status of the source
  //              or the output; MALFORMED; TRUNCATED; LIMIT_EXCEEDED; OUT_OF_MEMORY; LIBRARY; CANCELLED
  // [any]
  imgcoder_status(IMGCODER_ABI *run)(const struct imgcoder_coder *coder, const imgcoder_host *host,
                                     const imgcoder_source *source, const imgcoder_operation *operation,
                                     const imgcoder_output *output, const imgcoder_properties *facts);
} imgcoder_file_operations_table;

#ifdef __cplusplus
}
#endif

#endif
