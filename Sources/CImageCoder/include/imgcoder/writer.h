// SPDX-License-Identifier: Apache-2.0
//
// Writing. The host hands over whole frames in memory, in a pixel format that the writer has agreed to.
//
//   open, negotiate, set_info, { add_metadata }, [ add_thumbnail ], { add_frame }, finish, close
//
// A coder with the flag IMGCODER_CODER_WRITES_PAGES takes several pages, one after the other, each as
//
//   negotiate, set_info, { add_metadata }, [ add_thumbnail ], add_frame
//
// After a status in an error group only `close` follows.

#ifndef IMGCODER_WRITER_H
#define IMGCODER_WRITER_H

#include "reader.h"

#ifdef __cplusplus
extern "C" {
#endif

// The plugin's own, one per file that is written.
typedef struct imgcoder_writer imgcoder_writer;

enum {
  IMGCODER_OPTION_BOOLEAN = 1,
  IMGCODER_OPTION_INTEGER = 2,
  IMGCODER_OPTION_NUMBER = 3,
  IMGCODER_OPTION_CHOICE = 4  // one word out of `choices`
};

// Describes an option of the writer. The host validates values by it before the plugin sees them. Three names have one
// meaning in all formats: "quality" (NUMBER, 0 smallest, 1 best), "progressive" (BOOLEAN, interlaced or progressive
// output) and "subsampling" (CHOICE of "4:4:4", "4:2:2", "4:2:0", "4:4:0", "4:1:1", "4:0:0"). Of a writer that does not
// describe one of these, the host says to its caller that it changes nothing.
typedef struct imgcoder_option {
  uint32_t struct_size;
  uint32_t type;              // IMGCODER_OPTION_*
  imgcoder_string name;       // lower case, words joined by "-": "method"
  imgcoder_string text;       // one sentence for `--help`
  double minimum, maximum;    // of INTEGER and NUMBER, both allowed
  double default_value;       // of BOOLEAN (0 or 1), INTEGER and NUMBER; of CHOICE the index
  const imgcoder_string *choices;
  uint64_t choice_count;
} imgcoder_option;

// A value for an option: a number for BOOLEAN (0 or 1), INTEGER and NUMBER, the index of the word
// for CHOICE. It is inside the described range.
typedef struct imgcoder_option_value {
  imgcoder_string name;
  double value;
} imgcoder_option_value;

enum {
  IMGCODER_WRITE_LOSSLESS = 1  // every sample comes back as it was; UNSUPPORTED when the format cannot
};

typedef struct imgcoder_write_options {
  uint32_t struct_size;
  uint32_t flags;               // IMGCODER_WRITE_*
  imgcoder_string format;       // which of the coder's formats, "public.png"
  const imgcoder_option_value *values;  // that were asked for; of the others the defaults hold
  uint64_t value_count;
} imgcoder_write_options;

// A whole picture in the host's memory.
typedef struct imgcoder_pixels {
  uint32_t struct_size;
  imgcoder_pixel_format pixel_format;
  imgcoder_alpha alpha;
  uint32_t width, height;
  uint32_t reserved;
  const uint8_t *pixels;  // rows top to bottom
  uint64_t stride;        // bytes, at least width × bytes per pixel
} imgcoder_pixels;

// Whether the writer keeps an orientation, and which frames of an animation it takes. The host cuts frames to what
// changed where the writer takes such frames; to a writer without IMGCODER_WRITER_PARTS each frame comes as the whole
// canvas.
enum {
  IMGCODER_WRITER_ORIENTATION = 1,    // keeps the orientation of `info` as a tag; to others pictures come upright
  IMGCODER_WRITER_PARTS = 2,          // a frame may cover a part of the canvas
  IMGCODER_WRITER_EVEN_PARTS = 4,     // ... at even offsets only
  IMGCODER_WRITER_REPLACES = 8,       // a part may replace what is on the canvas, alpha included (IMGCODER_BLEND_SOURCE)
  IMGCODER_WRITER_BLENDS = 16,        // a part may be drawn over the canvas by alpha (IMGCODER_BLEND_OVER)
  IMGCODER_WRITER_CLEARS = 32,        // IMGCODER_DISPOSAL_RESTORE_BACKGROUND
  IMGCODER_WRITER_RESTORES = 64,      // IMGCODER_DISPOSAL_RESTORE_PREVIOUS
  IMGCODER_WRITER_BINARY_ALPHA = 128  // pixels of an animation are opaque or wholly transparent
};

typedef struct imgcoder_writer_table {
  uint32_t struct_size;
  uint32_t features;  // IMGCODER_WRITER_*

  // Opens a session. Nothing is written yet.
  //   order      first
  //   ownership  `coder` is the plugin's own; `host` and `output` live until `close` returns; `options` and all it
  //              points at only during the call. `*writer` is the plugin's, until the host hands it to `close`.
  //   returns    OK; UNSUPPORTED for an option that the format cannot follow; INVALID_ARGUMENT; OUT_OF_MEMORY
  // [any]
  imgcoder_status(IMGCODER_ABI *open)(const struct imgcoder_coder *coder, const imgcoder_host *host,
                                      const imgcoder_output *output, const imgcoder_write_options *options,
                                      imgcoder_writer **writer);

  // Says in which pixel format the writer takes frames. `wanted` is what the host has (with its alpha mode). The
  // answer should be the same when the format can hold it without loss, else the nearest; the host converts.
  //   order      after open, before set_info; again for each page
  //   returns    OK; UNSUPPORTED; INVALID_ARGUMENT
  // [session]
  imgcoder_status(IMGCODER_ABI *negotiate)(imgcoder_writer *writer, imgcoder_pixel_format wanted,
                                           imgcoder_alpha wanted_alpha, imgcoder_pixel_format *accepted,
                                           imgcoder_alpha *accepted_alpha);

  // Says what is going to be written: the canvas, the number of frames (0: not known yet; a still says 1) and of pages,
  // plays, and the orientation as a tag. The host keeps the tag of an Exif payload in step with it.
  //   order      after negotiate; once, or for each page, with the same number of pages
  //   returns    OK; UNSUPPORTED (a canvas larger than the format's own maximum, more frames than it holds)
  // [session]
  imgcoder_status(IMGCODER_ABI *set_info)(imgcoder_writer *writer, const imgcoder_info *info);

  // Adds a raw metadata payload.
  //   order      after set_info, before the first frame
  //   ownership  `bytes` is the host's, during the call
  //   null       the function itself, when the container has no metadata
  //   returns    OK; UNSUPPORTED when the format has no place for this kind; INVALID_ARGUMENT when it is too large for it
  // [session]
  imgcoder_status(IMGCODER_ABI *add_metadata)(imgcoder_writer *writer, imgcoder_metadata_kind kind,
                                              const uint8_t *bytes, uint64_t length);

  // Encodes a frame. Of `frame`, the rectangle, delay, disposal and blend count.
  //   order      after set_info; at least once
  //   ownership  both are the host's, during the call
  //   returns    OK; UNSUPPORTED for a second frame in a still format; OUT_OF_MEMORY; LIBRARY; a status of the output
  // [session]
  imgcoder_status(IMGCODER_ABI *add_frame)(imgcoder_writer *writer, const imgcoder_frame_info *frame,
                                           const imgcoder_pixels *pixels);

  // Writes what is left.
  //   order      after the last frame
  //   returns    OK; OUT_OF_ORDER when no frame was added; a status of the output
  // [session]
  imgcoder_status(IMGCODER_ABI *finish)(imgcoder_writer *writer);

  // Ends the session. `writer` is invalid afterwards. Never fails.
  //   order      last; also without finish
  // [session]
  void(IMGCODER_ABI *close)(imgcoder_writer *writer);

  // Adds a small picture to be kept inside the file, in the pixel format that was accepted.
  //   order      after the metadata, before the first frame; at most once for each page
  //   ownership  `pixels` is the host's, during the call
  //   null       the function itself, when the container has no place for one
  //   returns    OK; UNSUPPORTED; OUT_OF_MEMORY; LIBRARY; a status of the output
  // [session]
  imgcoder_status(IMGCODER_ABI *add_thumbnail)(imgcoder_writer *writer, const imgcoder_pixels *pixels);
} imgcoder_writer_table;

#ifdef __cplusplus
}
#endif

#endif
