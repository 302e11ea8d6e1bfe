// SPDX-License-Identifier: Apache-2.0
//
// Numbers, strings, status codes, pixel formats and limits.
//
// Every struct that may grow starts with `struct_size`. The side that fills the struct writes the sizeof of the struct
// that it was built with; the side that reads it uses only the fields that both sides know. A field beyond the other
// side's size counts as zero, and zero always means the documented default. For a struct that the callee fills, the
// caller clears it and writes `struct_size` first, and the callee writes no byte beyond that size. A struct is never
// smaller than in version 1.0. Sizes and versions are never compared for equality.

#ifndef IMGCODER_TYPES_H
#define IMGCODER_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define IMGCODER_ABI __cdecl
#define IMGCODER_EXPORT __declspec(dllexport)
#else
#define IMGCODER_ABI
#define IMGCODER_EXPORT __attribute__((visibility("default")))
#endif

// True when `field` lies wholly inside the first `struct_size` bytes of the struct that `pointer` points at.
#define IMGCODER_HAS(pointer, type, field) \
  ((pointer)->struct_size >= offsetof(type, field) + sizeof((pointer)->field))

// Assigns a field that came after version 1.0 to a struct of the other side, if it has that field: an older host has
// less memory there. Fields of version 1.0 are always there, and can be assigned as usual.
//   IMGCODER_SET(offer, imgcoder_offer, covered_width, 20.625);
#define IMGCODER_SET(pointer, type, field, value)                             \
  do {                                                                        \
    if (IMGCODER_HAS(pointer, type, field)) (pointer)->field = (value);       \
  } while (0)

// UTF-8 text of `length` bytes, not terminated. `bytes` may be null only when `length` is 0. A text of more than
// IMGCODER_MAX_TEXT bytes is not valid.
typedef struct imgcoder_string {
  const char *bytes;
  uint64_t length;
} imgcoder_string;

#define IMGCODER_MAX_TEXT 1048576

// An initializer of an imgcoder_string from a literal: `static const imgcoder_string id =
// IMGCODER_TEXT("org.example");`
#define IMGCODER_TEXT(literal) {literal, sizeof(literal) - 1}

// The result of a call. Values below 16 are not errors; for all others `status >> 4` is the group, which says who has
// to act.
typedef uint32_t imgcoder_status;

enum {
  IMGCODER_STATUS_OK = 0,
  IMGCODER_STATUS_NEED_MORE = 1,    // not an error: the bytes so far are valid, but more are needed
  IMGCODER_STATUS_NOT_PRESENT = 2,  // not an error: the file does not contain this

  // The file is bad.
  IMGCODER_STATUS_WRONG_FORMAT = 0x10,
  IMGCODER_STATUS_TRUNCATED = 0x11,  // rows that were delivered before are valid
  IMGCODER_STATUS_MALFORMED = 0x12,
  IMGCODER_STATUS_CHECKSUM_MISMATCH = 0x13,

  // Out of reach: the file may be valid, but is not supported.
  IMGCODER_STATUS_UNSUPPORTED = 0x20,
  IMGCODER_STATUS_NO_CODER = 0x21,

  // Forbidden by the caller's limits.
  IMGCODER_STATUS_LIMIT_EXCEEDED = 0x30,

  // A mistake of the caller.
  IMGCODER_STATUS_INVALID_ARGUMENT = 0x40,
  IMGCODER_STATUS_OUT_OF_ORDER = 0x41,

  // The environment: files, memory, libraries, plugins.
  IMGCODER_STATUS_IO = 0x50,
  IMGCODER_STATUS_OUT_OF_MEMORY = 0x51,
  IMGCODER_STATUS_LIBRARY = 0x52,  // the wrapped library failed and does not say why; the host may try the next coder
  IMGCODER_STATUS_PLUGIN_REJECTED = 0x53,
  IMGCODER_STATUS_CANCELLED = 0x54
};

