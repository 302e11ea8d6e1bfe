// SPDX-License-Identifier: Apache-2.0
//
// libpng, zlib and libdeflate for the PNG coder. libpng reports errors with longjmp, which may not cross Swift; here it stays
// inside the one C function that loops over rows. Everything else of the format is in Swift: libpng only ever sees a
// stream of signature, IHDR, PLTE, tRNS, IDAT and IEND that these functions make up. Image data is written with
// libdeflate.

#ifndef CPNGSHIM_H
#define CPNGSHIM_H

#include "imgcoder/imgcoder.h"

// Why a call failed. Untouched when it did not.
typedef struct cpng_failure {
  imgcoder_status status;
  int64_t offset;  // in the source, or -1
  char message[192];
} cpng_failure;

// What happens to samples on their way to or from memory. 16-bit samples are in the machine's byte order in memory.
enum {
  CPNG_SCALE_16 = 1,     // reading: 16 bits become 8, rounded
  CPNG_EXPAND_16 = 2,    // reading: 8 bits become 16
  CPNG_GRAY_TO_RGB = 4,  // reading
  CPNG_ADD_ALPHA = 8,    // reading: opaque
  CPNG_BGR = 16,         // reading and writing
  CPNG_DROP_ALPHA = 32   // writing: alpha samples in memory are not stored
};

// A picture in a file: the default image or a frame.
typedef struct cpng_picture {
  const imgcoder_host *host;
  const imgcoder_source *source;
  const uint8_t *lead;  // signature, IHDR with the picture's size, PLTE and tRNS when there are
  uint64_t lead_length;
  uint64_t data_start;  // offset of the header of the first chunk with image data
  uint64_t data_end;    // offset after the last one; the source's size when the file ends early
  uint32_t data_name;   // IDAT or fdAT as a big-endian number; chunks with other names are stepped over
  uint32_t transforms;  // CPNG_*
  uint64_t row_bytes;   // of the rows in memory, as the caller expects them
  uint32_t is_incremental; // 1: the source is incremental, and data_end is not known: the first chunk that cannot be part of the
                        // image data ends it
} cpng_picture;

// Decodes a picture into a sink: in one pass from the top, or with the whole picture in the sink when it is interlaced.
//   returns  OK; TRUNCATED, MALFORMED or CHECKSUM_MISMATCH after the rows that could be decoded; what the sink returned
imgcoder_status cpng_decode(const cpng_picture *picture, const imgcoder_sink *sink, cpng_failure *failure);

// A picture in memory and how it is stored.
typedef struct cpng_image {
  const imgcoder_host *host;
  const imgcoder_output *output;
  uint32_t width, height;             // as stored
  uint32_t x, y;                      // where the pixels lie in it; the rest is stored as zeros
  uint32_t pixel_width, pixel_height;
  uint32_t first_row;                 // of the pixels, that `pixels` begins with
  const uint8_t *pixels;
  uint64_t stride;
  uint32_t bytes_per_pixel;           // in memory
  uint32_t color_type, bit_depth;     // of IHDR; indexes of a palette are bytes in memory, also those of fewer bits
  uint32_t transforms;                // CPNG_*
  uint32_t level;                     // of libdeflate, 0 to 12
  uint32_t filter;                    // 0 adaptive, 1 none, 2 sub, 3 up, 4 average, 5 Paeth
  uint32_t is_interlaced;
  uint32_t is_animated;               // 1: one of several frames, which take the time to become small
  uint32_t is_frame_data;             // 1: chunks are fdAT and numbered; 0: chunks are IDAT
  uint32_t sequence;                  // the next number for fdAT; advanced
  uint64_t written;                   // bytes given to the output are added
} cpng_image;

// Compresses a picture into IDAT or fdAT chunks and writes these, and nothing else, to the output.
imgcoder_status cpng_encode(cpng_image *image, cpng_failure *failure);

// Bytes of its rows, or of some bands of them if there are many, in the way that takes least, without chunks: to hold ways of
// storing it against each other.
imgcoder_status cpng_measure(const cpng_image *image, uint64_t *size, cpng_failure *failure);

// cpng_encode for a picture whose rows come a few at a time: begin, add until every row was given, end. How rows are filtered
// and compressed is chosen on the first of them: two million bytes or a few more.
typedef struct cpng_rows cpng_rows;

// Whether a picture can be written so: it is not interlaced, has its pixels everywhere, in 8 bits at least, and its level is
// at most 6.
int cpng_takes_rows(const cpng_image *image);

//   image   `pixels` and `stride` are not used; the struct lives as long as the rows, and `written` is added to
//   rows    null when the call fails
imgcoder_status cpng_rows_begin(cpng_image *image, cpng_rows **rows, cpng_failure *failure);
imgcoder_status cpng_rows_add(cpng_rows *rows, const uint8_t *pixels, uint64_t stride, uint32_t count,
                              cpng_failure *failure);
imgcoder_status cpng_rows_end(cpng_rows *rows, cpng_failure *failure);
void cpng_rows_free(cpng_rows *rows);

// Inflates a zlib stream. `*output` is memory of the host, to be given back with host->free; it is null when there is
// nothing.
//   returns  OK; LIMIT_EXCEEDED with the first `limit` bytes; MALFORMED with the bytes before the damage or the cut;
//            OUT_OF_MEMORY with nothing
imgcoder_status cpng_inflate(const imgcoder_host *host, const uint8_t *input, uint64_t length, uint64_t limit,
                             uint8_t **output, uint64_t *output_length);

// Deflates into a zlib stream. `*output` as for cpng_inflate.
//   returns  OK; OUT_OF_MEMORY
imgcoder_status cpng_deflate(const imgcoder_host *host, const uint8_t *input, uint64_t length, uint8_t **output,
                             uint64_t *output_length);

// The CRC of PNG chunks, continued from `crc`; 0 at the start.
uint32_t cpng_crc(uint32_t crc, const uint8_t *bytes, uint64_t length);

// The version of libpng at run time, "1.6.39".
const char *cpng_version(void);

#endif
