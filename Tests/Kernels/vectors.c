// SPDX-License-Identifier: Apache-2.0
//
// Each function of vectors.h beside what Intel's manual says it does to each element. On x86-64 the functions are the
// compiler's own, so that what is written here is held to them; on AArch64, ours are held to what is written here.

#include "vectors.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CProcessor.h"

typedef union bytes {
  uint8_t u8[16];
  int8_t s8[16];
  uint16_t u16[8];
  int16_t s16[8];
  uint32_t u32[4];
  int32_t s32[4];
  uint64_t u64[2];
} bytes;

static void check(const bytes *found, const bytes *expected, const char *name) {
  if (memcmp(found, expected, sizeof *found) == 0) return;
  printf("%s:", name);
  for (int i = 0; i < 16; i++) printf(" %02x", found->u8[i]);
  printf(" where expected");
  for (int i = 0; i < 16; i++) printf(" %02x", expected->u8[i]);
  printf("\n");
  exit(1);
}

#define LOADED(name) _mm_loadu_si128((const __m128i *)(const void *)(name)->u8)

static int32_t limited(int32_t value, int32_t least, int32_t most) { return value < least ? least : value > most ? most : value; }

// Compares `expression` of the vectors va and vb with what the statement makes of `expected`, for each index i.
#define HOLDS(count, expression, ...)                                    \
  do {                                                                   \
    bytes found, expected;                                               \
    memset(&expected, 0, sizeof expected);                               \
    _mm_storeu_si128((__m128i *)(void *)found.u8, expression);           \
    for (int i = 0; i < (count); i++) { __VA_ARGS__; }                   \
    check(&found, &expected, #expression);                               \
  } while (0)
#define IS_8(expression, value) HOLDS(16, expression, expected.u8[i] = (uint8_t)(value))
#define IS_16(expression, value) HOLDS(8, expression, expected.u16[i] = (uint16_t)(value))
#define IS_32(expression, value) HOLDS(4, expression, expected.u32[i] = (uint32_t)(value))
#define IS_64(expression, value) HOLDS(2, expression, expected.u64[i] = (uint64_t)(value))

static void check_constants(const bytes *a) {
  const int8_t low = a->s8[0];
  const int16_t middle = a->s16[0];
  const int32_t high = a->s32[0];
  IS_8(_mm_setzero_si128(), 0);
  IS_8(_mm_set1_epi8(low), low);
  IS_16(_mm_set1_epi16(middle), middle);
  IS_32(_mm_set1_epi32(high), high);
  IS_16(_mm_set_epi16(middle, 1, 2, 3, 4, 5, 6, 7), i == 7 ? middle : 7 - i);
  IS_8(_mm_setr_epi8(low, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -1), i == 0 ? low : i == 15 ? -1 : i);
  IS_32(_mm_cvtsi32_si128(high), i == 0 ? high : 0);
  IS_64(_mm_loadl_epi64((const __m128i *)(const void *)a->u8), i == 0 ? a->u64[0] : 0);
  bytes half = *a, expected = *a;
  _mm_storel_epi64((__m128i *)(void *)half.u8, _mm_setzero_si128());
  expected.u64[0] = 0;
  check(&half, &expected, "_mm_storel_epi64");
  if (_mm_cvtsi128_si32(LOADED(a)) != high) check(a, &expected, "_mm_cvtsi128_si32");
}

static void check_bytes(const bytes *a, const bytes *b) {
  const __m128i va = LOADED(a), vb = LOADED(b);
  IS_8(_mm_and_si128(va, vb), a->u8[i] & b->u8[i]);
  IS_8(_mm_andnot_si128(va, vb), ~a->u8[i] & b->u8[i]);
  IS_8(_mm_or_si128(va, vb), a->u8[i] | b->u8[i]);
  IS_8(_mm_xor_si128(va, vb), a->u8[i] ^ b->u8[i]);
  IS_8(_mm_add_epi8(va, vb), a->u8[i] + b->u8[i]);
  IS_8(_mm_sub_epi8(va, vb), a->u8[i] - b->u8[i]);
  IS_8(_mm_subs_epu8(va, vb), a->u8[i] > b->u8[i] ? a->u8[i] - b->u8[i] : 0);
  IS_8(_mm_avg_epu8(va, vb), (a->u8[i] + b->u8[i] + 1) / 2);
  IS_8(_mm_min_epu8(va, vb), a->u8[i] < b->u8[i] ? a->u8[i] : b->u8[i]);
  IS_8(_mm_cmpeq_epi8(va, vb), a->u8[i] == b->u8[i] ? 255 : 0);
  HOLDS(16, _mm_sad_epu8(va, vb), expected.u64[i / 8] += (uint64_t)abs(a->u8[i] - b->u8[i]));
  unsigned mask = 0;
  for (int i = 0; i < 16; i++) mask |= (unsigned)(a->u8[i] >> 7) << i;
  if ((unsigned)_mm_movemask_epi8(va) != mask) check(a, b, "_mm_movemask_epi8");
  IS_8(_mm_slli_si128(va, 1), i < 1 ? 0 : a->u8[i - 1]);
  IS_8(_mm_slli_si128(va, 12), i < 12 ? 0 : a->u8[i - 12]);
  IS_8(_mm_srli_si128(va, 4), i + 4 < 16 ? a->u8[i + 4] : 0);
  IS_8(_mm_srli_si128(va, 8), i + 8 < 16 ? a->u8[i + 8] : 0);
  IS_8(_mm_unpacklo_epi8(va, vb), i % 2 ? b->u8[i / 2] : a->u8[i / 2]);
}

static void check_words(const bytes *a, const bytes *b) {
  const __m128i va = LOADED(a), vb = LOADED(b);
  IS_16(_mm_add_epi16(va, vb), a->u16[i] + b->u16[i]);
  IS_16(_mm_sub_epi16(va, vb), a->u16[i] - b->u16[i]);
  IS_16(_mm_min_epi16(va, vb), a->s16[i] < b->s16[i] ? a->s16[i] : b->s16[i]);
  IS_16(_mm_max_epi16(va, vb), a->s16[i] > b->s16[i] ? a->s16[i] : b->s16[i]);
  IS_16(_mm_cmpeq_epi16(va, vb), a->u16[i] == b->u16[i] ? 0xFFFF : 0);
  IS_16(_mm_cmpgt_epi16(va, vb), a->s16[i] > b->s16[i] ? 0xFFFF : 0);
  IS_16(_mm_mullo_epi16(va, vb), (uint32_t)a->u16[i] * b->u16[i]);
  IS_16(_mm_mulhi_epi16(va, vb), ((int32_t)a->s16[i] * b->s16[i]) >> 16);
  IS_16(_mm_mulhi_epu16(va, vb), ((uint32_t)a->u16[i] * b->u16[i]) >> 16);
  HOLDS(8, _mm_madd_epi16(va, vb), expected.u32[i / 2] += (uint32_t)((int32_t)a->s16[i] * b->s16[i]));
  IS_16(_mm_slli_epi16(va, 8), a->u16[i] << 8);
  IS_16(_mm_srli_epi16(va, 8), a->u16[i] >> 8);
  IS_16(_mm_srai_epi16(va, 1), a->s16[i] >> 1);
  IS_16(_mm_unpacklo_epi16(va, vb), i % 2 ? b->u16[i / 2] : a->u16[i / 2]);
  IS_16(_mm_unpackhi_epi16(va, vb), i % 2 ? b->u16[4 + i / 2] : a->u16[4 + i / 2]);
  IS_16(_mm_shufflelo_epi16(va, 0xa0), a->u16[i < 4 ? i & 2 : i]);
  IS_16(_mm_shufflehi_epi16(va, 0x1b), a->u16[i < 4 ? i : 11 - i]);
  IS_8(_mm_packus_epi16(va, vb), limited((i < 8 ? a : b)->s16[i % 8], 0, 255));
  IS_8(_mm_packs_epi16(va, vb), limited((i < 8 ? a : b)->s16[i % 8], -128, 127));
}

static void check_double_words(const bytes *a, const bytes *b) {
  const __m128i va = LOADED(a), vb = LOADED(b);
  IS_32(_mm_add_epi32(va, vb), a->u32[i] + b->u32[i]);
  IS_32(_mm_sub_epi32(va, vb), a->u32[i] - b->u32[i]);
  IS_32(_mm_cmpgt_epi32(va, vb), a->s32[i] > b->s32[i] ? 0xFFFFFFFF : 0);
  IS_32(_mm_srli_epi32(va, 16), a->u32[i] >> 16);
  IS_32(_mm_srai_epi32(va, 13), a->s32[i] >> 13);
  IS_32(_mm_shuffle_epi32(va, 0), a->u32[0]);
  IS_32(_mm_shuffle_epi32(va, 1), a->u32[i == 0 ? 1 : 0]);
  IS_32(_mm_shuffle_epi32(va, 0xff), a->u32[3]);
  IS_32(_mm_unpacklo_epi32(va, vb), i % 2 ? b->u32[i / 2] : a->u32[i / 2]);
  IS_64(_mm_add_epi64(va, vb), a->u64[i] + b->u64[i]);
  IS_64(_mm_unpacklo_epi64(va, vb), i ? b->u64[0] : a->u64[0]);
  IS_64(_mm_unpackhi_epi64(va, vb), i ? b->u64[1] : a->u64[1]);
}

VECTORS_SSE41 static void check_sse41(const bytes *a, const bytes *b, const bytes *c) {
  const __m128i va = LOADED(a), vb = LOADED(b), vc = LOADED(c);
  IS_8(_mm_shuffle_epi8(va, vb), b->u8[i] & 128 ? 0 : a->u8[b->u8[i] & 15]);
  IS_8(_mm_blendv_epi8(va, vb, vc), c->u8[i] & 128 ? b->u8[i] : a->u8[i]);
  IS_16(_mm_cvtepu8_epi16(va), a->u8[i]);
  IS_16(_mm_max_epu16(va, vb), a->u16[i] > b->u16[i] ? a->u16[i] : b->u16[i]);
}

// Mostly any bytes, and often those at the ends of what fits, where limits and signs matter.
static bytes any(void) {
  static const uint8_t ends[4] = {0x00, 0x7f, 0x80, 0xff};
  bytes a;
  const int only_ends = rand() % 3 == 0;
  for (int i = 0; i < 16; i++) a.u8[i] = only_ends ? ends[rand() % 4] : (uint8_t)rand();
  return a;
}

int main(void) {
#ifdef VECTORS
  srand(1);
  for (int round = 0; round < 20000; round++) {
    const bytes a = any(), b = rand() % 4 ? any() : a, c = any();
    check_constants(&a);
    check_bytes(&a, &b);
    check_words(&a, &b);
    check_double_words(&a, &b);
    if (processor_has_sse41()) check_sse41(&a, &b, &c);
  }
#endif
  return 0;
}
