// SPDX-License-Identifier: Apache-2.0
//
// A pixel is one register: of the work on it, what does not wait for the pixel to its left is done ahead by the
// processor. Of two rows with filter Paeth, the second runs two pixels later than the first in the same register.

#include "unfilter_vectors.h"

#include "CProcessor.h"
#include "vectors.h"

#if defined(VECTORS)

#include <string.h>

#include "unfilter_plain.h"

// How far before its use a picture's memory is asked for, in bytes.
#define READ_AHEAD 2048

#define INLINE VECTORS_SSE41 static inline __attribute__((always_inline))

INLINE __m128i load32(const uint8_t *bytes) {
  int value;
  memcpy(&value, bytes, 4);
  return _mm_cvtsi32_si128(value);
}

INLINE void store32(uint8_t *bytes, __m128i vector) {
  const int value = _mm_cvtsi128_si32(vector);
  memcpy(bytes, &value, 4);
}

INLINE __m128i load128(const uint8_t *bytes) { return _mm_loadu_si128((const __m128i *)(const void *)bytes); }
INLINE void store128(uint8_t *bytes, __m128i vector) { _mm_storeu_si128((__m128i *)(void *)bytes, vector); }

// A pixel of `step` bytes, and as many after it as make 4 or 8.
INLINE __m128i load_pixel(const uint8_t *bytes, unsigned step) {
  return step <= 4 ? load32(bytes) : _mm_loadl_epi64((const __m128i *)(const void *)bytes);
}

INLINE void store_pixel(uint8_t *bytes, __m128i vector, unsigned step) {
  if (step <= 4) store32(bytes, vector);
  else _mm_storel_epi64((__m128i *)(void *)bytes, vector);
}

// The mean, rounded down.
INLINE __m128i mean(__m128i a, __m128i b) {
  return _mm_sub_epi8(_mm_avg_epu8(a, b), _mm_and_si128(_mm_xor_si128(a, b), _mm_set1_epi8(1)));
}

// Of filter Paeth without its distances: with t = 3 corner - left - above, what lies at the other side of the mean is
// nearest. Three steps wait for `left`.
//   turn  3 corner - above
INLINE __m128i nearest(__m128i left, __m128i above, __m128i corner, __m128i turn) {
  const __m128i t = _mm_sub_epi16(turn, left);
  const __m128i low = _mm_min_epi16(left, above), high = _mm_max_epi16(left, above);
  const __m128i inner = _mm_blendv_epi8(low, corner, _mm_cmpgt_epi16(high, t));
  return _mm_blendv_epi8(high, inner, _mm_cmpgt_epi16(t, low));
}

INLINE __m128i thrice_less(__m128i corner, __m128i above) {
  return _mm_sub_epi16(_mm_add_epi16(corner, _mm_add_epi16(corner, corner)), above);
}

INLINE void sub_samples(const uint8_t *in, uint8_t *out, size_t length, unsigned step) {
  __m128i left = _mm_setzero_si128();
  size_t i = 0;
  if (step == 1 || step == 2 || step == 4 || step == 8) {
    for (; i + 16 <= length; i += 16) {
      __m128i sum = load128(in + i);
      if (step == 1) sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 1));
      if (step <= 2) sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 2));
      if (step <= 4) sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 4));
      sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 8));
      sum = _mm_add_epi8(sum, left);
      store128(out + i, sum);
      switch (step) {
        case 1: left = _mm_shuffle_epi8(sum, _mm_set1_epi8(15)); break;
        case 2: left = _mm_shuffle_epi8(sum, _mm_set1_epi16(15 << 8 | 14)); break;
        case 4: left = _mm_shuffle_epi32(sum, 0xFF); break;
        default: left = _mm_unpackhi_epi64(sum, sum); break;
      }
    }
    for (; i < length; i++) out[i] = (uint8_t)(in[i] + (i >= step ? out[i - step] : 0));
    return;
  }
  for (; i < length; i += step) {
    left = _mm_add_epi8(left, load_pixel(in + i, step));
    store_pixel(out + i, left, step);
  }
}

INLINE void mean_samples(const uint8_t *in, uint8_t *out, const uint8_t *above, size_t length, unsigned step) {
  __m128i left = _mm_setzero_si128();
  for (size_t i = 0; i < length; i += step) {
    left = _mm_add_epi8(load_pixel(in + i, step), mean(left, load_pixel(above + i, step)));
    store_pixel(out + i, left, step);
  }
}

