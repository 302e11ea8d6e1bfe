// SPDX-License-Identifier: Apache-2.0
//
// Filters of rows (PNG Third Edition §9).

#include <string.h>

#include "CPNGRows.h"
#include "vectors.h"
#include "paeth.h"

#if defined(VECTORS)

#define VECTOR 16u
#define INLINE static inline __attribute__((always_inline))

INLINE __m128i load(const uint8_t *bytes) { return _mm_loadu_si128((const __m128i *)(const void *)bytes); }
INLINE void store(uint8_t *bytes, __m128i vector) { _mm_storeu_si128((__m128i *)(void *)bytes, vector); }
INLINE __m128i choose(__m128i mask, __m128i yes, __m128i no) {
  return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}
INLINE __m128i distance(__m128i a, __m128i b) { return _mm_or_si128(_mm_subs_epu8(a, b), _mm_subs_epu8(b, a)); }

// The mean, rounded down.
INLINE __m128i mean(__m128i a, __m128i b) {
  return _mm_sub_epi8(_mm_avg_epu8(a, b), _mm_and_si128(_mm_xor_si128(a, b), _mm_set1_epi8(1)));
}

// The predictor of filter Paeth. The corner's distance is |(above - corner) + (left - corner)|: the difference of the
// two others where their signs differ, otherwise their sum, which is not less than any of them.
INLINE __m128i nearest(__m128i left, __m128i above, __m128i corner) {
  const __m128i zero = _mm_setzero_si128();
  const __m128i above_more = _mm_subs_epu8(above, corner), above_less = _mm_subs_epu8(corner, above);
  const __m128i left_more = _mm_subs_epu8(left, corner), left_less = _mm_subs_epu8(corner, left);
  const __m128i by_left = _mm_or_si128(above_more, above_less), by_above = _mm_or_si128(left_more, left_less);
  // Zeros where the signs agree. There the corner is farthest, which ones say as well as the sum.
  const __m128i apart = _mm_or_si128(_mm_min_epu8(above_more, left_less), _mm_min_epu8(above_less, left_more));
  const __m128i by_corner = _mm_or_si128(distance(by_left, by_above), _mm_cmpeq_epi8(apart, zero));
  const __m128i least = _mm_min_epu8(by_left, _mm_min_epu8(by_above, by_corner));
  const __m128i rest = choose(_mm_cmpeq_epi8(least, by_above), above, corner);
  return choose(_mm_cmpeq_epi8(least, by_left), left, rest);
}

INLINE __m128i filtered(unsigned type, const uint8_t *row, const uint8_t *above, size_t step) {
  const __m128i here = load(row);
  switch (type) {
    case 0: return here;
    case 1: return _mm_sub_epi8(here, load(row - step));
    case 2: return _mm_sub_epi8(here, load(above));
    case 3: return _mm_sub_epi8(here, mean(load(row - step), load(above)));
    default: return _mm_sub_epi8(here, nearest(load(row - step), load(above), load(above - step)));
  }
}

// Adds the bytes, taken as signed, without their signs.
INLINE __m128i add_magnitudes(__m128i sum, __m128i bytes) {
  const __m128i zero = _mm_setzero_si128();
  return _mm_add_epi64(sum, _mm_sad_epu8(_mm_min_epu8(bytes, _mm_sub_epi8(zero, bytes)), zero));
}

INLINE uint64_t total(__m128i sum) {
  uint64_t parts[2];
  memcpy(parts, &sum, sizeof parts);
  return parts[0] + parts[1];
}

// Of as many bytes as fit vectors.
//   returns  how many
static size_t magnitudes_of_vectors(const uint8_t *row, const uint8_t *above, size_t length, size_t step, uint64_t *sums) {
  __m128i none = _mm_setzero_si128(), sub = none, up = none, average = none, paeth = none;
  size_t i = 0;
  for (; i + VECTOR <= length; i += VECTOR) {
    none = add_magnitudes(none, filtered(0, row + i, above + i, step));
    sub = add_magnitudes(sub, filtered(1, row + i, above + i, step));
    up = add_magnitudes(up, filtered(2, row + i, above + i, step));
    average = add_magnitudes(average, filtered(3, row + i, above + i, step));
    paeth = add_magnitudes(paeth, filtered(4, row + i, above + i, step));
  }
  sums[0] += total(none);
  sums[1] += total(sub);
  sums[2] += total(up);
  sums[3] += total(average);
  sums[4] += total(paeth);
  return i;
}

INLINE size_t apply_to_vectors(unsigned type, const uint8_t *row, const uint8_t *above, size_t length, size_t step,
                               uint8_t *out) {
  size_t i = 0;
  for (; i + VECTOR <= length; i += VECTOR) store(out + i, filtered(type, row + i, above + i, step));
  return i;
}

#else

static size_t magnitudes_of_vectors(const uint8_t *row, const uint8_t *above, size_t length, size_t step, uint64_t *sums) {
  return 0;
}

static inline size_t apply_to_vectors(unsigned type, const uint8_t *row, const uint8_t *above, size_t length,
                                      size_t step, uint8_t *out) {
  return 0;
}

#endif

static uint8_t filtered_byte(unsigned type, const uint8_t *row, const uint8_t *above, size_t step) {
  switch (type) {
    case 0: return *row;
    case 1: return (uint8_t)(*row - *(row - step));
    case 2: return (uint8_t)(*row - *above);
    case 3: return (uint8_t)(*row - (*(row - step) + *above) / 2);
    default: return (uint8_t)(*row - cpng_paeth(*(row - step), *above, *(above - step)));
  }
}

// The sums of absolute differences of filtered bytes, taken as signed: the smaller, the better they compress (§12.7).
static unsigned least_magnitude(const uint8_t *row, const uint8_t *above, size_t length, size_t step) {
  uint64_t sums[5] = {0};
  unsigned best = 0;
  for (size_t i = magnitudes_of_vectors(row, above, length, step, sums); i < length; i++) {
    for (unsigned type = 0; type < 5; type++) {
      const uint8_t byte = filtered_byte(type, row + i, above + i, step);
      sums[type] += byte < 128 ? byte : 256u - byte;
    }
  }
  for (unsigned type = 1; type < 5; type++) {
    if (sums[type] < sums[best]) best = type;
  }
  return best;
}

void cpng_filter(unsigned choice, const uint8_t *row, const uint8_t *above, size_t length, size_t step, uint8_t *out) {
  unsigned type = choice - 1;
  if (choice == CPNG_FILTER_ADAPTIVE) type = least_magnitude(row, above, length, step);
  *out++ = (uint8_t)type;
  size_t i = 0;
  switch (type) {
    case 0: memcpy(out, row, length); return;
    case 1: i = apply_to_vectors(1, row, above, length, step, out); break;
    case 2: i = apply_to_vectors(2, row, above, length, step, out); break;
    case 3: i = apply_to_vectors(3, row, above, length, step, out); break;
    default: i = apply_to_vectors(4, row, above, length, step, out); break;
  }
  for (; i < length; i++) out[i] = filtered_byte(type, row + i, above + i, step);
}
