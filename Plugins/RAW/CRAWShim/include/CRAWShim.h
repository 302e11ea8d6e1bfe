// SPDX-License-Identifier: Apache-2.0
//
// LibRaw for the RAW coder: what it says of a file, and its picture. Exceptions and messages of the library stay inside.

#ifndef CRAW_SHIM_H
#define CRAW_SHIM_H

#include "imgcoder/imgcoder.h"

#ifdef __cplusplus
extern "C" {
#endif

// Why a call failed. Untouched when it did not.
typedef struct craw_failure {
  imgcoder_status status;
  int64_t offset;  // in the source, or -1
  char message[192];
} craw_failure;

// A picture that the library would make, before orientation.
typedef struct craw_size {
  uint32_t width, height;
  uint64_t memory;  // bytes that the library needs for it, about
} craw_size;

// What the library says of a file. Texts end with a 0 and may be empty; numbers that are not known are 0.
typedef struct craw_description {
  craw_size whole;
  craw_size half;        // as large as `whole` if the library cannot make half of it
  uint32_t colors;       // 1: gray, 3: red, green, blue
  uint32_t orientation;  // 1 to 8, as Exif counts
  uint32_t picture_count;
  uint32_t is_dng;
  uint32_t raw_width, raw_height;
  char maker[64], maker_name[64];  // as the file has it, and as the library writes it
  char model[64], model_name[64];
  char software[64], artist[64];
  char text[513];
  char lens_maker[128], lens[128], lens_serial[128];
  char color_pattern[5];  // of a mosaic of two by two, from its first pixel on: RGGB; empty for other sensors
  float sensitivity;      // ISO
  float exposure, aperture, focal_length, focal_length_35mm;
  int64_t time;  // seconds since 1970, of a clock of an unknown zone
  uint32_t has_place;
  float latitude[3], longitude[3], place_time[3];
  float altitude;
  char latitude_side, longitude_side, altitude_side, place_status;
  uint64_t xmp_length;
  uint64_t preview_start, preview_length;  // a JPEG file in this one; the length is 0 if there is none
  uint32_t preview_width, preview_height;  // 0 where the file does not say it
} craw_description;

// Samples of a picture that the library does not find or understand in a DNG file: tiles or strips, which become one strip
// without compression.
typedef struct craw_packed {
  uint32_t width, height, samples;  // of the picture, and of each pixel
  uint32_t bits;                    // of a sample: 8 to 16, or of a floating-point one 16, 24 or 32
  uint32_t is_float;
  float white;                      // of floating-point samples, which becomes 65,535
  uint32_t is_big_endian;
  uint32_t compression;  // CRAW_PACKED_…
  uint32_t predictor;    // 1: none, 2: differences, 3: differences of bytes of floating-point samples
  uint32_t step;         // pixels from one to that which it differs from
  uint32_t tile_width, tile_height;
  uint32_t column_fields, row_fields;  // columns and rows are stored by turns: first each n-th, then those after them
  uint64_t tile_count;
  const uint64_t *places, *lengths;  // of each tile
} craw_packed;

enum { CRAW_PACKED_NOT = 1, CRAW_PACKED_DEFLATE = 8, CRAW_PACKED_JXL = 52546 };

// Whether the library of JPEG XL is there. Loads it when it is first asked.
int craw_has_jxl(void);

// Loads that library now if the process is going to be locked, which a variable says: docs/isolation.md.
void craw_load_if_asked(void);

// Unpacks samples to 16 bits of each, in the byte order of the file. What is missing or damaged is 0.
//   target   two bytes for each sample
//   returns  OK; TRUNCATED or MALFORMED after what could be read; UNSUPPORTED, OUT_OF_MEMORY, CANCELLED
imgcoder_status craw_unpack(const craw_packed *picture, const imgcoder_host *host, const uint8_t *bytes, size_t length,
                            uint8_t *target, craw_failure *failure);

// What the library says of itself: `0.20.2-Release`.
const char *craw_version(void);

// Describes a file, without decoding it.
//   returns  OK; WRONG_FORMAT for a file that the library does not know; OUT_OF_MEMORY, CANCELLED
imgcoder_status craw_describe(const imgcoder_host *host, const uint8_t *bytes, size_t length, craw_description *description,
                              craw_failure *failure);

// Copies the XMP packet of a file.
//   capacity  `xmp_length` of its description
imgcoder_status craw_copy_xmp(const imgcoder_host *host, const uint8_t *bytes, size_t length, uint8_t *target,
                              size_t capacity, craw_failure *failure);

enum {
  CRAW_WHITE_OF_CAMERA = 0,    // as the camera measured it; daylight if the file does not say
  CRAW_WHITE_OF_PICTURE = 1,   // the average of the picture is gray
  CRAW_WHITE_OF_DAYLIGHT = 2   // what the library knows of the camera
};

// A picture to decode.
typedef struct craw_request {
  const imgcoder_host *host;
  const uint8_t *bytes;
  size_t length;
  craw_size size;    // of the description
  uint32_t is_half;  // 1: half of the columns and rows
  uint32_t colors;   // of the description; rows have one sample of 16 bits or, of three colors, four with an opaque alpha
  uint32_t white;    // CRAW_WHITE_OF_*
  float brightness;  // how many times as bright, after the library has stretched the brightness; more than 0
  uint32_t is_linear;  // 1: light as it is, and brightness not stretched; 0: the curve of sRGB
} craw_request;

// Decodes a picture into a sink, rows from the top.
//   returns  OK; TRUNCATED or MALFORMED after all rows, or before the first; what the sink returned; UNSUPPORTED,
//            LIMIT_EXCEEDED (of the library's own memory), OUT_OF_MEMORY, CANCELLED, LIBRARY
imgcoder_status craw_decode(const craw_request *request, const imgcoder_sink *sink, craw_failure *failure);

#ifdef __cplusplus
}
#endif

#endif
