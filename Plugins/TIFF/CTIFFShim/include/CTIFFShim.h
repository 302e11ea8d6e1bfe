// SPDX-License-Identifier: Apache-2.0
//
// Strips and tiles with libtiff, between the files that Swift reads and writes and the rows of the host.
//
// libtiff never sees a file: it gets a small directory in memory that says how strips or tiles are coded, and their
// bytes one at a time. The one exception is old JPEG, whose codec seeks in the file by itself.

#ifndef CTIFF_SHIM_H
#define CTIFF_SHIM_H

#include <imgcoder/imgcoder.h>
#include <stdint.h>

// Why a call failed.
typedef struct ctiff_failure {
  imgcoder_status status;
  int64_t offset;  // in the source, or -1
  char message[240];
} ctiff_failure;

// Channels that count: the color's and alpha. Others are passed over.
#define CTIFF_MAX_CHANNELS 8

// What samples mean.
enum {
  CTIFF_GRAY = 0,
  CTIFF_RGB = 1,
  CTIFF_PALETTE = 2,
  CTIFF_CMYK = 3,
  CTIFF_YCBCR = 4,  // subsampled in blocks, as the file has it
  CTIFF_LAB = 5
};

enum {
  CTIFF_UNSIGNED = 1,
  CTIFF_SIGNED = 2,
  CTIFF_FLOAT = 3
};

enum {
  CTIFF_TILED = 1,
  CTIFF_PLANAR = 2,         // each channel in strips or tiles of its own
  CTIFF_INVERTED = 4,       // 0 is white
  CTIFF_RAW = 8,            // not compressed
  CTIFF_SWAPPED = 16,       // samples of raw data are in the other byte order
  CTIFF_REVERSED = 32,      // FillOrder 2: the bytes' lowest bit comes first
  CTIFF_OLD_JPEG = 64,
  CTIFF_CLEARED = 128,      // the codec may leave bytes out
  CTIFF_STRICT = 256,       // the codec does not fail on data that ends early, it warns
  CTIFF_TOP_DOWN = 512,     // rows reach the sink from the top
  CTIFF_JPEG = 1024,        // the codec turns YCbCr into RGB
  CTIFF_DEFLATE = 4096,     // the codec may leave bytes out at the end
  CTIFF_INKS = 8192,        // CTIFF_CMYK: the four inks are the host's RGBA8 or RGBA16
  CTIFF_LOSSLESS_JPEG = 16384,  // JPEG of the lossless process, which is not libtiff's
  CTIFF_LOG = 2048          // the codec turns LogL and LogLuv into 8 bits
};

// One directory's pixels.
typedef struct ctiff_picture {
  const imgcoder_host *host;
  const imgcoder_source *source;
  const uint8_t *codec;  // a TIFF file with one directory and no pixels; of a smaller picture or lossless JPEG, its JPEGTables
  uint64_t codec_length;
  uint64_t directory;    // of old JPEG: the directory's offset in the source
  uint32_t flags;        // CTIFF_*
  uint32_t width, height;
  uint32_t strile_width, strile_height;  // of a strip or tile
  uint32_t across, down;                 // strips or tiles of one plane
  const uint64_t *offsets, *lengths;     // of strips or tiles, planes one after the other; length 0: all zero
  uint64_t strile_count;                 // of `offsets` and of `lengths`: planes × across × down, or decoding is refused
  uint32_t kind;         // CTIFF_GRAY …
  uint32_t bits, sample_format, samples;
  int32_t alpha;         // which sample is alpha, or -1
  uint32_t horizontal, vertical;  // subsampling of CTIFF_YCBCR
  const uint8_t *palette;         // CTIFF_PALETTE: red, green, blue for each index
  uint64_t palette_length;        // bytes of it: 3 × 2^bits, or decoding is refused
  float luma[3], reference[6];    // CTIFF_YCBCR: YCbCrCoefficients, ReferenceBlackWhite
  uint32_t lab_flip;     // CTIFF_LAB: the sign bit of a* and b*, when it is one
  float lab_scale[3], lab_start[3];  // CTIFF_LAB: L*, a*, b* = start + scale × sample
  uint32_t output;       // imgcoder_pixel_format
  uint32_t workers;      // strips or tiles that are decoded at a time, at least 1
  // 1, or 2, 4 or 8 times smaller: all other sizes here are those of the smaller picture. CTIFF_GRAY or CTIFF_RGB in JPEG of
  // 8 bits and in one plane.
  uint32_t reduction;
  uint32_t coded_width, coded_height;  // of a strip or tile in the file
} ctiff_picture;

// Decodes all rows into the sink.
//   returns  OK; INVALID_ARGUMENT before anything is read, for arrays or numbers that do not fit together; the status of
//            the first strip or tile that could not be decoded, after the rows that could
imgcoder_status ctiff_decode(const ctiff_picture *picture, const imgcoder_sink *sink, ctiff_failure *failure);

// What libtiff makes of a directory of old-style JPEG.
typedef struct ctiff_old_jpeg {
  uint32_t photometric, samples;
  uint32_t horizontal, vertical;  // subsampling of chroma: 1, 2 or 4
} ctiff_old_jpeg;

// Answers 0 for a directory that libtiff does not read.
int ctiff_read_old_jpeg(const uint8_t *bytes, uint64_t length, uint64_t directory, ctiff_old_jpeg *found);

// Bytes of one strip or tile of one plane, decoded.
uint64_t ctiff_strile_bytes(const ctiff_picture *picture);

// Bytes that decoding holds, beside the host's rows.
uint64_t ctiff_memory(const ctiff_picture *picture);

// How one page is compressed.
typedef struct ctiff_page {
  const imgcoder_host *host;
  const uint8_t *codec;  // as in ctiff_picture; the directory is what libtiff is told to write
  const uint8_t *pixels;
  uint64_t stride;
  uint32_t width, height;
  uint32_t first_row;         // of the page, that `pixels` begins with; what is compressed lies below it
  uint32_t strile_width, strile_height, is_tiled;
  uint32_t across, down;
  uint32_t pixel_bytes;       // of the host's pixels
  uint32_t samples, bits, sample_format, photometric;
  uint32_t has_alpha;
  uint32_t compression, predictor;
  int32_t level;              // or -1: the codec's own
  uint32_t quality;           // 0 to 100, of JPEG and WebP
  uint32_t is_lossless;       // of WebP
  uint32_t subsampling;       // of JPEG: horizontal << 4 | vertical
} ctiff_page;

// Compressed strips or tiles, one after the other.
typedef struct ctiff_block {
  uint8_t *bytes;  // to be given to free of <stdlib.h>, by ctiff_release
  uint64_t length;
} ctiff_block;

// Compresses the strips or tiles [first, first + count) into `count` blocks.
//   returns  OK; INVALID_ARGUMENT for strips or tiles that the page does not have, or rows shorter than its pixels;
//            OUT_OF_MEMORY; LIBRARY; CANCELLED
imgcoder_status ctiff_encode(const ctiff_page *page, uint32_t first, uint32_t count, ctiff_block *blocks,
                             ctiff_failure *failure);

// The quantisation and Huffman tables that all strips of JPEG share.
imgcoder_status ctiff_jpeg_tables(const ctiff_page *page, ctiff_block *tables, ctiff_failure *failure);

void ctiff_release(ctiff_block *block);

// "4.5.0"
const char *ctiff_version(void);

// Whether libtiff was built with a compression scheme.
int ctiff_has_codec(uint16_t compression);

#endif