// The layout of one pixel in memory. Samples of 16 and 32 bits are in the machine's byte order and aligned to their
// size.
typedef uint32_t imgcoder_pixel_format;

enum {
  IMGCODER_PIXEL_ANY = 0,  // in a request: the reader's preferred lossless format
  IMGCODER_PIXEL_GRAY8 = 1,
  IMGCODER_PIXEL_GRAY_ALPHA8 = 2,
  IMGCODER_PIXEL_GRAY16 = 3,
  IMGCODER_PIXEL_GRAY_ALPHA16 = 4,
  IMGCODER_PIXEL_RGB8 = 5,
  IMGCODER_PIXEL_RGBA8 = 6,
  IMGCODER_PIXEL_BGRA8 = 7,
  IMGCODER_PIXEL_RGBA16 = 8,
  IMGCODER_PIXEL_RGBA_F16 = 9,
  IMGCODER_PIXEL_RGBA_F32 = 10,

  // Since version 1.1. Hosts of version 1.0 refuse these: a reader offers them only if the host's `abi_minor` is at least
  // 1. Writers are not asked for formats from 12 on.
  IMGCODER_PIXEL_RGB16 = 11,
  IMGCODER_PIXEL_RGB_F16 = 12,
  IMGCODER_PIXEL_RGB_F32 = 13,
  IMGCODER_PIXEL_GRAY_F32 = 14,
  IMGCODER_PIXEL_CMYK8 = 15,   // cyan, magenta, yellow and black, from no ink to all of it
  IMGCODER_PIXEL_CMYK16 = 16

  // Reserved for later minor versions: 32 to 63 planar YCbCr.
};

typedef uint32_t imgcoder_alpha;

enum {
  IMGCODER_ALPHA_OPAQUE = 0,  // alpha samples, if the format has any, are all at the maximum
  IMGCODER_ALPHA_STRAIGHT = 1,
  IMGCODER_ALPHA_PREMULTIPLIED = 2
};

// What happens to a frame's rectangle before the next frame is drawn.
typedef uint32_t imgcoder_disposal;

enum {
  IMGCODER_DISPOSAL_KEEP = 0,
  IMGCODER_DISPOSAL_RESTORE_BACKGROUND = 1,  // to transparent
  IMGCODER_DISPOSAL_RESTORE_PREVIOUS = 2
};

// How a frame's pixels are drawn on the canvas.
typedef uint32_t imgcoder_blend;

enum {
  IMGCODER_BLEND_SOURCE = 0,  // replace, alpha included
  IMGCODER_BLEND_OVER = 1     // alpha-composite
};

// Raw payloads, byte for byte as the container holds them, without the container's own prefix ("Exif\0\0" of JPEG is
// such a prefix; the TIFF header that follows is payload).
typedef uint32_t imgcoder_metadata_kind;

enum {
  IMGCODER_METADATA_ICC = 1,
  IMGCODER_METADATA_EXIF = 2,
  IMGCODER_METADATA_XMP = 3,

  // Since version 1.1. Writers get those that their features name.
  IMGCODER_METADATA_IPTC = 4,      // IPTC-IIM data sets, which begin with 0x1C
  IMGCODER_METADATA_C2PA = 6,      // a manifest store of content credentials, a JUMBF box; read only
  IMGCODER_METADATA_GEOTIFF = 8,   // a TIFF file whose only directory has the tags of GeoTIFF, and those of GDAL
  IMGCODER_METADATA_TEXT = 9,      // texts of the container itself, UTF-8: { keyword, 0, text, 0 }; keywords as in PNG
  IMGCODER_METADATA_TRAILER = 10,  // what follows the pictures and is none: the video of a motion photo. No flag of `info`
                                   // says whether it is there: the host asks where it matters.
  IMGCODER_METADATA_OTHER = 11,    // names of what programs have left in the file, and the reader gives as no other kind, as
                                   // texts: { name, 0, value, 0 }; read only. No flag of `info`.

