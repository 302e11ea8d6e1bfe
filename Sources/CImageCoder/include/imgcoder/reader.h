// SPDX-License-Identifier: Apache-2.0
//
// Reading. A reader knows only its container. Thumbnail arithmetic, compositing, caches, clamped delays and priorities
// are the host's task.
//
// Pages are independent pictures (a TIFF directory, an entry of an ICO); frames are the steps of one animation. A file
// has at least one page, and a page has at least one frame. Both count from 0.
//
//   open, { info, frame_info, negotiate, decode, metadata, properties }, close
//
// After a call has returned an error, `decode` may still be called for another frame; `close` may be called always.

#ifndef IMGCODER_READER_H
#define IMGCODER_READER_H

#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

struct imgcoder_coder;

// Defined by the plugin; one per open file.
typedef struct imgcoder_reader imgcoder_reader;

// What the host is going to do, so that a reader can avoid unnecessary work. All are hints, except for INCREMENTAL.
enum {
  IMGCODER_OPEN_HEADER_ONLY = 1,       // only info and metadata will be requested, no pixels
  IMGCODER_OPEN_FIRST_FRAME_ONLY = 2,  // frames after the first will not be requested, and need not be counted
  IMGCODER_OPEN_INCREMENTAL = 4        // bytes arrive over time; asking the source for a byte that has not arrived yet
                                       // waits for it: see imgcoder_coder.flags
};

typedef struct imgcoder_open_options {
  uint32_t struct_size;
  uint32_t flags;

  // Version 1.1: values of the coder's `read_options` that were given; the defaults apply to the others. They hold for the
  // session. The values and everything they point at live only during the call.
  const imgcoder_option_value *const *values;
  uint64_t value_count;
} imgcoder_open_options;

enum {
  IMGCODER_INFO_ANIMATED = 1,         // frames are steps in time, even if there is only one so far; without it, several
                                      // frames are parts of one still picture
  IMGCODER_INFO_PLAYS_STATED = 2,     // the file states `plays`; without it the host looks for the container's loop count
                                      // in the page's `properties`, then takes the container's default
  IMGCODER_INFO_HAS_ICC = 4,
  IMGCODER_INFO_HAS_EXIF = 8,
  IMGCODER_INFO_HAS_XMP = 16,
  IMGCODER_INFO_HAS_BACKGROUND = 32,  // the file states `background`
  IMGCODER_INFO_TRUNCATED = 64,       // the file ends early; frame_count counts the frames that are present
  IMGCODER_INFO_PROGRESSIVE = 128,    // interlaced or progressive: coarse rows come before fine ones
  IMGCODER_INFO_LOSSLESS = 256,       // this file's pixels are stored without loss
  IMGCODER_INFO_PALETTE = 512,        // this file's pixels are stored as indexes
  IMGCODER_INFO_DAMAGED = 1024,       // the file is malformed further on; frame_count counts the frames before that
  IMGCODER_INFO_PAGES_ARE_SIZES = 2048,  // all pages show one picture, in several sizes or depths (an icon): for a
                                         // thumbnail the host takes the page that fits best
  IMGCODER_INFO_EMBEDDED = 4096,      // the page is a whole file of another format inside this one, at `embedded`
  IMGCODER_INFO_INCOMPLETE = 8192,    // bytes are still arriving: anything after the pixels is not known yet, and if
                                      // ANIMATED is set, more frames may follow: frame_info waits for the next one

  // Since version 1.1:
  IMGCODER_INFO_ANY_SIZE = 16384,     // the page is a drawing without pixels of its own. Any size that is
                                      // requested is drawn exactly, also a larger one: see natural_width
  IMGCODER_INFO_STANDS_IN = 32768,    // the pixels are not those that the file is about, which this reader cannot read:
                                      // the preview of a camera raw file, the poster of a video; never with LOSSLESS
  IMGCODER_INFO_FRAMES_UNKNOWN = 65536,  // nobody can say how many frames there are without reading all of them:
                                      // frame_count is what is known so far, and frame_info of a frame after the last
                                      // one returns INVALID_ARGUMENT
  IMGCODER_INFO_INKS = 131072,        // the page is stored in inks, which can be asked for as CMYK8 or CMYK16
  IMGCODER_INFO_SAME_PICTURE = 262144,  // the page shows what its owner shows, and may stand for it where it is large
                                      // enough: a preview
  IMGCODER_INFO_HAS_IPTC = 524288,
  IMGCODER_INFO_HAS_C2PA = 1048576,
  IMGCODER_INFO_HAS_GEOTIFF = 2097152,
  IMGCODER_INFO_HAS_TEXT = 4194304
};

