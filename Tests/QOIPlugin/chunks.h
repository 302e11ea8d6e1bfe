// SPDX-License-Identifier: Apache-2.0
//
// The chunks of a QOI file, and nothing of the plugin interface. "§" cites the one-page specification, The Quite OK
// Image Format, version 1.0 (qoiformat.org).

#ifndef QOI_CHUNKS_H
#define QOI_CHUNKS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { HEADER_SIZE = 14, MARKER_SIZE = 8, LONGEST_RUN = 62 };
enum { OP_INDEX = 0x00, OP_DIFF = 0x40, OP_LUMA = 0x80, OP_RUN = 0xC0, OP_RGB = 0xFE, OP_RGBA = 0xFF };

static const uint8_t end_marker[MARKER_SIZE] = {0, 0, 0, 0, 0, 0, 0, 1};

typedef struct { uint8_t r, g, b, a; } pixel;

// §: index_position = (r * 3 + g * 5 + b * 7 + a * 11) % 64
static unsigned position(pixel p) { return (p.r * 3u + p.g * 5u + p.b * 7u + p.a * 11u) % 64u; }

static int same(pixel p, pixel q) { return memcmp(&p, &q, sizeof p) == 0; }

// §, the decoder's and the encoder's state: the seen pixels, the previous pixel, the repetitions under way.
typedef struct {
  const uint8_t *next, *end;  // of the bytes that are read
  pixel seen[64], previous;
  unsigned run;
} chunks;

// Reads the next pixel; 0 when the bytes end first.
static int next_pixel(chunks *c) {
  if (c->run > 0) { c->run--; return 1; }
  if (c->next == c->end) return 0;
  uint8_t tag = *c->next;
  size_t length = tag == OP_RGBA ? 5 : tag == OP_RGB ? 4 : (tag & 0xC0) == OP_LUMA ? 2 : 1;
  if ((size_t)(c->end - c->next) < length) return 0;
  const uint8_t *body = c->next + 1;
  pixel p = c->previous;
  c->next += length;
  if (tag == OP_RGB || tag == OP_RGBA) {
    p.r = body[0], p.g = body[1], p.b = body[2];
    if (tag == OP_RGBA) p.a = body[3];
  } else if ((tag & 0xC0) == OP_INDEX) {
    p = c->seen[tag];
  } else if ((tag & 0xC0) == OP_DIFF) {  // differences wrap around: 1 - 2 is 255
    p.r = (uint8_t)(p.r + (tag >> 4 & 3) - 2);
    p.g = (uint8_t)(p.g + (tag >> 2 & 3) - 2);
    p.b = (uint8_t)(p.b + (tag & 3) - 2);
  } else if ((tag & 0xC0) == OP_LUMA) {
    int green = (tag & 0x3F) - 32;
    p.r = (uint8_t)(p.r + green - 8 + (body[0] >> 4));
    p.g = (uint8_t)(p.g + green);
    p.b = (uint8_t)(p.b + green - 8 + (body[0] & 0x0F));
  } else {
    c->run = tag & 0x3F;  // this pixel and so many more
  }
  c->previous = c->seen[position(p)] = p;
  return 1;
}

static uint8_t *put_run(uint8_t *out, chunks *c) {
  *out++ = (uint8_t)(OP_RUN | (c->run - 1));
  c->run = 0;
  return out;
}

// Writes one pixel, of which `seen` and `previous` know the past, and returns what follows it.
static uint8_t *put_pixel(uint8_t *out, chunks *c, pixel p) {
  unsigned index = position(p);
  int dr = (int8_t)(p.r - c->previous.r), dg = (int8_t)(p.g - c->previous.g), db = (int8_t)(p.b - c->previous.b);
  if (same(c->seen[index], p)) {
    *out++ = (uint8_t)(OP_INDEX | index);
  } else if (p.a != c->previous.a) {
    *out++ = OP_RGBA, *out++ = p.r, *out++ = p.g, *out++ = p.b, *out++ = p.a;
  } else if (dr >= -2 && dr < 2 && dg >= -2 && dg < 2 && db >= -2 && db < 2) {
    *out++ = (uint8_t)(OP_DIFF | (dr + 2) << 4 | (dg + 2) << 2 | (db + 2));
  } else if (dg >= -32 && dg < 32 && dr - dg >= -8 && dr - dg < 8 && db - dg >= -8 && db - dg < 8) {
    *out++ = (uint8_t)(OP_LUMA | (dg + 32));
    *out++ = (uint8_t)((dr - dg + 8) << 4 | (db - dg + 8));
  } else {
    *out++ = OP_RGB, *out++ = p.r, *out++ = p.g, *out++ = p.b;
  }
  c->previous = c->seen[index] = p;
  return out;
}

#endif