INLINE void paeth_samples(const uint8_t *in, uint8_t *out, const uint8_t *above, size_t length, unsigned step) {
  __m128i left = _mm_setzero_si128(), corner = left;
  for (size_t i = 0; i < length; i += step) {
    const __m128i over = _mm_cvtepu8_epi16(load_pixel(above + i, step));
    const __m128i filtered = _mm_cvtepu8_epi16(load_pixel(in + i, step));
    left = _mm_add_epi8(filtered, nearest(left, over, corner, thrice_less(corner, over)));
    corner = over;
    store_pixel(out + i, _mm_packus_epi16(left, left), step);
  }
}

INLINE void samples_of(unsigned filter, const uint8_t *in, uint8_t *out, const uint8_t *above, size_t length,
                       unsigned step) {
  switch (filter) {
    case 1: sub_samples(in, out, length, step); break;
    case 3: mean_samples(in, out, above, length, step); break;
    default: paeth_samples(in, out, above, length, step); break;
  }
}

VECTORS_SSE41 static void samples(unsigned filter, const uint8_t *in, uint8_t *out, const uint8_t *above, size_t length,
                                  unsigned step) {
  if (filter == 0 || filter == 2 || (step <= 2 && filter != 1)) {
    cpng_plain_kernels.samples(filter, in, out, above, length, step);
    return;
  }
  switch (step) {
    case 1: samples_of(filter, in, out, above, length, 1); break;
    case 2: samples_of(filter, in, out, above, length, 2); break;
    case 3: samples_of(filter, in, out, above, length, 3); break;
    case 4: samples_of(filter, in, out, above, length, 4); break;
    case 6: samples_of(filter, in, out, above, length, 6); break;
    default: samples_of(filter, in, out, above, length, 8); break;
  }
}

// How filtered bytes become pixels of four bytes, and what is added to them.
typedef struct order {
  __m128i places, alpha;
} order;

INLINE order order_of(unsigned step, int is_bgr) {
  const __m128i rgb = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
  const __m128i rgb_turned = _mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1);
  const __m128i rgba = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m128i rgba_turned = _mm_setr_epi8(2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11, 14, 13, 12, 15);
  if (step == 4) return (order){is_bgr ? rgba_turned : rgba, _mm_setzero_si128()};
  return (order){is_bgr ? rgb_turned : rgb, _mm_set1_epi32((int)0xFF000000u)};
}

// The same for one pixel, whose bytes become numbers of 16 bits.
INLINE __m128i widening(int is_bgr) {
  const __m128i plain = _mm_setr_epi8(0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1, 6, -1, 7, -1);
  const __m128i turned = _mm_setr_epi8(2, -1, 1, -1, 0, -1, 3, -1, 6, -1, 5, -1, 4, -1, 7, -1);
  return is_bgr ? turned : plain;
}

INLINE void color_of(unsigned filter, const uint8_t *in, uint8_t *out, const uint8_t *above, size_t width,
                     unsigned step, int is_bgr) {
  const order to = order_of(step, is_bgr);
  __m128i left = _mm_setzero_si128(), corner = left;
  size_t x = 0;
  switch (filter) {
    case 0:
      for (; x + 4 <= width; x += 4) {
        store128(out + 4 * x, _mm_or_si128(_mm_shuffle_epi8(load128(in + step * x), to.places), to.alpha));
      }
      for (; x < width; x++) {
        store32(out + 4 * x, _mm_or_si128(_mm_shuffle_epi8(load32(in + step * x), to.places), to.alpha));
      }
      break;
    case 1:
      for (; x + 4 <= width; x += 4) {
        __m128i sum = _mm_shuffle_epi8(load128(in + step * x), to.places);
        sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 4));
        sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 8));
        sum = _mm_add_epi8(sum, left);
        left = _mm_shuffle_epi32(sum, 0xFF);
        store128(out + 4 * x, _mm_or_si128(sum, to.alpha));
      }
      for (; x < width; x++) {
        left = _mm_add_epi8(left, _mm_shuffle_epi8(load32(in + step * x), to.places));
        store32(out + 4 * x, _mm_or_si128(left, to.alpha));
      }
      break;
    case 2:
      for (; x + 4 <= width; x += 4) {
        const __m128i sum = _mm_add_epi8(_mm_shuffle_epi8(load128(in + step * x), to.places), load128(above + 4 * x));
        store128(out + 4 * x, _mm_or_si128(sum, to.alpha));
      }
      for (; x < width; x++) {
        const __m128i sum = _mm_add_epi8(_mm_shuffle_epi8(load32(in + step * x), to.places), load32(above + 4 * x));
        store32(out + 4 * x, _mm_or_si128(sum, to.alpha));
      }
      break;
    case 3:
      for (; x < width; x++) {
        const __m128i filtered = _mm_shuffle_epi8(load32(in + step * x), to.places);
        left = _mm_add_epi8(filtered, mean(left, load32(above + 4 * x)));
        store32(out + 4 * x, _mm_or_si128(left, to.alpha));
      }
      break;
    default: {
      const __m128i wide = widening(is_bgr);
      for (; x < width; x++) {
        const __m128i over = _mm_cvtepu8_epi16(load32(above + 4 * x));
        const __m128i filtered = _mm_shuffle_epi8(load32(in + step * x), wide);
        left = _mm_add_epi8(filtered, nearest(left, over, corner, thrice_less(corner, over)));
        corner = over;
        store32(out + 4 * x, _mm_or_si128(_mm_packus_epi16(left, left), to.alpha));
      }
    }
  }
}

