// SPDX-License-Identifier: Apache-2.0
//
// Reading. A reader knows its container and nothing of thumbnail arithmetic, compositing, caches, clamped delays or
// priorities: those are the host's.
//
// Pages are independent pictures (a TIFF directory, an entry of an ICO); frames are the steps of one animation. A file
// has at least one page, and a page has at least one frame. Both count from 0.
//
//   open, { info, frame_info, negotiate, decode, metadata, properties }, close
//
// After a status in an error group, `decode` may still be called for another frame; `close` always.

#ifndef IMGCODER_READER_H
#define IMGCODER_READER_H

#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

struct imgcoder_coder;

// The plugin's own, one per open file.
typedef struct imgcoder_reader imgcoder_reader;

// What the host is going to do, so that a reader can spare itself work. All are hints.
enum {
  IMGCODER_OPEN_HEADER_ONLY = 1,       // info and metadata will be asked for, pixels not
  IMGCODER_OPEN_FIRST_FRAME_ONLY = 2,  // frames behind the first will not be asked for, and need not be counted
  IMGCODER_OPEN_INCREMENTAL = 4           // bytes arrive over time, and asking the source for one that is not there yet waits
                                       // for it: see imgcoder_coder.flags
};

typedef struct imgcoder_open_options {
  uint32_t struct_size;
  uint32_t flags;
} imgcoder_open_options;

enum {
  IMGCODER_INFO_ANIMATED = 1,         // frames are steps in time, even when there is only one so far; without it, several
                                      // frames are parts of one still picture
  IMGCODER_INFO_PLAYS_STATED = 2,     // `plays` is the file's own; without it the container's default holds
  IMGCODER_INFO_HAS_ICC = 4,
  IMGCODER_INFO_HAS_EXIF = 8,
  IMGCODER_INFO_HAS_XMP = 16,
  IMGCODER_INFO_HAS_BACKGROUND = 32,  // `background` is the file's own
  IMGCODER_INFO_TRUNCATED = 64,       // the file ends early; frame_count counts what is there
  IMGCODER_INFO_PROGRESSIVE = 128,    // interlaced or progressive: coarse rows come before fine ones
  IMGCODER_INFO_LOSSLESS = 256,       // this file's pixels are stored without loss
  IMGCODER_INFO_PALETTE = 512,        // this file's pixels are stored as indexes
  IMGCODER_INFO_DAMAGED = 1024,       // the file breaks its format's rules further on; frame_count counts what is there
  IMGCODER_INFO_PAGES_ARE_SIZES = 2048,  // all pages show one picture, in several sizes or depths (an icon): for a
                                         // thumbnail the host takes the page that fits best
  IMGCODER_INFO_EMBEDDED = 4096,      // the page is a whole file of another format inside this one, at `embedded`
  IMGCODER_INFO_INCOMPLETE = 8192        // bytes arrive: what stands behind the pixels is not known yet, and if ANIMATED is
                                      // set, frames may follow, which frame_info tells
};

// What is known of a page without its pixels.
typedef struct imgcoder_info {
  uint32_t struct_size;
  uint32_t flags;             // IMGCODER_INFO_*
  uint32_t width, height;     // of the canvas, pixels, as stored: before orientation; at least 1
  imgcoder_pixel_format pixel_format;  // the narrowest that holds every pixel without loss
  uint32_t bits_per_channel;  // as stored: 1 to 32
  imgcoder_alpha alpha;
  uint32_t orientation;       // Exif's 1 to 8, still to be applied; 0 or 1: none. A reader that applies it says 1.
  uint32_t frame_count;       // at least 1
  uint32_t page_count;        // of the whole file, at least 1
  uint32_t primary_page;      // the page to show when none is named
  uint32_t plays;             // how often the animation plays in all; 0: without end
  imgcoder_cicp cicp;
  uint32_t subsampling;       // IMGCODER_SUBSAMPLING_*
  double gamma;               // of encoding, 0.45455 for sRGB-like; 0: not stated
  uint16_t background[4];     // red, green, blue, alpha, 0 to 65535
  imgcoder_string format;     // the uniform type identifier, "public.png"; static in the plugin

  // Of a page with the flag EMBEDDED: where its file is in the source, bytes. The host opens that file with the coder
  // it has for it, and asks this reader for nothing but the page's `info` and `properties`; the other fields say what
  // the container's directory says. Embedded files embed no further files.
  uint64_t embedded_offset, embedded_length;
} imgcoder_info;

enum {
  IMGCODER_FRAME_HAS_ALPHA = 1  // some pixel of the frame may be not opaque
};

// One step of an animation, before any compositing. A still picture has one frame that covers the canvas.
typedef struct imgcoder_frame_info {
  uint32_t struct_size;
  uint32_t flags;              // IMGCODER_FRAME_*
  uint32_t x, y, width, height;  // the frame's rectangle on the canvas, pixels, origin top left; inside the canvas
  uint32_t delay_numerator;    // seconds = numerator / denominator, as the file has it, not clamped
  uint32_t delay_denominator;  // 0: not stated
  imgcoder_disposal disposal;
  imgcoder_blend blend;
  uint32_t depends_on;         // the earliest frame that has to be drawn, after a clear, to show this one; UINT32_MAX:
                               // the host works it out from rectangles, disposal, blend and alpha
  uint32_t reserved;
} imgcoder_frame_info;

