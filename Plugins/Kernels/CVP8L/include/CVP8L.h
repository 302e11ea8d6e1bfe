// SPDX-License-Identifier: Apache-2.0
//
// Pixels of VP8L, the lossless bitstream of WebP (RFC 9649 §3), row by row: the pictures of VP8L chunks, and the planes of ALPH chunks.
// Of the pixels that were decoded, only those that later ones may copy are kept.
//
// Where bytes end, it goes on when there are more. What is damaged ends with the last row before it, and libwebp is asked, which tells
// what is wrong.

#ifndef CVP8L_H
#define CVP8L_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  VP8L_RGB,
  VP8L_RGBA,
  VP8L_BGRA,
  VP8L_PREMULTIPLIED_RGBA,
  VP8L_PREMULTIPLIED_BGRA,
  VP8L_GREEN,  // a byte for each pixel
} vp8l_format;

typedef struct vp8l vp8l;

// Reads what stands before the pixels: transforms, and the codes of the picture.
//
// `bytes` is what follows the header of a VP8L chunk (five bytes), or that of an ALPH chunk (one), and has to stay until the end, or
// until there are more. Answers NULL for what is damaged, when there is no memory, and for too few bytes, which `is_cut` says then.
vp8l *vp8l_open(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, int *is_cut);

// Gives the same bytes with others after them.
void vp8l_extend(vp8l *picture, const uint8_t *bytes, size_t count);

// Whether rows ended because bytes do.
int vp8l_is_cut(const vp8l *picture);

// How many bytes were taken.
size_t vp8l_position(const vp8l *picture);

void vp8l_close(vp8l *picture);

// Writes the next rows, `count` of them, which the picture has to have. With `is_opaque`, alpha is 255 whatever the bitstream says.
// Answers how many are right: fewer are followed by damage, and then no row comes any more, or by the end of the bytes.
uint32_t vp8l_rows(vp8l *picture, uint32_t count, uint8_t *out, size_t stride, vp8l_format format, int is_opaque);

// The plane of an ALPH chunk, RFC 9649 §2.7.1.3.
typedef struct vp8l_plane vp8l_plane;

// `bytes` is the chunk's payload, and has to stay until the end. Answers NULL for what is damaged or not known, and when there is no
// memory.
vp8l_plane *vp8l_plane_open(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height);

void vp8l_plane_close(vp8l_plane *plane);

// Writes the samples of the next rows as the alpha of pixels of four bytes, whose alpha was 255; with `premultiplies`, the colors are
// multiplied. Answers how many rows are right, as `vp8l_rows` does.
uint32_t vp8l_plane_rows(vp8l_plane *plane, uint32_t count, uint8_t *pixels, size_t stride, int premultiplies);

#endif