// What a page is. A kind that a host does not know is OTHER for it.
enum {
  IMGCODER_PAGE_PICTURE = 0,
  IMGCODER_PAGE_LAYER = 1,      // a part of its owner, which is the merged picture
  IMGCODER_PAGE_REDUCED = 2,    // its owner in fewer pixels: a level of a pyramid
  IMGCODER_PAGE_PREVIEW = 3,    // a picture that was stored beside its owner: see SAME_PICTURE
  IMGCODER_PAGE_DEPTH = 4,
  IMGCODER_PAGE_DISPARITY = 5,
  IMGCODER_PAGE_MATTE = 6,      // which parts of its owner show a person, hair, the sky
  IMGCODER_PAGE_GAIN_MAP = 7,   // `cicp` of it is that of the rendition that it leads to; all zero: that of its owner
  IMGCODER_PAGE_OVERSCAN = 8,   // its owner with what lies beyond the edges that are shown
  IMGCODER_PAGE_OTHER = 9
};

// What a frame after others costs.
enum {
  IMGCODER_ACCESS_ANY = 0,       // any frame costs the same
  IMGCODER_ACCESS_KEY_FRAME = 1, // decoding begins at the key frame before it: see IMGCODER_FRAME_IS_KEY
  IMGCODER_ACCESS_FIRST = 2      // decoding begins at the first frame: hosts never walk back
};

// Describes a page, without its pixels.
typedef struct imgcoder_info {
  uint32_t struct_size;
  uint32_t flags;             // IMGCODER_INFO_*
  uint32_t width, height;     // of the canvas, pixels, as stored: before orientation; at least 1
  imgcoder_pixel_format pixel_format;  // the smallest that holds every pixel without loss
  uint32_t bits_per_channel;  // as stored: 1 to 32
  imgcoder_alpha alpha;
  uint32_t orientation;       // Exif's 1 to 8, still to be applied; 0 or 1: none. A reader that applies it says 1.
  uint32_t frame_count;       // at least 1
  uint32_t page_count;        // of the whole file, at least 1
  uint32_t primary_page;      // the page to show by default
  uint32_t plays;             // total number of times that the animation plays; 0: endless
  imgcoder_cicp cicp;
  uint32_t subsampling;       // IMGCODER_SUBSAMPLING_*
  double gamma;               // of encoding, 0.45455 for sRGB-like; 0: not stated
  uint16_t background[4];     // red, green, blue, alpha, 0 to 65535
  imgcoder_string format;     // the uniform type identifier, "public.png", one of the manifest's; static in the plugin

  // For a page with the flag EMBEDDED: where its file is in the source, in bytes. The host opens that file with the
  // coder for its format, and asks this reader only for the page's `info` and `properties`; the other fields say what
  // the container's directory states. Files inside embedded files are not opened.
  //
  // Size, pixel format, alpha, colors and metadata are then those of that file. Of this `info` count what the page is among
  // pages (page_count, primary_page, PAGES_ARE_SIZES, page_kind and what follows it, hidden_page_count), `format`,
  // STANDS_IN, INCOMPLETE, pixel_aspect and resolution where they are stated, and orientation: of a visible page if that
  // file states none, of a hidden page in any case. Where no coder reads that file, all of this `info` counts; a directory
  // that states no size gives 1 × 1.
  uint64_t embedded_offset, embedded_length;

  // Version 1.1. With the flag ANY_SIZE: the size that the file states, in pixels at `resolution`, as real numbers; 0 × 0:
  // it states only a ratio, which is that of `width` and `height`. Those are this size, rounded up; frames cover the
  // canvas.
  double natural_width, natural_height;
  double resolution;      // pixels per inch: 96 for SVG, 72 for PDF; of a page with pixels what the file states; 0: nothing
  uint32_t largest_side;  // with the flag ANY_SIZE: the longest side that the reader draws, pixels; 0: any
  uint32_t page_kind;     // IMGCODER_PAGE_*

  // Version 1.1. What belongs to a picture and is not shown by itself are hidden pages: their numbers follow those of the
  // visible ones, page_count to page_count + hidden_page_count - 1, and every call takes them as it takes others. `info` of
  // any page states the same `hidden_page_count`.
  imgcoder_string page_name;  // of a layer its own; of a depth map or matte the file's word for its type; until `close`
  uint32_t owner_page;        // whose layer, preview or map it is; of a picture nothing
  uint32_t hidden_page_count;
  int32_t page_x, page_y;     // where it lies on its owner's canvas, pixels
  double pixel_aspect;        // width of a pixel / its height, where the format means it for display; 0: 1
  double duration;            // seconds that one play takes; 0: not stated, and delays are added up
  uint32_t poster_frame;      // the frame that stands for all of them; 0: the first
  uint32_t access;            // IMGCODER_ACCESS_*
} imgcoder_info;

