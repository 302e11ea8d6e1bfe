// SPDX-License-Identifier: Apache-2.0
//
// RFC 9649 §3.5.1. Pixels left of and above each one predict it; those on the left are known one after the other, and how soon the next can
// be begun is what these loops take.

#include "vectors.h"
#include "transforms.h"

#if defined(VECTORS) && !defined(VP8L_PLAIN)
typedef __m128i pixel;

static inline pixel load(const uint32_t *from) { return _mm_cvtsi32_si128((int)*from); }
static inline void store(uint32_t *to, pixel value) { *to = (uint32_t)_mm_cvtsi128_si32(value); }
static inline pixel plus(pixel a, pixel b) { return _mm_add_epi8(a, b); }

// Rounded down, where the instruction rounds up.
static inline pixel average(pixel a, pixel b) {
  const pixel odd = _mm_and_si128(_mm_xor_si128(a, b), _mm_set1_epi8(1));
  return _mm_sub_epi8(_mm_avg_epu8(a, b), odd);
}

static inline pixel wide(pixel value) { return _mm_unpacklo_epi8(value, _mm_setzero_si128()); }

// Of left and above, that which is nearer to left + above − corner.
static inline pixel selected(pixel left, pixel above, pixel corner) {
  // After the four bytes of each there are zeros, which add nothing.
  const pixel of_left = _mm_sad_epu8(above, corner), of_above = _mm_sad_epu8(left, corner);
  const pixel takes_left = _mm_shuffle_epi32(_mm_cmpgt_epi32(of_above, of_left), 0);
  return _mm_or_si128(_mm_and_si128(takes_left, left), _mm_andnot_si128(takes_left, above));
}

static inline pixel full_gradient(pixel left, pixel above, pixel corner) {
  const pixel sum = _mm_add_epi16(wide(left), _mm_sub_epi16(wide(above), wide(corner)));
  return _mm_packus_epi16(sum, sum);
}

static inline pixel half_gradient(pixel left, pixel above, pixel corner) {
  const pixel mean = wide(average(left, above)), difference = _mm_sub_epi16(mean, wide(corner));
  // Half of it, rounded to zero.
  const pixel half = _mm_srai_epi16(_mm_sub_epi16(difference, _mm_cmpgt_epi16(wide(corner), mean)), 1);
  const pixel sum = _mm_add_epi16(mean, half);
  return _mm_packus_epi16(sum, sum);
}
#else
typedef uint32_t pixel;

static inline pixel load(const uint32_t *from) { return *from; }
static inline void store(uint32_t *to, pixel value) { *to = value; }
static inline pixel plus(pixel a, pixel b) {
  return (((a & 0xff00ff00) + (b & 0xff00ff00)) & 0xff00ff00) | (((a & 0x00ff00ff) + (b & 0x00ff00ff)) & 0x00ff00ff);
}

static inline pixel average(pixel a, pixel b) { return (((a ^ b) & 0xfefefefe) >> 1) + (a & b); }

static inline int32_t byte(pixel value, int index) { return (int32_t)(value >> 8 * index & 0xff); }
static inline int32_t distance(int32_t a, int32_t b) { return a < b ? b - a : a - b; }
static inline pixel clamped(int32_t value, int index) { return (pixel)(value < 0 ? 0 : value > 255 ? 255 : value) << 8 * index; }

static inline pixel selected(pixel left, pixel above, pixel corner) {
  int32_t of_left = 0, of_above = 0;
  for (int index = 0; index < 4; index++) {
    of_left += distance(byte(above, index), byte(corner, index));
    of_above += distance(byte(left, index), byte(corner, index));
  }
  return of_left < of_above ? left : above;
}

static inline pixel full_gradient(pixel left, pixel above, pixel corner) {
  pixel sum = 0;
  for (int index = 0; index < 4; index++) {
    sum |= clamped(byte(left, index) + byte(above, index) - byte(corner, index), index);
  }
  return sum;
}

static inline pixel half_gradient(pixel left, pixel above, pixel corner) {
  const pixel mean = average(left, above);
  pixel sum = 0;
  for (int index = 0; index < 4; index++) {
    sum |= clamped(byte(mean, index) + (byte(mean, index) - byte(corner, index)) / 2, index);
  }
  return sum;
}
#endif

static const uint32_t black = 0xff000000;

// Modes 14 and 15 are not used; libwebp takes them for 0.
static inline __attribute__((always_inline)) pixel predicted(int mode, pixel left, const uint32_t *above) {
  const pixel top = load(above), right = load(above + 1), corner = load(above - 1);
  switch (mode) {
    case 1: return left;
    case 2: return top;
    case 3: return right;
    case 4: return corner;
    case 5: return average(average(left, right), top);
    case 6: return average(left, corner);
    case 7: return average(left, top);
    case 8: return average(corner, top);
    case 9: return average(top, right);
    case 10: return average(average(left, corner), average(top, right));
    case 11: return selected(left, top, corner);
    case 12: return full_gradient(left, top, corner);
    case 13: return half_gradient(left, top, corner);
    default: return load(&black);
  }
}

