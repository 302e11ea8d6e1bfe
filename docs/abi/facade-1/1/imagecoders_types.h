// SPDX-License-Identifier: Apache-2.0
//
// The constants and structs of imagecoders.h, which includes this file and says what holds for all of them.

#ifndef IMAGECODERS_TYPES_H
#define IMAGECODERS_TYPES_H

#include <stdint.h>

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wnullability-extension"
#pragma clang assume_nonnull begin
#define IC_NULLABLE _Nullable
#define IC_NONNULL _Nonnull
#else
#define IC_NULLABLE
#define IC_NONNULL
#endif

#ifdef __cplusplus
extern "C" {
#endif

// What functions return. The number divided by 16 says who has to act: 1 the file is bad, 2 that is not supported, 3 a limit, 4 a
// mistake of the caller, 5 the machine.
enum {
  IC_OK = 0,
  IC_WRONG_FORMAT = 0x10,      // the file is not of the format that its signature says
  IC_TRUNCATED = 0x11,         // the file ends too early
  IC_MALFORMED = 0x12,         // the file breaks a rule of its format
  IC_CHECKSUM_MISMATCH = 0x13,  // a checksum in the file is wrong
  IC_UNSUPPORTED = 0x20,       // the coder does not support what is in the file, or what is asked for
  IC_NO_CODER = 0x21,          // no coder knows the file, or writes the format
  IC_LIMIT_EXCEEDED = 0x30,    // ic_error.limit names the limit
  IC_INVALID_ARGUMENT = 0x40,  // an argument is outside of its range
  IC_OUT_OF_ORDER = 0x41,      // a call that may not follow the one before
  IC_IO = 0x50,                // the system failed to read or write
  IC_OUT_OF_MEMORY = 0x51,     // the system has no memory
  IC_LIBRARY_FAILURE = 0x52,   // a library failed without a reason
  IC_PLUGIN_REJECTED = 0x53,   // a plugin cannot be used
  IC_CANCELLED = 0x54,         // ic_cancel_set was called
  IC_CODER_CRASHED = 0x55,     // a coder crashed in its worker
  IC_OVERLOADED = 0x56         // too much work waits
};

// Channels and samples of a pixel, in the order of memory; 16 bits and floats in the byte order of the machine.
enum {
  IC_GRAY8 = 1, IC_GRAY_ALPHA8 = 2, IC_GRAY16 = 3, IC_GRAY_ALPHA16 = 4, IC_RGB8 = 5, IC_RGBA8 = 6, IC_BGRA8 = 7,
  IC_RGBA16 = 8, IC_RGBA_FLOAT16 = 9, IC_RGBA_FLOAT32 = 10, IC_RGB16 = 11
};

// What alpha samples mean.
enum { IC_OPAQUE = 0, IC_STRAIGHT = 1, IC_PREMULTIPLIED = 2 };

// Kinds of metadata, as payloads of bytes without what the format puts before them. IC_TRAILER is what follows the picture, such as
// the video of a motion photo; IC_OTHER (1.1) names what programs have left in a file, and is in no file that is written.
enum { IC_ICC = 1, IC_EXIF = 2, IC_XMP = 3, IC_IPTC = 4, IC_C2PA = 6, IC_GEOTIFF = 8, IC_TEXT = 9, IC_TRAILER = 10, IC_OTHER = 11 };

// Coders with what they may do. Made once, and used by all threads.
typedef struct ic_registry ic_registry;
// A file that is open.
typedef struct ic_file ic_file;
// A file that arrives piece by piece.
typedef struct ic_feed ic_feed;
// A file that is written frame by frame (1.1).
typedef struct ic_writer ic_writer;
// A flag that stops work.
typedef struct ic_cancel ic_cancel;

// Why a call failed, or what is missing of a picture. Texts are UTF-8, end with a null byte, and are cut between characters.
typedef struct ic_error {
  uint32_t size;      // sizeof(ic_error), set by the caller
  uint32_t status;    // IC_OK after a call that has nothing to say
  int64_t offset;     // the byte of the file where it was found, or -1
  char coder[64];     // the identifier of the coder, or empty
  char limit[32];     // the limit that was exceeded, such as maxPixels, or empty
  char message[512];  // one sentence: what was found, what was allowed
} ic_error;

// Reads `count` bytes of a file at `offset` into `target` (1.1). They lie within ic_source.count, and count is at least 1. Returns
// count; less than 0 if that failed, which may be a number of errno with a minus. Anything but count is IC_IO.
typedef int64_t (*ic_read_function)(void *IC_NULLABLE context, uint64_t offset, void *target, uint64_t count);

// Where the bytes of a file come from.
enum { IC_SOURCE_BYTES = 1, IC_SOURCE_PATH = 2, IC_SOURCE_DESCRIPTOR = 3, IC_SOURCE_FUNCTION = 4 };
typedef struct ic_source {
  uint32_t size;                      // sizeof(ic_source)
  uint32_t kind;                      // IC_SOURCE_…, which says which of the following fields counts
  const void *IC_NULLABLE bytes;      // may not change during the call; null if there are none
  uint64_t count;                     // of bytes, also of IC_SOURCE_FUNCTION: the size of the file
  const char *IC_NULLABLE path;       // any bytes that end with a null byte
  const char *IC_NULLABLE extension;  // breaks ties between formats, without a dot; null: that of the path
  int32_t descriptor;                 // of a file, read from its start, or of a pipe, read to its end; stays the caller's
  int32_t reserved;                   // 0
  ic_read_function IC_NULLABLE read;  // 1.1: of IC_SOURCE_FUNCTION; may be called twice for a byte
  void *IC_NULLABLE context;          // 1.1: what read gets
} ic_source;

// Takes `count` bytes of a file that is written, which belong at `offset` (1.1). They come in their order, but for those that a
// writer puts right later: each byte before `offset` was given before. Returns count; otherwise as ic_read_function.
typedef int64_t (*ic_write_function)(void *IC_NULLABLE context, uint64_t offset, const void *bytes, uint64_t count);

// Where the bytes of a written file go (1.1): into memory of the library's, to a path, to a function. A file appears at its path when
// it is whole; until then, and after an error, what was there stays. What a function got of a file that fails counts for nothing.
enum { IC_SINK_BYTES = 0, IC_SINK_PATH = 1, IC_SINK_FUNCTION = 2 };
typedef struct ic_sink {
  uint32_t size;                        // sizeof(ic_sink)
  uint32_t kind;                        // IC_SINK_BYTES
  const char *IC_NULLABLE path;         // of IC_SINK_PATH; the file that is read is allowed
  ic_write_function IC_NULLABLE write;  // of IC_SINK_FUNCTION
  void *IC_NULLABLE context;            // what write gets
} ic_sink;

// Flags of ic_request.
enum {
  IC_STRICT = 1,            // what is damaged or cut is an error
  IC_FAST = 2,              // a smaller picture may come from a thumbnail in the file, or be a little softer
  IC_KEEP_ORIENTATION = 4,  // pixels as they are stored, not turned upright; boxes are in stored pixels
  IC_PREMULTIPLY = 8,       // alpha is premultiplied; otherwise straight
  IC_SQUARE_PIXELS = 16     // a picture whose pixels are not square becomes wider or taller
};

// How a picture fits a box: whole and at most as large; filling it, the overflow cut evenly; stretched to it. None is enlarged.
enum { IC_FIT = 0, IC_FILL = 1, IC_STRETCH = 2 };

// Which colors the pixels have.
enum {
  IC_COLOR_SRGB = 0, IC_COLOR_AS_STORED = 1, IC_COLOR_DISPLAY_P3 = 2, IC_COLOR_REC2020 = 3,
  IC_COLOR_LINEAR_SRGB = 4,
  IC_COLOR_REC2100_PQ = 5,
  IC_COLOR_REC2100_HLG = 6
};

// What the picture should be, and what making it may use.
typedef struct ic_request {
  uint32_t size;              // sizeof(ic_request)
  uint32_t flags;             // IC_STRICT and the like
  uint32_t box_width;         // in displayed pixels; 0: free, and with box_height 0 the picture's own size
  uint32_t box_height;        // the same
  uint32_t fit;               // IC_FIT
  uint32_t pixel_format;      // 0: the smallest that holds what the file has
  uint32_t color;             // IC_COLOR_SRGB
  uint32_t page;              // from 1; 0: the one that the file says, or the size that fits best
  uint64_t max_pixels;        // 0: 2^28
  uint64_t max_memory;        // bytes; 0: 2^30
  uint64_t max_milliseconds;  // processor time; 0: 600,000
  uint32_t max_frames;        // 0: 65,536
  uint32_t allowed_count;     // 0: all formats
  const char *IC_NULLABLE const *IC_NULLABLE allowed_formats;  // extensions, names or type identifiers
  ic_cancel *IC_NULLABLE cancel;                               // stops the call
  // The caller's memory, or null for new memory. The picture is put into its top left corner; pixels beside it stay. It needs a
  // pixel_format. A picture that is larger is IC_INVALID_ARGUMENT.
  void *IC_NULLABLE target;
  uint64_t target_stride;  // bytes from one row to the next
  uint32_t target_width;   // pixels
  uint32_t target_height;  // rows
} ic_request;

// Flags of ic_info.
enum {
  IC_ANIMATED = 1,
  IC_PROGRESSIVE = 2,
  IC_LOSSLESS = 4,
  IC_CUT = 8,         // the header says that the file ends too early
  IC_DAMAGED = 16,    // the header says that the file is damaged
  IC_PALETTE = 32,
  IC_PAGES_ARE_SIZES = 64
};

// What a file says of its picture. All of it is filled by the library.
typedef struct ic_info {
  uint32_t size;              // sizeof(ic_info), set by the caller
  uint32_t width;             // displayed pixels, turned upright
  uint32_t height;
  uint32_t stored_width;      // pixels as they are stored
  uint32_t stored_height;
  uint32_t orientation;       // 1 to 8, as Exif numbers them
  uint32_t pixel_format;      // the smallest that holds the file's pixels
  uint32_t alpha;             // IC_OPAQUE, IC_STRAIGHT, IC_PREMULTIPLIED
  uint32_t bits_per_channel;
  uint32_t frames;            // at least 1
  uint32_t pages;             // at least 1
  uint32_t primary_page;      // from 1
  uint32_t loop_count;        // how often an animation plays; 0: without end, or it says nothing
  uint32_t flags;             // IC_ANIMATED and the like
  uint32_t metadata;          // 1 << IC_EXIF is set where there is Exif, and so on
  char format[68];            // the type identifier: public.jpeg
  char name[32];              // what people call it: JPEG
  char extension[16];         // jpg
  char media_type[48];        // image/jpeg; empty if there is none
} ic_info;

// Pixels in rows from top to bottom. Filled by the library, or by the caller for ic_encode.
typedef struct ic_pixels {
  uint32_t size;               // sizeof(ic_pixels), set by the caller
  uint32_t width;              // pixels
  uint32_t height;             // rows
  uint32_t pixel_format;       // IC_RGB8 and the like
  uint32_t alpha;              // of a format with alpha IC_STRAIGHT or IC_PREMULTIPLIED; for ic_encode, 0 is IC_STRAIGHT
  uint32_t problem;            // the status of what is missing, or IC_OK; ic_encode does not look at it
  uint32_t delay_numerator;    // how long the frame is shown, in seconds: numerator / denominator
  uint32_t delay_denominator;  // 0 with a numerator of 0: not at all
  uint64_t stride;             // bytes from the start of one row to that of the next
  void *IC_NULLABLE data;      // the first row
  void *IC_NULLABLE owner;     // what ic_release takes; null for memory of the caller's
} ic_pixels;

// Flags of ic_encoding.
enum {
  IC_QUALITY = 1,        // ic_encoding.quality counts
  IC_EXACT = 2,          // every sample is kept; IC_UNSUPPORTED if the format cannot
  IC_LOOP = 4,           // ic_encoding.loop_count counts
  IC_CONVERT_COLOR = 8,  // 1.1: ic_encoding.color counts
  IC_FIRST_FRAME = 16,   // 1.1, of ic_convert: one frame of one page
  IC_ENCODE_ANEW = 32    // 1.1, of ic_convert: pixels are decoded and encoded also where the file could be kept without
};

// An option of the format's writer, by name, as `coders options FORMAT` lists them.
typedef struct ic_option {
  const char *name;   // effort
  const char *value;  // as text: 3, 0.5, true, or a word
} ic_option;

// What a file should be.
typedef struct ic_encoding {
  uint32_t size;                        // sizeof(ic_encoding)
  uint32_t flags;                       // IC_QUALITY and the like
  const char *IC_NULLABLE format;       // an extension, a name or a type identifier; null: one that holds the picture
  double quality;                       // 0 (smallest) to 1 (best), with IC_QUALITY; otherwise the format's own
  uint64_t max_bytes;                   // of the file: the best quality that fits is searched; 0: as large as it gets
  const ic_option *IC_NULLABLE options;
  uint32_t option_count;
  uint32_t loop_count;                  // with IC_LOOP: how often an animation plays, 0 without end
  const void *IC_NULLABLE icc;          // a profile, which says what the pixels' colors are; null: they are sRGB
  uint64_t icc_count;                   // bytes
  const void *IC_NULLABLE exif;         // a payload that begins with II or MM; null: none is written
  uint64_t exif_count;
  const void *IC_NULLABLE xmp;          // a packet; null: none is written
  uint64_t xmp_count;
  uint32_t page_count;                  // 1.1: each frame is a page, and there are so many; 0: frames of an animation, or one
  uint32_t color;                       // 1.1: with IC_CONVERT_COLOR, the colors of the file, IC_COLOR_…; otherwise the picture's
  uint32_t left_out;                    // 1.1, of ic_convert: metadata that is not kept, 1 << IC_EXIF and so on
  uint32_t reserved;                    // 0
} ic_encoding;

// Bytes of the library's.
typedef struct ic_bytes {
  uint32_t size;                       // sizeof(ic_bytes), set by the caller
  uint32_t problem;                    // of a file that is made of another: the status of what is missing there, or IC_OK
  uint64_t count;
  const uint8_t *IC_NULLABLE data;     // null if there are none
  void *IC_NULLABLE owner;             // what ic_release takes
} ic_bytes;

// Flags of ic_registry_options.
enum {
  IC_PLUGINS = 1,  // plugins are looked for where the command looks for them
  IC_USER = 2      // the user's priorities and preferred coders count
};

// Where a coder's code sees files: in the program; in a worker if there can be one; in a worker or not at all; with every layer.
// Coders that are inside of this library run in the library's command, which is looked for when the first worker is needed.
enum { IC_IN_PROCESS = 0, IC_ISOLATION_PREFERRED = 1, IC_ISOLATION_REQUIRED = 2, IC_ISOLATION_STRICT = 3 };

// What a registry has. Without any, the coders of this library alone: files give the same on each machine.
typedef struct ic_registry_options {
  uint32_t size;                     // sizeof(ic_registry_options)
  uint32_t flags;                    // IC_PLUGINS and the like
  uint32_t isolation;                // IC_IN_PROCESS
  uint32_t folder_count;             // of plugin_folders
  const char *IC_NULLABLE const *IC_NULLABLE plugin_folders;  // searched for plugins, before those of IC_PLUGINS
  const char *IC_NULLABLE policy;    // standard, trusted, web, thumbnailer, or the path of a file; null: standard
  const char *IC_NULLABLE worker;    // 1.1, of the process: the library's command; null: as before, at first ../bin/coders
  const char *IC_NULLABLE library_folder;  // 1.1, of the process: has libheif.so.1, which writes HEIC; null: as before
} ic_registry_options;

// One job of a batch: the arguments of the function that does it, and its status.
enum { IC_JOB_PROBE = 1, IC_JOB_DECODE = 2, IC_JOB_THUMBNAIL = 3 };
typedef struct ic_job {
  uint32_t size;       // sizeof(ic_job)
  uint32_t operation;  // IC_JOB_…
  int32_t status;      // filled: what the function returns
  uint32_t reserved;   // 0
  const ic_source *IC_NULLABLE source;      // null: IC_INVALID_ARGUMENT
  const ic_request *IC_NULLABLE request;    // null: the defaults
  const ic_encoding *IC_NULLABLE encoding;  // of a thumbnail; null: the defaults
  ic_info *IC_NULLABLE info;                // of IC_JOB_PROBE
  ic_pixels *IC_NULLABLE pixels;            // of IC_JOB_DECODE
  ic_bytes *IC_NULLABLE bytes;              // of IC_JOB_THUMBNAIL
  ic_error *IC_NULLABLE error;              // null: the status is enough
} ic_job;

#ifdef __cplusplus
}
#endif

#ifdef __clang__
#pragma clang assume_nonnull end
#pragma clang diagnostic pop
#endif

#endif
