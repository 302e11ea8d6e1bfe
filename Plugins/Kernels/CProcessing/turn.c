// SPDX-License-Identifier: Apache-2.0

#include <math.h>
#include <string.h>

#include "CProcessing.h"
#include "CProcessor.h"
#include "vectors.h"

enum { ONE = 1 << 14 };

// Catmull and Rom's cubic for four neighbors, `t` after the second.
void processing_turn_weights(int16_t weights[PROCESSING_TURN_PHASES][4]) {
  for (int phase = 0; phase < PROCESSING_TURN_PHASES; phase++) {
    const double t = (double)phase / PROCESSING_TURN_PHASES, t2 = t * t, t3 = t2 * t;
    const double exact[4] = {-0.5 * t + t2 - 0.5 * t3, 1 - 2.5 * t2 + 1.5 * t3, 0.5 * t + 2 * t2 - 1.5 * t3, -0.5 * t2 + 0.5 * t3};
    int rest = ONE;
    for (int i = 0; i < 4; i++) {
      weights[phase][i] = (int16_t)lround(exact[i] * ONE);
      rest -= weights[phase][i];
    }
    // One color stays itself.
    weights[phase][t < 0.5 ? 1 : 2] = (int16_t)(weights[phase][t < 0.5 ? 1 : 2] + rest);
  }
}

static const int16_t *phase_of(const processing_turn *turn, int64_t place) {
  return turn->weights[(uint64_t)place >> (32 - PROCESSING_TURN_BITS) & (PROCESSING_TURN_PHASES - 1)];
}

static const uint8_t *corner(const processing_turn *turn, int64_t u, int64_t v) {
  return turn->pixels + ((v >> 32) - 1) * (int64_t)turn->stride + ((u >> 32) - 1) * (int64_t)turn->channels;
}

static void fill_plain(const processing_turn *turn, int64_t u, int64_t v, uint8_t *out, uint32_t count) {
  for (uint32_t x = 0; x < count; x++, u += turn->u_step, v += turn->v_step, out += turn->out_channels) {
    const int16_t *across = phase_of(turn, u), *down = phase_of(turn, v);
    const uint8_t *row = corner(turn, u, v);
    int32_t sum[4] = {1 << 19, 1 << 19, 1 << 19, 1 << 19};
    for (int j = 0; j < 4; j++, row += turn->stride) {
      for (uint32_t c = 0; c < turn->channels; c++) {
        int32_t line = 0;
        for (uint32_t i = 0; i < 4; i++) line += row[i * turn->channels + c] * across[i];
        sum[c] += (line >> 8) * down[j];
      }
    }
    for (uint32_t c = 0; c < turn->channels; c++) {
      const int32_t level = sum[c] >> 20;
      out[c] = (uint8_t)(level < 0 ? 0 : level > 255 ? 255 : level);
    }
    if (turn->out_channels > turn->channels) out[turn->channels] = 255;
  }
}

#ifdef VECTORS
// Both rows of a pair: the sums of one in the lower halves, those of the other in the upper ones, each 64ths of a level.
VECTORS_SSE41 static inline __m128i pair(const uint8_t *row, size_t stride, __m128i left, __m128i right, __m128i w01, __m128i w23) {
  const __m128i upper_halves = _mm_set1_epi32((int32_t)0xFFFF0000);
  const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)row);
  const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(row + stride));
  const __m128i first = _mm_add_epi32(_mm_madd_epi16(_mm_shuffle_epi8(a, left), w01), _mm_madd_epi16(_mm_shuffle_epi8(a, right), w23));
  const __m128i second = _mm_add_epi32(_mm_madd_epi16(_mm_shuffle_epi8(b, left), w01), _mm_madd_epi16(_mm_shuffle_epi8(b, right), w23));
  // Bits 8 to 23 of both.
  return _mm_blendv_epi8(_mm_srai_epi32(first, 8), _mm_slli_si128(second, 1), upper_halves);
}

VECTORS_SSE41 static void fill_vectors(const processing_turn *turn, int64_t u, int64_t v, uint8_t *out, uint32_t count) {
  const size_t stride = turn->stride, step = turn->out_channels;
  // The first and the second of four pixels as words, channel by channel; then the third and the fourth.
  const __m128i left3 = _mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1);
  const __m128i right3 = _mm_setr_epi8(6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1);
  const __m128i left1 = _mm_setr_epi8(0, -1, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m128i right1 = _mm_setr_epi8(2, -1, 3, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m128i left = turn->channels == 3 ? left3 : left1, right = turn->channels == 3 ? right3 : right1;
  const __m128i half = _mm_set1_epi32(1 << 19);
  const __m128i to_bytes = _mm_setr_epi8(0, 2, 4, 6, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const uint32_t opaque = turn->channels == 3 ? 0xFF000000u : 0xFF00u;
  for (uint32_t x = 0; x < count; x++, u += turn->u_step, v += turn->v_step, out += step) {
    const __m128i across = _mm_loadl_epi64((const __m128i *)(const void *)phase_of(turn, u));
    const __m128i down = _mm_loadl_epi64((const __m128i *)(const void *)phase_of(turn, v));
    const __m128i w01 = _mm_shuffle_epi32(across, 0x00), w23 = _mm_shuffle_epi32(across, 0x55);
    const uint8_t *row = corner(turn, u, v);
    const __m128i upper = pair(row, stride, left, right, w01, w23), lower = pair(row + 2 * stride, stride, left, right, w01, w23);
    const __m128i sum = _mm_add_epi32(
        _mm_add_epi32(_mm_madd_epi16(upper, _mm_shuffle_epi32(down, 0x00)), _mm_madd_epi16(lower, _mm_shuffle_epi32(down, 0x55))), half);
    // Of each level the lower half counts; the upper one is its sign.
    const __m128i level = _mm_srai_epi32(sum, 20), bytes = _mm_shuffle_epi8(_mm_packus_epi16(level, level), to_bytes);
    const uint32_t pixel = (uint32_t)_mm_cvtsi128_si32(bytes) | opaque;
    switch (step) {
      case 4: memcpy(out, &pixel, 4); break;
      case 3: memcpy(out, &pixel, 3); break;
      case 2: memcpy(out, &pixel, 2); break;
      default: *out = (uint8_t)pixel;
    }
  }
}
#endif

void processing_turn_fill(const processing_turn *turn, int64_t u, int64_t v, uint8_t *out, uint32_t count) {
  // What rounds to the nearest phase.
  u += (int64_t)1 << (31 - PROCESSING_TURN_BITS);
  v += (int64_t)1 << (31 - PROCESSING_TURN_BITS);
#ifdef VECTORS
  if (processor_has_sse41()) return fill_vectors(turn, u, v, out, count);
#endif
  fill_plain(turn, u, v, out, count);
}
