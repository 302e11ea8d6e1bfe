// SPDX-License-Identifier: Apache-2.0
//
// Extension of a writer: a frame whose rows come a few at a time, so that no one holds the whole picture.
//
//   imgcoder_writer_table.get_extension(writer, "org.imagecoders.frame-rows/1")
//     -> const imgcoder_frame_rows_table *
//
// begin, add until every row was given, end: together they are one call of add_frame, and the file shows the same. It is the
// same byte for byte, unless the writer looks at a frame before it compresses it: here it sees the first rows alone. The host
// never uses both for one frame.

#ifndef IMGCODER_FRAME_ROWS_H
#define IMGCODER_FRAME_ROWS_H

#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IMGCODER_EXTENSION_FRAME_ROWS "org.imagecoders.frame-rows/1"

typedef struct imgcoder_frame_rows_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // Begins a frame. Only the rectangle, delay, disposal and blend of `frame` are used.
  //   order      as add_frame
  //   ownership  both belong to the host and live during the call; `shape->pixels` is null, the rest is that of the whole
  //              frame
  //   returns    OK; UNSUPPORTED if this frame is needed whole (a palette of its own, passes, two looks at the pixels):
  //              the host then calls add_frame, and nothing has been written; as add_frame
  // [session]
  imgcoder_status(IMGCODER_ABI *begin)(imgcoder_writer *writer, const imgcoder_frame_info *frame,
                                       const imgcoder_pixels *shape);

  // Gives the next rows, top to bottom: `rows->height` of them, in the frame's width and pixel format.
  //   order      after begin, until every row was given; no other call comes in between
  //   ownership  the host's; lives during the call
  //   returns    as add_frame; INVALID_ARGUMENT for more rows than the frame has, or of another width or format
  // [session]
  imgcoder_status(IMGCODER_ABI *add)(imgcoder_writer *writer, const imgcoder_pixels *rows);

  // Ends the frame.
  //   order      after the last row
  //   returns    as add_frame; OUT_OF_ORDER if rows are missing
  // [session]
  imgcoder_status(IMGCODER_ABI *end)(imgcoder_writer *writer);
} imgcoder_frame_rows_table;

#ifdef __cplusplus
}
#endif

#endif