// Pixels from the second of a row on.
static inline __attribute__((always_inline)) void undo(
    int mode, const uint32_t *row, const uint32_t *above, uint32_t count, uint32_t *out) {
  pixel left = load(out - 1);
  for (uint32_t x = 0; x < count; x++) {
    left = plus(load(row + x), predicted(mode, left, above + x));
    store(out + x, left);
  }
}

#if defined(VECTORS) && !defined(VP8L_PLAIN)
// Those that do not look to the left, four at a time.
static inline __attribute__((always_inline)) void undo_from_above(
    int mode, const uint32_t *row, const uint32_t *above, uint32_t count, uint32_t *out) {
  uint32_t x = 0;
  for (; x + 4 <= count; x += 4) {
    const pixel top = _mm_loadu_si128((const pixel *)(above + x)), right = _mm_loadu_si128((const pixel *)(above + x + 1));
    const pixel corner = _mm_loadu_si128((const pixel *)(above + x - 1));
    const pixel prediction = mode == 2   ? top
                             : mode == 3 ? right
                             : mode == 4 ? corner
                             : mode == 8 ? average(corner, top)
                             : mode == 9 ? average(top, right)
                                         : _mm_set1_epi32((int)black);
    _mm_storeu_si128((pixel *)(out + x), plus(_mm_loadu_si128((const pixel *)(row + x)), prediction));
  }
  if (x < count) undo(mode, row + x, above + x, count - x, out + x);
}

// Each pixel is the sum of all before it.
static void undo_left(const uint32_t *row, uint32_t count, uint32_t *out) {
  uint32_t x = 0;
  pixel left = _mm_shuffle_epi32(load(out - 1), 0);
  for (; x + 4 <= count; x += 4) {
    pixel sum = _mm_loadu_si128((const pixel *)(row + x));
    sum = plus(sum, _mm_slli_si128(sum, 4));
    sum = plus(plus(sum, _mm_slli_si128(sum, 8)), left);
    _mm_storeu_si128((pixel *)(out + x), sum);
    left = _mm_shuffle_epi32(sum, 0xff);
  }
  for (; x < count; x++) store(out + x, plus(load(row + x), load(out + x - 1)));
}
#else
#define undo_from_above undo
static void undo_left(const uint32_t *row, uint32_t count, uint32_t *out) {
  pixel left = load(out - 1);
  for (uint32_t x = 0; x < count; x++) store(out + x, left = plus(load(row + x), left));
}
#endif

// The addresses of `above` have to be right also where it is not looked at.
static void undo_part(int mode, const uint32_t *row, const uint32_t *above, uint32_t count, uint32_t *out) {
  switch (mode) {
    case 1: undo_left(row, count, out); break;
    case 2: undo_from_above(2, row, above, count, out); break;
    case 3: undo_from_above(3, row, above, count, out); break;
    case 4: undo_from_above(4, row, above, count, out); break;
    case 5: undo(5, row, above, count, out); break;
    case 6: undo(6, row, above, count, out); break;
    case 7: undo(7, row, above, count, out); break;
    case 8: undo_from_above(8, row, above, count, out); break;
    case 9: undo_from_above(9, row, above, count, out); break;
    case 10: undo(10, row, above, count, out); break;
    case 11: undo(11, row, above, count, out); break;
    case 12: undo(12, row, above, count, out); break;
    case 13: undo(13, row, above, count, out); break;
    default: undo_from_above(0, row, above, count, out); break;
  }
}

void vp8l_undo_predictor(const transform *transform, uint32_t y, const uint32_t *row, uint32_t *above, uint32_t *out) {
  const uint32_t width = transform->width, side = 1u << transform->bits;
  if (!above) {
    store(out, plus(load(row), load(&black)));
    undo_left(row + 1, width - 1, out + 1);
    return;
  }
  store(out, plus(load(row), load(above)));
  // Right of the last pixel above comes the first of this row.
  above[width] = out[0];
  const uint32_t *tiles = transform->data + (size_t)(y >> transform->bits) * transform->tiles_in_row;
  for (uint32_t x = 1; x < width;) {
    const uint32_t tile = x >> transform->bits;
    const uint32_t end = width - tile * side < side ? width : (tile + 1) * side;
    undo_part(tiles[tile] >> 8 & 15, row + x, above + x, end - x, out + x);
    x = end;
  }
}
