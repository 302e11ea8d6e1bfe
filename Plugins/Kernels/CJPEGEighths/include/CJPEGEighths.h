// SPDX-License-Identifier: Apache-2.0
//
// The picture of a JPEG file at 1/8 of its width and height, as libjpeg makes it, to the bit, in about half of its time.
// A block of luma becomes one sample, that of its DC coefficient; the codes of the others are passed over, several at a look.
//
// For one sequential scan of all channels with Huffman codes, 8 bits per channel: ITU-T T.81 F.2. Whatever else a file has, or
// lacks, is an answer of 0, and libjpeg is asked, which tells what is wrong and shows what there is.

#ifndef CJPEGEIGHTHS_H
#define CJPEGEIGHTHS_H

#include <stddef.h>
#include <stdint.h>

#define EIGHTHS_CHANNELS 3

// Huffman codes as a DHT segment has them, T.81 B.2.4.2.
typedef struct {
  uint8_t counts[16];   // codes of 1 to 16 bits
  uint8_t values[256];  // in the order of their codes
} eighths_codes;

typedef struct {
  uint32_t horizontal, vertical;  // sampling factors
  uint16_t steps[64];             // of quantization, by rows
  eighths_codes dc, ac;
} eighths_channel;

typedef struct {
  uint32_t width, height;  // pixels of the whole picture, from 1 on
  uint32_t channel_count;  // 1 or 3
  uint32_t restart_interval;  // MCUs, or 0
  eighths_channel channels[EIGHTHS_CHANNELS];
} eighths_frame;

// The bytes after a scan's header, in windows.
typedef struct eighths_input {
  const uint8_t *next, *end;
  void *context;
  // Shows more bytes, from `next` on. Answers 0 when there are no more, or when nothing is to be decoded any more.
  int (*more)(struct eighths_input *input);
} eighths_input;

typedef struct eighths eighths;

// Takes a frame from libjpeg, which has read a header. Answers 0 for one that is not decoded here.
struct jpeg_decompress_struct;
int eighths_describe(const struct jpeg_decompress_struct *info, eighths_frame *frame);

// Bytes that `eighths_make` needs, or 0 for a picture whose channels have other sizes than each other, or halves of them. Only
// the sizes and factors of the frame are looked at.
size_t eighths_bytes(const eighths_frame *frame);

// Takes memory of at least so many bytes, aligned as malloc does it. With `was_made`, a picture was made of it before, whose
// tables are kept where codes are the same. Answers NULL for codes that are none.
eighths *eighths_make(void *memory, const eighths_frame *frame, int was_made);

// Decodes the scan. Answers 1 if all of it is there and right, and a marker follows.
int eighths_decode(eighths *picture, eighths_input *input);

// Samples of a channel in a row, as many as the picture has columns at 1/8. The next call makes them invalid.
const uint8_t *eighths_line(eighths *picture, uint32_t channel, uint32_t y);

typedef enum { EIGHTHS_GRAY, EIGHTHS_RGB, EIGHTHS_RGBA, EIGHTHS_BGRA } eighths_format;

// Pixels of three lines of samples, or of one that counts as gray; with `is_luma` these are Y, Cb and Cr, T.871 §7, and become
// RGB in the whole numbers of libjpeg.
void eighths_pixels(const uint8_t *const lines[EIGHTHS_CHANNELS], size_t count, int is_luma, eighths_format format, uint8_t *out);

#endif