enum {
  IMGCODER_FRAME_HAS_ALPHA = 1,  // some pixels of the frame may not be opaque
  IMGCODER_FRAME_IS_KEY = 2      // since version 1.1: the frame decodes without any other
};

// One step of an animation, before any compositing. A still picture has one frame that covers the canvas.
typedef struct imgcoder_frame_info {
  uint32_t struct_size;
  uint32_t flags;              // IMGCODER_FRAME_*
  uint32_t x, y, width, height;  // the frame's rectangle on the canvas, pixels, origin top left; inside the canvas
  uint32_t delay_numerator;    // seconds = numerator / denominator, as stored in the file, not clamped
  uint32_t delay_denominator;  // 0: not stated. The host then asks for the frame's `properties`, and looks in the
                               // container's dictionary for the unclamped delay, then the delay, in seconds; if there
                               // is neither, the frame takes 0.1 s
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

// Version 1.1.
enum {
  IMGCODER_REQUEST_TOP_DOWN = 1  // the host keeps a few rows at a time if they come from the top, and all of the picture if
                                 // they do not. A reader that can deliver them in both orders offers ROWS_TOP_DOWN
};

// What the host requests. Sizes are of the stored picture, before orientation.
typedef struct imgcoder_request {
  uint32_t struct_size;
  uint32_t page, frame;
  // The requested size, or 0 × 0 for the frame's own. A reader that can scale cheaply while it decodes may offer any
  // size of at least this in both directions (but never enlarges); other readers offer the frame's own. The host does
  // the rest. The frame covers the offered picture exactly, unless the offer says less. With the flag ANY_SIZE the offer is
  // of exactly this size.
  uint32_t width, height;
  imgcoder_pixel_format pixel_format;
  imgcoder_alpha alpha;        // for formats with an alpha channel
  uint32_t reserved;

  // Version 1.1: the part that is wanted, in pixels of the requested size, inside it; 0 × 0: all of it. A reader that need
  // not decode the rest offers a part that contains this one; other readers offer the whole.
  uint32_t part_x, part_y, part_width, part_height;

  uint32_t flags;              // version 1.1: IMGCODER_REQUEST_*
} imgcoder_request;

// Which parts of a request an offer does not meet, so that the host has to.
enum {
  IMGCODER_UNMET_SIZE = 1,
  IMGCODER_UNMET_PIXEL_FORMAT = 2,
  IMGCODER_UNMET_ALPHA = 4,
  IMGCODER_UNMET_PART = 8  // version 1.1: more than the wanted part is offered
};

// What the reader will deliver.
typedef struct imgcoder_offer {
  uint32_t struct_size;
  uint32_t page, frame;        // the host sets these to those of the request, whatever the reader writes
  uint32_t width, height;      // of the picture that reaches the sink
  imgcoder_pixel_format pixel_format;
  imgcoder_alpha alpha;
  imgcoder_row_order row_order;
  uint32_t unmet;              // IMGCODER_UNMET_*
  uint32_t scale_code;         // for the reader's own use; the host passes it back unchanged
  uint64_t memory;             // an estimate of the bytes that the reader and its library need while they decode

  // Version 1.1: columns and rows of the whole picture that the frame covers, from the top left. A frame of 33 columns at
  // five eighths covers 20.625 of 21. More than all but the last, at most all; 0: all of them.
  double covered_width, covered_height;

  // Version 1.1: where the picture that reaches the sink lies in the whole frame, if it is a part of it, and the size of
  // the whole at the offered scale, which is held against the requested size. 0 × 0: the picture is whole.
  uint32_t part_x, part_y, whole_width, whole_height;
} imgcoder_offer;

typedef struct imgcoder_reader_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // Opens a file: reads and checks its header, and allocates no pixels.
  //   order      first
  //   ownership  `coder` belongs to the plugin; `host` and `source` live until `close` returns; `options` lives only
  //              during the call. `*reader` belongs to the plugin, until the host passes it to `close`; it is set on OK
  //              only.
  //   null       `options`
  //   returns    OK; WRONG_FORMAT, so that the host may try the next coder; TRUNCATED if the header is incomplete;
  //              MALFORMED; UNSUPPORTED; LIMIT_EXCEEDED; OUT_OF_MEMORY; IO
  // [any]
  imgcoder_status(IMGCODER_ABI *open)(const struct imgcoder_coder *coder, const imgcoder_host *host,
                                      const imgcoder_source *source, const imgcoder_open_options *options,
                                      imgcoder_reader **reader);

  // Describes a page. Equal calls give equal results, except while the file is incomplete.
  //   order      after open
  //   ownership  the host owns `*info` and sets its struct_size
  //   returns    OK; INVALID_ARGUMENT for a page that the file does not have; MALFORMED; LIMIT_EXCEEDED
  // [session]
  imgcoder_status(IMGCODER_ABI *info)(imgcoder_reader *reader, uint32_t page, imgcoder_info *info);

  // Describes a frame, without decoding its pixels.
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
  //   ownership  `offer` is what `negotiate` returned; it and `sink` live during the call
  //   returns    OK when every row is done; TRUNCATED or MALFORMED after the rows that could be decoded; a status that
  //              the sink returned; UNSUPPORTED; OUT_OF_MEMORY; LIBRARY; CANCELLED
  // [session]
  imgcoder_status(IMGCODER_ABI *decode)(imgcoder_reader *reader, const imgcoder_offer *offer,
                                        const imgcoder_sink *sink);

  // Returns a raw metadata payload.
  //   order      after open
  //   ownership  the plugin owns the bytes, which live until `close`
  //   null       the function itself, if the container has no metadata
  //   returns    OK; NOT_PRESENT; LIMIT_EXCEEDED; MALFORMED
  // [session]
  imgcoder_status(IMGCODER_ABI *metadata)(imgcoder_reader *reader, uint32_t page, imgcoder_metadata_kind kind,
                                          const uint8_t **bytes, uint64_t *length);

  // Puts the container's properties of a page, or of one frame, into a dictionary.
  //   order      after open
  //   frame      a frame's number, or UINT32_MAX for the properties of the page
  //   null       the function itself
  //   returns    OK; INVALID_ARGUMENT
  // [session]
  imgcoder_status(IMGCODER_ABI *properties)(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                            const imgcoder_properties *properties);

  // Ends the session. `reader` is invalid afterwards. Never fails.
  //   order      last; also after a call that failed
  // [session]
  void(IMGCODER_ABI *close)(imgcoder_reader *reader);

  // Returns the extension of this session with this id, or null if it has none.
  //   order      after open
  //   ownership  lives until `close`
  //   null       the function itself
  // [session]
  const void *(IMGCODER_ABI *get_extension)(imgcoder_reader *reader, imgcoder_string id);

  // Version 1.1. Says what a page states of its colors beside `cicp`, `gamma` and its profile.
  //   order      after open
  //   ownership  the host owns `*color` and sets its struct_size; curves live until `close`
  //   null       the function itself
  //   returns    as `info`
  // [session]
  imgcoder_status(IMGCODER_ABI *color)(imgcoder_reader *reader, uint32_t page, imgcoder_color *color);
} imgcoder_reader_table;

#ifdef __cplusplus
}
#endif

#endif
