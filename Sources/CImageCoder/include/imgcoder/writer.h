// SPDX-License-Identifier: Apache-2.0
//
// Writing. The host passes whole frames in memory, in a pixel format that the writer has accepted.
//
//   open, negotiate, set_info, { add_metadata }, [ add_thumbnail ], { add_frame }, finish, close
//
// A coder with the flag IMGCODER_CODER_WRITES_PAGES takes several pages, one after the other. The calls for each are
//
//   negotiate, set_info, { add_metadata }, [ add_thumbnail ], add_frame
//
// After a call has returned an error, only `close` may be called.

#ifndef IMGCODER_WRITER_H
#define IMGCODER_WRITER_H

#include "reader.h"

#ifdef __cplusplus
extern "C" {
#endif

// Defined by the plugin; one per file that is written.
typedef struct imgcoder_writer imgcoder_writer;

enum {
  IMGCODER_WRITE_LOSSLESS = 1  // keep every sample exactly; UNSUPPORTED if the format cannot
};

typedef struct imgcoder_write_options {
  uint32_t struct_size;
  uint32_t flags;               // IMGCODER_WRITE_*
  imgcoder_string format;       // which of the coder's formats, "public.png"
  const imgcoder_option_value *const *values;  // values that were given; the defaults apply to the other options
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

// Whether the writer keeps an orientation, and which frames of an animation it takes. A writer without
// IMGCODER_WRITER_FRAMES gets one frame. The host crops frames to the part that changed, if the writer takes such frames;
// a writer without IMGCODER_WRITER_PARTS gets each frame as the whole canvas.
enum {
  IMGCODER_WRITER_ORIENTATION = 1,    // keeps the orientation of `info` as a tag; other writers get upright pictures
  IMGCODER_WRITER_PARTS = 2,          // a frame may cover a part of the canvas
  IMGCODER_WRITER_EVEN_PARTS = 4,     // ... at even offsets only
  IMGCODER_WRITER_REPLACES = 8,       // a part may replace the canvas, alpha included (IMGCODER_BLEND_SOURCE)
  IMGCODER_WRITER_BLENDS = 16,        // a part may be drawn over the canvas by alpha (IMGCODER_BLEND_OVER)
  IMGCODER_WRITER_CLEARS = 32,        // supports IMGCODER_DISPOSAL_RESTORE_BACKGROUND
  IMGCODER_WRITER_RESTORES = 64,      // supports IMGCODER_DISPOSAL_RESTORE_PREVIOUS
  IMGCODER_WRITER_BINARY_ALPHA = 128, // pixels of an animation are either opaque or fully transparent
  IMGCODER_WRITER_FRAMES = 256,       // takes the frames of an animation

  // Since version 1.1.
  IMGCODER_WRITER_RESOLUTION = 512,   // keeps `resolution` and `pixel_aspect` of `info`
  IMGCODER_WRITER_IPTC = 1024,        // takes IMGCODER_METADATA_IPTC
  IMGCODER_WRITER_GEOTIFF = 2048,     // takes IMGCODER_METADATA_GEOTIFF
  IMGCODER_WRITER_TEXT = 4096,        // takes IMGCODER_METADATA_TEXT
  IMGCODER_WRITER_TRAILER = 8192      // takes IMGCODER_METADATA_TRAILER
};

typedef struct imgcoder_writer_table {
  uint32_t struct_size;
  uint32_t features;  // IMGCODER_WRITER_*

  // Opens a session. Nothing is written yet.
  //   order      first
  //   ownership  `coder` belongs to the plugin; `host` and `output` live until `close` returns; `options` and
  //              everything it points at live only during the call. `*writer` belongs to the plugin, until the host
  //              passes it to `close`.
  //   returns    OK; UNSUPPORTED for an option that the format cannot meet; INVALID_ARGUMENT; OUT_OF_MEMORY
  // [any]
  imgcoder_status(IMGCODER_ABI *open)(const struct imgcoder_coder *coder, const imgcoder_host *host,
                                      const imgcoder_output *output, const imgcoder_write_options *options,
                                      imgcoder_writer **writer);

  // Says in which pixel format the writer takes frames. `wanted` is the format that the host has (with its alpha mode).
  // The writer should accept it if the file format can hold it without loss, else the nearest format; the host
  // converts.
  //   order      after open, before set_info; again for each page
  //   returns    OK; UNSUPPORTED; INVALID_ARGUMENT
  // [session]
  imgcoder_status(IMGCODER_ABI *negotiate)(imgcoder_writer *writer, imgcoder_pixel_format wanted,
                                           imgcoder_alpha wanted_alpha, imgcoder_pixel_format *accepted,
                                           imgcoder_alpha *accepted_alpha);

  // Describes what is going to be written: the canvas, the number of frames (0: not known yet; 1 for a still) and of
  // pages, the number of plays, and the orientation to keep as a tag. The host makes the orientation tag of an Exif
  // payload agree with it.
  //   order      after negotiate; once, or for each page, with the same number of pages
  //   returns    OK; UNSUPPORTED (a canvas larger than the format's own maximum, more frames than it holds)
  // [session]
  imgcoder_status(IMGCODER_ABI *set_info)(imgcoder_writer *writer, const imgcoder_info *info);

  // Adds a raw metadata payload.
  //   order      after set_info, before the first frame
  //   ownership  `bytes` belongs to the host and lives during the call
  //   null       the function itself, if the container has no metadata
  //   returns    OK; UNSUPPORTED if the format has no place for this kind; INVALID_ARGUMENT if the payload is too large
  // [session]
  imgcoder_status(IMGCODER_ABI *add_metadata)(imgcoder_writer *writer, imgcoder_metadata_kind kind,
                                              const uint8_t *bytes, uint64_t length);

  // Encodes a frame. Only the rectangle, delay, disposal and blend of `frame` are used.
  //   order      after set_info; at least once
  //   ownership  both belong to the host and live during the call
  //   returns    OK; UNSUPPORTED for a second frame in a still format; OUT_OF_MEMORY; LIBRARY; a status of the output
  // [session]
  imgcoder_status(IMGCODER_ABI *add_frame)(imgcoder_writer *writer, const imgcoder_frame_info *frame,
                                           const imgcoder_pixels *pixels);

  // Writes the rest of the file.
  //   order      after the last frame
  //   returns    OK; OUT_OF_ORDER if no frame was added; a status of the output
  // [session]
  imgcoder_status(IMGCODER_ABI *finish)(imgcoder_writer *writer);

  // Ends the session. `writer` is invalid afterwards. Never fails.
  //   order      last; also without finish
  // [session]
  void(IMGCODER_ABI *close)(imgcoder_writer *writer);

  // Adds a thumbnail that is stored inside the file, in the pixel format that was accepted.
  //   order      after the metadata, before the first frame; at most once for each page
  //   ownership  `pixels` belongs to the host and lives during the call
  //   null       the function itself, if the container has no place for a thumbnail
  //   returns    OK; UNSUPPORTED; OUT_OF_MEMORY; LIBRARY; a status of the output
  // [session]
  imgcoder_status(IMGCODER_ABI *add_thumbnail)(imgcoder_writer *writer, const imgcoder_pixels *pixels);

  // Returns the extension of this session with this id, or null if it has none.
  //   order      after open
  //   ownership  lives until `close`
  //   null       the function itself
  // [session]
  const void *(IMGCODER_ABI *get_extension)(imgcoder_writer *writer, imgcoder_string id);

  // Version 1.1. Says how bright the light of the page is: of `color` only what MASTERING, MASTERING_PRIMARIES and
  // LIGHT_LEVELS stand for is used.
  //   order      after the metadata, before add_thumbnail and the first frame; at most once for each page
  //   ownership  `color` belongs to the host and lives during the call
  //   null       the function itself
  //   returns    OK; UNSUPPORTED if the file has no place for it; INVALID_ARGUMENT
  // [session]
  imgcoder_status(IMGCODER_ABI *set_color)(imgcoder_writer *writer, const imgcoder_color *color);
} imgcoder_writer_table;

#ifdef __cplusplus
}
#endif

#endif
