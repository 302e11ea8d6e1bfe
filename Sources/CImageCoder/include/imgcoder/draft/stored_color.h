// SPDX-License-Identifier: Apache-2.0
//
// Draft extension of an open file: what it says of its colors beside code points, one gamma and a profile, and its inks
// where it has some. And of a file that is written: how bright its light is.
//
//   imgcoder_reader_table.get_extension(reader, "org.imagecoders.draft.stored-color/2")
//     -> const imgcoder_stored_color_table *
//   imgcoder_writer_table.get_extension(writer, "org.imagecoders.draft.stored-color/2")
//     -> const imgcoder_written_color_table *
//
// The host decides which of several statements counts.

#ifndef IMGCODER_DRAFT_STORED_COLOR_H
#define IMGCODER_DRAFT_STORED_COLOR_H

#include "../writer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IMGCODER_DRAFT_STORED_COLOR "org.imagecoders.draft.stored-color/2"

enum {
  IMGCODER_COLOR_INKS = 32  // in `flags`: the page is stored as cyan, magenta, yellow and black, which can be had
};

typedef imgcoder_color imgcoder_stored_color;

typedef struct imgcoder_stored_color_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // Describes the colors of a page.
  //   ownership  the host owns `*color` and sets its struct_size
  //   returns    OK; INVALID_ARGUMENT for a page that the file does not have; MALFORMED; LIMIT_EXCEEDED
  // [session]
  imgcoder_status(IMGCODER_ABI *describe)(imgcoder_reader *reader, uint32_t page, imgcoder_stored_color *color);

  // As `negotiate` and `decode` of the reader, for inks: the four samples of a pixel of RGBA8 or RGBA16 are cyan, magenta,
  // yellow and black, from no ink to all of it. The offer's alpha is OPAQUE and says nothing: the alpha of a page that has
  // one is what `decode` delivers.
  //   null       both, if no page has inks
  //   returns    UNSUPPORTED for a page without inks; else as those
  // [session]
  imgcoder_status(IMGCODER_ABI *negotiate_inks)(imgcoder_reader *reader, const imgcoder_request *request,
                                                imgcoder_offer *offer);
  imgcoder_status(IMGCODER_ABI *decode_inks)(imgcoder_reader *reader, const imgcoder_offer *offer,
                                             const imgcoder_sink *sink);
} imgcoder_stored_color_table;

typedef struct imgcoder_written_color_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // Says how bright the light of the page is: of `color` only what MASTERING, MASTERING_PRIMARIES and LIGHT_LEVELS stand
  // for is used.
  //   order      after the metadata, before add_thumbnail and the first frame; at most once for each page
  //   ownership  `color` belongs to the host and lives during the call
  //   returns    OK; UNSUPPORTED if the file has no place for it; INVALID_ARGUMENT
  // [session]
  imgcoder_status(IMGCODER_ABI *set_light)(imgcoder_writer *writer, const imgcoder_stored_color *color);
} imgcoder_written_color_table;

#ifdef __cplusplus
}
#endif

#endif
