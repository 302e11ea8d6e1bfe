// SPDX-License-Identifier: Apache-2.0
//
// Draft extension of a reader: pictures that belong to a page and are not shown by themselves: gain maps, depth, mattes.
//
//   imgcoder_reader_table.get_extension(reader, "org.imagecoders.draft.auxiliary-pictures/1")
//     -> const imgcoder_auxiliary_pictures_table *
//
// An auxiliary picture is a hidden page: its number is page_count or more, so that nobody comes across it, and `info`,
// `frame_info`, `negotiate`, `decode`, `metadata` and `properties` of the reader take that number as that of any page.
// Its `info` may have IMGCODER_INFO_EMBEDDED: the picture is then a whole file inside this one, also of the same format,
// as a JPEG's second picture is, and the host opens it. Alpha is none: a page has it in its own pixels.

#ifndef IMGCODER_DRAFT_AUXILIARY_PICTURES_H
#define IMGCODER_DRAFT_AUXILIARY_PICTURES_H

#include "../reader.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IMGCODER_DRAFT_AUXILIARY_PICTURES "org.imagecoders.draft.auxiliary-pictures/1"

// What an auxiliary picture is. The host takes kinds that it does not know for OTHER.
enum {
  IMGCODER_AUXILIARY_OTHER = 0,      // `type` says what
  IMGCODER_AUXILIARY_DEPTH = 1,      // distance: bright is far
  IMGCODER_AUXILIARY_DISPARITY = 2,  // the inverse of distance: bright is near
  IMGCODER_AUXILIARY_MATTE = 3,      // which part of the page shows a person, skin, hair, sky …: see `type`
  IMGCODER_AUXILIARY_GAIN_MAP = 4,   // how much brighter or darker each place is on another display
  IMGCODER_AUXILIARY_PREVIEW = 5     // the page again, smaller
};

typedef struct imgcoder_auxiliary {
  uint32_t struct_size;
  uint32_t kind;          // IMGCODER_AUXILIARY_*
  uint32_t page;          // the picture's own number: page_count or more; different for each picture
  uint32_t owner;         // the page that it belongs to: less than page_count
  imgcoder_string type;   // the file's own name of what it is, `urn:com:apple:photo:2020:aux:hdrgainmap`; may be empty

  // Of a gain map: its metadata as ISO 21496-1:2025, C.2 has it, from `minimum_version` on, or null if it is not in the
  // file so. The host then looks into the XMP of `page` (`hdrgm`, and Apple's), and into the Exif of `owner`.
  const uint8_t *gain_map;
  uint64_t gain_map_length;
  // Of a gain map: the colors that the page has once the map is applied in full. Null, and all 0: those of the page.
  const uint8_t *alternate_icc;
  uint64_t alternate_icc_length;
  imgcoder_cicp alternate_cicp;
  uint32_t reserved;      // 0
} imgcoder_auxiliary;

typedef struct imgcoder_auxiliary_pictures_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // Says how many auxiliary pictures the whole file has. Pictures that are damaged are counted, if it is known where
  // they are; what only breaks the list of them is no error: those before it are counted.
  //   order      after open; never while the file is incomplete
  //   returns    OK; LIMIT_EXCEEDED; OUT_OF_MEMORY; IO; CANCELLED
  // [session]
  imgcoder_status(IMGCODER_ABI *count)(imgcoder_reader *reader, uint32_t *count);

  // Describes one of them. Equal calls give equal results.
  //   order      after open; never while the file is incomplete
  //   ownership  the host owns `*auxiliary` and sets its struct_size; what it points to belongs to the plugin, and lives
  //              until `close`
  //   returns    OK; INVALID_ARGUMENT for an index that is not less than `count`; as `count`
  // [session]
  imgcoder_status(IMGCODER_ABI *describe)(imgcoder_reader *reader, uint32_t index, imgcoder_auxiliary *auxiliary);
} imgcoder_auxiliary_pictures_table;

#ifdef __cplusplus
}
#endif

#endif