  // Of a page of the kind IMGCODER_PAGE_GAIN_MAP: its metadata as ISO 21496-1:2025, C.2 has it, and the ICC profile of the
  // rendition that the map leads to.
  IMGCODER_METADATA_GAIN_MAP = 5,
  IMGCODER_METADATA_ALTERNATE_ICC = 7
};

// Chroma subsampling of the stored picture.
enum {
  IMGCODER_SUBSAMPLING_UNSTATED = 0,
  IMGCODER_SUBSAMPLING_444 = 444,
  IMGCODER_SUBSAMPLING_422 = 422,
  IMGCODER_SUBSAMPLING_420 = 420,
  IMGCODER_SUBSAMPLING_440 = 440,
  IMGCODER_SUBSAMPLING_411 = 411,
  IMGCODER_SUBSAMPLING_400 = 400
};

// The resources that a session may use. The host fills every field; 0 allows nothing. A plugin checks a limit before it
// allocates memory, and reports IMGCODER_STATUS_LIMIT_EXCEEDED with the limit, the value found and the value allowed:
// `imgcoder_fail_limit` in host.h.
typedef struct imgcoder_limits {
  uint32_t struct_size;
  uint32_t max_side;          // pixels, either side of the canvas
  uint64_t max_pixels;        // pixels of one canvas
  uint64_t max_memory;        // bytes that one session holds at a time, in total
  uint64_t max_metadata;      // bytes of one metadata block, inflated
  uint32_t max_frames;
  uint32_t max_pages;
  uint32_t max_scans;         // passes over one picture (progressive JPEG)
  uint32_t reserved;          // 0
} imgcoder_limits;

// Which limit was exceeded. The value found and the value allowed are in the unit of the field that is named.
enum {
  IMGCODER_LIMIT_NONE = 0,      // not said
  IMGCODER_LIMIT_SIDE = 1,      // max_side
  IMGCODER_LIMIT_PIXELS = 2,    // max_pixels
  IMGCODER_LIMIT_MEMORY = 3,    // max_memory
  IMGCODER_LIMIT_METADATA = 4,  // max_metadata
  IMGCODER_LIMIT_FRAMES = 5,    // max_frames
  IMGCODER_LIMIT_PAGES = 6,     // max_pages
  IMGCODER_LIMIT_SCANS = 7,     // max_scans
  IMGCODER_LIMIT_INFLATED = 8   // bytes that one call may inflate; the host alone knows how many
};

// Why a call fails, for `fail_with`. The plugin sets `struct_size`; fields that it leaves 0 are not said, but for `offset`.
typedef struct imgcoder_failure {
  uint32_t struct_size;
  imgcoder_status status;
  int64_t offset;           // byte offset in the source, or -1
  imgcoder_string message;  // as for `fail`
  uint32_t limit;           // IMGCODER_LIMIT_*; with IMGCODER_STATUS_LIMIT_EXCEEDED only
  uint32_t reserved;        // 0
  uint64_t found;           // what the file needs; 0: not said
  uint64_t allowed;         // the limit's value, if `found` is said
} imgcoder_failure;

// A file's colors as code points of ITU-T H.273. All zero: not stated.
typedef struct imgcoder_cicp {
  uint8_t primaries;
  uint8_t transfer;
  uint8_t matrix;
  uint8_t full_range;
} imgcoder_cicp;

// Which fields of an imgcoder_color are stated. Version 1.1.
enum {
  IMGCODER_COLOR_PRIMARIES = 1,             // `primaries`
  IMGCODER_COLOR_GAMMA = 2,                 // `gamma`
  IMGCODER_COLOR_CURVES = 4,                // `curves`
  IMGCODER_COLOR_MASTERING = 8,             // `mastering_peak`, `mastering_black`
  IMGCODER_COLOR_LIGHT_LEVELS = 16,         // `content_peak`, `frame_average_peak`
  IMGCODER_COLOR_MASTERING_PRIMARIES = 64   // `mastering_primaries`
};

