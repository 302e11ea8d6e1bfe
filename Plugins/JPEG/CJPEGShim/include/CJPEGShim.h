// SPDX-License-Identifier: Apache-2.0
//
// libjpeg-turbo in three calls. libjpeg reports errors with longjmp, so the loops over rows are here, in C, and call
// the host's functions themselves: no jump crosses a frame of Swift.

#ifndef CJPEGSHIM_H
#define CJPEGSHIM_H

#include "imgcoder/imgcoder.h"

#ifdef __cplusplus
extern "C" {
#endif

// Why a call failed.
typedef struct cjpeg_report {
  imgcoder_status status;
  uint32_t scans;     // with LIMIT_EXCEEDED: the scans found; 0 when it was memory
  uint32_t rows;      // rows that were reported done
  uint32_t reserved;
  int64_t offset;     // in the source, or -1
  char message[256];  // the library's own sentence, or empty
} cjpeg_report;

typedef struct cjpeg_decode_options {
  uint32_t width, height;              // of the canvas, as the caller read them from the frame header
  imgcoder_pixel_format pixel_format;  // GRAY8 from gray only; RGB8, RGBA8 and BGRA8 from anything
  uint32_t eighths;                    // the scale: 1, 2, 4 or 8
  uint32_t output_width, output_height;
  uint32_t part_x, part_y, part_width, part_height;  // what the sink gets, in pixels of the output and inside it
  uint32_t is_incremental;                // 1: the source is incremental, so coarse pictures of a file of several scans are worth
                                       // sending; rows come more than once then
  uint64_t height_place;               // where the frame header of the source says a height of 0, which a DNL marker gives after
                                       // the first scan, and libjpeg is shown `height`; 0: nowhere
  uint32_t is_inks;                       // 1: from CMYK and YCCK, pixels of RGBA8 are the four inks; 0 is no ink
} cjpeg_decode_options;

// Decodes a file into a sink, from the top. Limits are those of `host`.
//   returns  OK; TRUNCATED or MALFORMED after the rows that could be decoded; what the sink or source returned;
//            LIMIT_EXCEEDED; UNSUPPORTED; OUT_OF_MEMORY; LIBRARY; CANCELLED; the same is in `report`
imgcoder_status cjpeg_decode(const imgcoder_host *host, const imgcoder_source *source, const imgcoder_sink *sink,
                             const cjpeg_decode_options *options, cjpeg_report *report);

typedef enum cjpeg_effort {
  CJPEG_EFFORT_FAST,     // the tables of T.81 annex K
  CJPEG_EFFORT_DEFAULT,  // quantization tables of our own
  CJPEG_EFFORT_SMALL,    // these, and levels and scans chosen for the fewest bytes; keeps the picture in memory
} cjpeg_effort;

typedef struct cjpeg_encode_options {
  uint32_t width, height;
  imgcoder_pixel_format pixel_format;  // GRAY8, RGB8, RGBA8 or BGRA8; alpha is ignored
  double quality;                      // 1 to 100; with CJPEG_EFFORT_FAST whole numbers count
  uint32_t horizontal, vertical;       // luma samples per chroma sample: 1, 2 or 4
  cjpeg_effort effort;
  uint32_t is_progressive;
  uint32_t is_optimized;               // Huffman tables of the picture's own
  uint32_t counted_bytes;              // they fit the first part of a sequential file best, which takes about so much memory
  uint32_t may_be_gray;                // 1: colors that are all gray are stored as gray, but with CJPEG_EFFORT_FAST
  uint32_t restart_rows;               // MCU rows between restart markers; 0: none
  uint32_t is_thumbnail;               // 1: no APP0 (Exif 2.32 §4.5.8), and no word of progress
  uint32_t density_unit, density_x, density_y;  // of APP0, as JFIF has them; x is 0: none
  const uint8_t *segments;             // whole marker segments to stand after SOI and APP0
  uint64_t segments_length;
} cjpeg_encode_options;

// A picture that is being encoded.
typedef struct cjpeg_encoder cjpeg_encoder;

// Begins a file. `host` and `output` live until cjpeg_encode_free; `options` only during the call. `*encoder` is null if
// there is no memory for it; otherwise it has to be freed, also after an error.
imgcoder_status cjpeg_encode_begin(const imgcoder_host *host, const imgcoder_output *output,
                                   const cjpeg_encode_options *options, cjpeg_encoder **encoder,
                                   cjpeg_report *report);

// Encodes the next rows, top to bottom.
imgcoder_status cjpeg_encode_add(cjpeg_encoder *encoder, const uint8_t *pixels, uint64_t stride, uint32_t count,
                                 cjpeg_report *report);

// Writes the rest of the file, after the last row.
imgcoder_status cjpeg_encode_end(cjpeg_encoder *encoder, cjpeg_report *report);

void cjpeg_encode_free(cjpeg_encoder *encoder);

// A part of a picture that is turned without decoding it: all sides are in pixels of the stored picture.
typedef struct cjpeg_geometry {
  uint32_t x, y, width, height;  // the part; x and y are multiples of an MCU's sides
  uint64_t height_place;         // as in cjpeg_decode_options
  uint32_t stored_height;        // of the whole picture, which libjpeg is shown there
  // First rows become columns, then columns and rows of the result are mirrored; what is mirrored is whole MCUs.
  uint32_t is_transposed;
  uint32_t mirrors_columns;  // left and right are exchanged
  uint32_t mirrors_rows;     // top and bottom are exchanged
  const uint8_t *segments;   // whole marker segments to stand after SOI
  uint64_t segments_length;
} cjpeg_geometry;

// Writes a file whose picture has the same coefficients in other places.
//   returns  OK; TRUNCATED or MALFORMED if a part of them is missing; what the output or source returned; INVALID_ARGUMENT
//            for a part that is not inside; LIMIT_EXCEEDED; UNSUPPORTED; OUT_OF_MEMORY; LIBRARY; CANCELLED; the same is
//            in `report`
imgcoder_status cjpeg_change_geometry(const imgcoder_host *host, const imgcoder_source *source,
                                      const imgcoder_output *output, const cjpeg_geometry *geometry,
                                      cjpeg_report *report);

// The library, "libjpeg-turbo 2.1.5".
const char *cjpeg_library(void);

#ifdef __cplusplus
}
#endif

#endif