// In which order the rows of a decode reach the sink.
typedef uint32_t imgcoder_row_order;

enum {
  IMGCODER_ROWS_TOP_DOWN = 0,  // each row once, from the top: the host may keep only a few of them
  IMGCODER_ROWS_ANY = 1        // several passes, bottom up, tiles, or all at once: the host keeps the picture
};

// What the host would like. Sizes are of the stored picture, before orientation.
typedef struct imgcoder_request {
  uint32_t struct_size;
  uint32_t page, frame;
  // The size that is wanted, 0 × 0 for the frame's own. A reader that can scale cheaply while it decodes offers a size
  // of at least this in both directions (and never enlarges); any other offers the frame's own. The host does the rest.
  uint32_t width, height;
  imgcoder_pixel_format pixel_format;
  imgcoder_alpha alpha;        // for formats with an alpha channel
  uint32_t reserved;
} imgcoder_request;

// What of a request an offer leaves to the host.
enum {
  IMGCODER_UNMET_SIZE = 1,
  IMGCODER_UNMET_PIXEL_FORMAT = 2,
  IMGCODER_UNMET_ALPHA = 4
};

// What the reader will deliver.
typedef struct imgcoder_offer {
  uint32_t struct_size;
  uint32_t page, frame;        // set by the host to those of the request, whatever the reader writes
  uint32_t width, height;      // of the picture that reaches the sink
  imgcoder_pixel_format pixel_format;
  imgcoder_alpha alpha;
  imgcoder_row_order row_order;
  uint32_t unmet;              // IMGCODER_UNMET_*
  uint32_t scale_code;         // the reader's own note to itself; the host hands it back
  uint64_t memory;             // bytes that the reader and its library need while they decode, an estimate
} imgcoder_offer;

typedef struct imgcoder_reader_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // Opens a file: reads and checks its header, and allocates no pixels.
  //   order      first
  //   ownership  `coder` is the plugin's own; `host` and `source` live until `close` returns; `options` only during the
  //              call. `*reader` is the plugin's, until the host hands it to `close`; it is set on OK only.
  //   null       `options`
  //   returns    OK; WRONG_FORMAT, so that the host may try the next coder; TRUNCATED when the header is cut;
  //              MALFORMED; UNSUPPORTED; LIMIT_EXCEEDED; OUT_OF_MEMORY; IO
  // [any]
  imgcoder_status(IMGCODER_ABI *open)(const struct imgcoder_coder *coder, const imgcoder_host *host,
                                      const imgcoder_source *source, const imgcoder_open_options *options,
                                      imgcoder_reader **reader);

  // Describes a page. The same question has the same answer.
  //   order      after open
  //   ownership  the host owns `*info` and sets its struct_size
  //   returns    OK; INVALID_ARGUMENT for a page that the file does not have; MALFORMED; LIMIT_EXCEEDED
  // [session]
  imgcoder_status(IMGCODER_ABI *info)(imgcoder_reader *reader, uint32_t page, imgcoder_info *info);

  // Describes a frame. No pixels are decoded for it.
  //   order      after open
  //   ownership  the host owns `*frame_info` and sets its struct_size
  //   returns    as `info`
  // [session]
  imgcoder_status(IMGCODER_ABI *frame_info)(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                            imgcoder_frame_info *frame_info);

  // Says what `decode` would deliver for a request. Changes nothing.
  //   order      after open
  //   ownership  the host owns both structs and sets their struct_size; `offer` is written on OK only
  //   returns    as `info`
  // [session]
  imgcoder_status(IMGCODER_ABI *negotiate)(imgcoder_reader *reader, const imgcoder_request *request,
                                           imgcoder_offer *offer);

  // Decodes a frame's own pixels, not composited, into the sink.
  //   order      after negotiate; any frame, in any order, any number of times
  //   ownership  `offer` is what `negotiate` gave and lives, like `sink`, during the call
  //   returns    OK when every row is done; TRUNCATED or MALFORMED after the rows that could be had; a status that the
  //              sink returned; UNSUPPORTED; OUT_OF_MEMORY; LIBRARY; CANCELLED
  // [session]
  imgcoder_status(IMGCODER_ABI *decode)(imgcoder_reader *reader, const imgcoder_offer *offer,
                                        const imgcoder_sink *sink);

  // Shows a raw metadata payload.
  //   order      after open
  //   ownership  the plugin's, until `close`
  //   null       the function itself, when the container has no metadata
  //   returns    OK; NOT_PRESENT; LIMIT_EXCEEDED; MALFORMED
  // [session]
  imgcoder_status(IMGCODER_ABI *metadata)(imgcoder_reader *reader, uint32_t page, imgcoder_metadata_kind kind,
                                          const uint8_t **bytes, uint64_t *length);

  // Puts the container's properties of a page, or of one frame, into a dictionary.
  //   order      after open
  //   frame      a frame's number, or UINT32_MAX for what holds for the page
  //   null       the function itself
  //   returns    OK; INVALID_ARGUMENT
  // [session]
  imgcoder_status(IMGCODER_ABI *properties)(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                            const imgcoder_properties *properties);

  // Ends the session. `reader` is invalid afterwards. Never fails.
  //   order      last; also after a call that failed
  // [session]
  void(IMGCODER_ABI *close)(imgcoder_reader *reader);
} imgcoder_reader_table;

#ifdef __cplusplus
}
#endif

#endif