// x and y of CIE 1931.
typedef struct imgcoder_primaries {
  double red[2], green[2], blue[2], white[2];
} imgcoder_primaries;

#define IMGCODER_MAX_CURVE 65536

// What a page says of its colors beside code points, one gamma and a profile. The host decides which of several statements
// counts.
typedef struct imgcoder_color {
  uint32_t struct_size;
  uint32_t flags;                // IMGCODER_COLOR_*
  imgcoder_primaries primaries;  // of the samples
  double gamma[3];               // of red, green and blue: light = sample ^ gamma
  // Of red, green and blue: light, 0 to 65535, of `curve_length` samples at equal distances from the smallest to the
  // largest. They live until `close`.
  const uint16_t *curves[3];
  uint32_t curve_length;         // 2 to IMGCODER_MAX_CURVE
  uint32_t reserved;             // 0
  double mastering_peak, mastering_black;  // of the display that the picture was made on, nits (SMPTE ST 2086)
  // Of the brightest pixel, and of the brightest frame's mean, nits (CTA-861.3); 0: not stated.
  double content_peak, frame_average_peak;
  imgcoder_primaries mastering_primaries;  // of the display that the picture was made on (SMPTE ST 2086)
} imgcoder_color;

enum {
  IMGCODER_OPTION_BOOLEAN = 1,
  IMGCODER_OPTION_INTEGER = 2,
  IMGCODER_OPTION_NUMBER = 3,
  IMGCODER_OPTION_CHOICE = 4,  // one of the words in `choices`
  IMGCODER_OPTION_TEXT = 5     // UTF-8 of at most `maximum` bytes
};

enum {
  // Version 1.1, in `flags`: the text is a secret (a password). The host shows it nowhere, and keeps no picture on disk
  // that was opened with it.
  IMGCODER_OPTION_SECRET = 1
};

// Describes an option of the writer or, since version 1.1, of the reader. The host checks values against it before the
// plugin sees them. Some names have the same meaning in all formats. Of writers: "quality" (NUMBER, 0 smallest, 1 best),
// "progressive" (BOOLEAN, interlaced or progressive output) and "subsampling" (CHOICE of "4:4:4", "4:2:2", "4:2:0",
// "4:4:0", "4:1:1", "4:0:0"). If a writer does not describe one of these, the host warns its caller that the option
// changes nothing. Of readers: "password" (TEXT, SECRET), "exposure" (NUMBER, stops brighter, default 0) and "background"
// (TEXT "#rrggbb", what shows through a drawing; default empty: nothing).
typedef struct imgcoder_option {
  uint32_t struct_size;
  uint32_t type;              // IMGCODER_OPTION_*
  imgcoder_string name;       // lower case, words joined by "-": "method"
  imgcoder_string text;       // one sentence for `--help`
  double minimum, maximum;    // of INTEGER and NUMBER, inclusive; of TEXT the length in bytes
  double default_value;       // of BOOLEAN (0 or 1), INTEGER and NUMBER; for CHOICE the index
  const imgcoder_string *choices;
  uint64_t choice_count;
  imgcoder_string default_text;  // of TEXT

  // Version 1.1.
  uint32_t flags;                // IMGCODER_OPTION_SECRET
  uint32_t reserved;             // 0
} imgcoder_option;

// A value for an option, within the described range.
typedef struct imgcoder_option_value {
  uint32_t struct_size;
  uint32_t type;              // of the option, IMGCODER_OPTION_*
  imgcoder_string name;
  double number;              // of BOOLEAN (0 or 1), INTEGER and NUMBER; of CHOICE the index of the word
  imgcoder_string text;       // of TEXT; of CHOICE the word
} imgcoder_option_value;

#ifdef __cplusplus
}
#endif

#endif