VECTORS_SSE41 static void color(unsigned filter, const uint8_t *in, uint8_t *out, const uint8_t *above,
                                const cpng_color_rows *rows) {
  if (rows->step == 3) {
    if (rows->is_bgr) color_of(filter, in, out, above, rows->width, 3, 1);
    else color_of(filter, in, out, above, rows->width, 3, 0);
  } else {
    if (rows->is_bgr) color_of(filter, in, out, above, rows->width, 4, 1);
    else color_of(filter, in, out, above, rows->width, 4, 0);
  }
}

// Two rows at once. In the high half, the pixel above is the low half's of two steps before.
//   in_step   bytes of a filtered pixel
//   out_step  bytes of a pixel in `out` and `above`: 4, or 3 as in the file
INLINE void paeth_pair(const uint8_t *in[2], uint8_t *out[2], const uint8_t *above, size_t width, unsigned in_step,
                       unsigned out_step, int is_bgr) {
  const __m128i alpha = out_step > in_step ? _mm_set1_epi32((int)0xFF000000u) : _mm_setzero_si128();
  const __m128i wide = widening(is_bgr);
  __m128i left = _mm_setzero_si128(), corner = left, before = left, before_that = left;
#define STEP(first, second)                                                                         \
  do {                                                                                              \
    const __m128i over = _mm_unpacklo_epi64(_mm_cvtepu8_epi16(first##_above), before_that);         \
    const __m128i filtered = _mm_shuffle_epi8(_mm_unpacklo_epi32(first##_in, second##_in), wide);   \
    left = _mm_add_epi8(filtered, nearest(left, over, corner, thrice_less(corner, over)));          \
    corner = over;                                                                                  \
    before_that = before;                                                                           \
    before = left;                                                                                  \
  } while (0)
  const __m128i none = _mm_setzero_si128(), none_above = none, none_in = none;
  (void)none_above;
  size_t x = 0;
  for (; x < 2 && x < width; x++) {
    const __m128i row_above = load32(above + out_step * x), row_in = load32(in[0] + in_step * x);
    STEP(row, none);
    store32(out[0] + out_step * x, _mm_or_si128(_mm_packus_epi16(left, left), alpha));
  }
  for (; x < width; x++) {
    const __m128i row_above = load32(above + out_step * x), row_in = load32(in[0] + in_step * x);
    const __m128i next_in = load32(in[1] + in_step * (x - 2));
    STEP(row, next);
    const __m128i pixels = _mm_or_si128(_mm_packus_epi16(left, left), alpha);
    store32(out[0] + out_step * x, pixels);
    store32(out[1] + out_step * (x - 2), _mm_shuffle_epi32(pixels, 1));
  }
  for (x = width < 2 ? 2 : width; x < width + 2; x++) {
    if (width == 1) before_that = before;  // the only pixel comes one step early
    const __m128i next_in = load32(in[1] + in_step * (x - 2));
    STEP(none, next);
    store32(out[1] + out_step * (x - 2), _mm_shuffle_epi32(_mm_or_si128(_mm_packus_epi16(left, left), alpha), 1));
  }
#undef STEP
}

VECTORS_SSE41 static void color_pair(const uint8_t *in[2], uint8_t *out[2], const uint8_t *above, const cpng_color_rows *rows) {
  if (rows->step == 3) {
    if (rows->is_bgr) paeth_pair(in, out, above, rows->width, 3, 4, 1);
    else paeth_pair(in, out, above, rows->width, 3, 4, 0);
  } else {
    if (rows->is_bgr) paeth_pair(in, out, above, rows->width, 4, 4, 1);
    else paeth_pair(in, out, above, rows->width, 4, 4, 0);
  }
}

VECTORS_SSE41 static void triple_pair(const uint8_t *in[2], uint8_t *out[2], const uint8_t *above, size_t width) {
  paeth_pair(in, out, above, width, 3, 3, 0);
}

// Of each 16-bit number v: (255 v + 32895) >> 16, which is the high half of 255 v, and one more where the low half is at
// least 32641.
INLINE __m128i scale(__m128i wide) {
  const __m128i factor = _mm_set1_epi16(255), half = _mm_set1_epi16((short)32641);
  const __m128i high = _mm_mulhi_epu16(wide, factor), low = _mm_mullo_epi16(wide, factor);
  return _mm_sub_epi16(high, _mm_cmpeq_epi16(_mm_max_epu16(low, half), low));
}

INLINE size_t scaled_color_of(const uint8_t *in, uint8_t *out, size_t width, unsigned channels, int is_bgr) {
  const __m128i alpha = channels == 3 ? _mm_set1_epi32((int)0xFF000000u) : _mm_setzero_si128();
  const __m128i rgb = _mm_setr_epi8(1, 0, 3, 2, 5, 4, -1, -1, 7, 6, 9, 8, 11, 10, -1, -1);
  const __m128i rgb_turned = _mm_setr_epi8(5, 4, 3, 2, 1, 0, -1, -1, 11, 10, 9, 8, 7, 6, -1, -1);
  const __m128i rgba = _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
  const __m128i rgba_turned = _mm_setr_epi8(5, 4, 3, 2, 1, 0, 7, 6, 13, 12, 11, 10, 9, 8, 15, 14);
  const __m128i places = channels == 3 ? (is_bgr ? rgb_turned : rgb) : (is_bgr ? rgba_turned : rgba);
  const unsigned step = 2 * channels;
  size_t x = 0;
  for (; x + 4 <= width; x += 4) {
    const __m128i first = scale(_mm_shuffle_epi8(load128(in + step * x), places));
    const __m128i second = scale(_mm_shuffle_epi8(load128(in + step * (x + 2)), places));
    store128(out + 4 * x, _mm_or_si128(_mm_packus_epi16(first, second), alpha));
  }
  return x;
}

VECTORS_SSE41 static size_t scaled_color(const uint8_t *samples, uint8_t *pixels, size_t width, unsigned channels, int is_bgr) {
  if (channels == 3) return scaled_color_of(samples, pixels, width, 3, is_bgr);
  return scaled_color_of(samples, pixels, width, 4, is_bgr);
}

VECTORS_SSE41 static size_t without_alpha(const uint8_t *pixels, uint8_t *samples, size_t width, int is_bgr) {
  const __m128i plain = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
  const __m128i turned = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  const __m128i places = is_bgr ? turned : plain;
  size_t x = 0;
  // Four vectors become three, which are stored without writing a byte twice. The picture's memory is asked for ahead,
  // since the processor's own prefetching ends where a page does.
  for (; x + 16 <= width; x += 16) {
    const uint8_t *from = pixels + 4 * x;
    uint8_t *to = samples + 3 * x;
    _mm_prefetch((const char *)((uintptr_t)from + READ_AHEAD), _MM_HINT_T0);
    const __m128i a = _mm_shuffle_epi8(load128(from), places), b = _mm_shuffle_epi8(load128(from + 16), places);
    const __m128i c = _mm_shuffle_epi8(load128(from + 32), places), d = _mm_shuffle_epi8(load128(from + 48), places);
    store128(to, _mm_or_si128(a, _mm_slli_si128(b, 12)));
    store128(to + 16, _mm_or_si128(_mm_srli_si128(b, 4), _mm_slli_si128(c, 8)));
    store128(to + 32, _mm_or_si128(_mm_srli_si128(c, 8), _mm_slli_si128(d, 4)));
  }
  for (; x + 4 <= width; x += 4) store128(samples + 3 * x, _mm_shuffle_epi8(load128(pixels + 4 * x), places));
  return x;
}

const cpng_kernels *cpng_vector_kernels(void) {
  static const cpng_kernels kernels = {samples, color, color_pair, triple_pair, scaled_color, without_alpha};
  return processor_has_sse41() ? &kernels : NULL;
}

#else

const cpng_kernels *cpng_vector_kernels(void) { return 0; }

#endif
