// SPDX-License-Identifier: Apache-2.0
//
// What our loops use of Intel's instructions, in NEON: see vectors.h. What each does to its bytes is said in Intel's manual
// under its name; `Tests/Kernels/vectors.c` holds both to that, element by element.

#ifndef CPROCESSOR_NEON_H
#define CPROCESSOR_NEON_H

#include <arm_neon.h>

typedef uint8x16_t __m128i;

#define VECTOR static inline __attribute__((always_inline, unused)) __m128i

// The same bits as elements of another size, and back.
#define AS_U16(a) vreinterpretq_u16_u8(a)
#define AS_U32(a) vreinterpretq_u32_u8(a)
#define AS_U64(a) vreinterpretq_u64_u8(a)
#define AS_S8(a) vreinterpretq_s8_u8(a)
#define AS_S16(a) vreinterpretq_s16_u8(a)
#define AS_S32(a) vreinterpretq_s32_u8(a)
#define OF_U16(a) vreinterpretq_u8_u16(a)
#define OF_U32(a) vreinterpretq_u8_u32(a)
#define OF_U64(a) vreinterpretq_u8_u64(a)
#define OF_S8(a) vreinterpretq_u8_s8(a)
#define OF_S16(a) vreinterpretq_u8_s16(a)
#define OF_S32(a) vreinterpretq_u8_s32(a)

// Memory and constants

VECTOR _mm_loadu_si128(const __m128i *from) { return vld1q_u8((const uint8_t *)from); }
VECTOR _mm_loadl_epi64(const __m128i *from) { return vcombine_u8(vld1_u8((const uint8_t *)from), vdup_n_u8(0)); }
static inline void _mm_storeu_si128(__m128i *to, __m128i a) { vst1q_u8((uint8_t *)to, a); }
static inline void _mm_storel_epi64(__m128i *to, __m128i a) { vst1_u8((uint8_t *)to, vget_low_u8(a)); }
VECTOR _mm_cvtsi32_si128(int32_t value) { return OF_S32(vsetq_lane_s32(value, vdupq_n_s32(0), 0)); }
static inline int32_t _mm_cvtsi128_si32(__m128i a) { return vgetq_lane_s32(AS_S32(a), 0); }
VECTOR _mm_setzero_si128(void) { return vdupq_n_u8(0); }
VECTOR _mm_set1_epi8(int8_t value) { return OF_S8(vdupq_n_s8(value)); }
VECTOR _mm_set1_epi16(int16_t value) { return OF_S16(vdupq_n_s16(value)); }
VECTOR _mm_set1_epi32(int32_t value) { return OF_S32(vdupq_n_s32(value)); }
#define _mm_set_epi16(h, g, f, e, d, c, b, a) OF_S16(((int16x8_t){(a), (b), (c), (d), (e), (f), (g), (h)}))
#define _mm_setr_epi8(...) OF_S8(((int8x16_t){__VA_ARGS__}))
#define _MM_HINT_T0 3
#define _mm_prefetch(address, hint) __builtin_prefetch(address, 0, hint)

// Bits

VECTOR _mm_and_si128(__m128i a, __m128i b) { return vandq_u8(a, b); }
VECTOR _mm_andnot_si128(__m128i a, __m128i b) { return vbicq_u8(b, a); }
VECTOR _mm_or_si128(__m128i a, __m128i b) { return vorrq_u8(a, b); }
VECTOR _mm_xor_si128(__m128i a, __m128i b) { return veorq_u8(a, b); }
VECTOR _mm_blendv_epi8(__m128i no, __m128i yes, __m128i mask) { return vbslq_u8(OF_S8(vshrq_n_s8(AS_S8(mask), 7)), yes, no); }
static inline int _mm_movemask_epi8(__m128i a) {
  const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t set = vandq_u8(OF_S8(vshrq_n_s8(AS_S8(a), 7)), weights);
  return vaddv_u8(vget_low_u8(set)) | vaddv_u8(vget_high_u8(set)) << 8;
}

// Sums and differences

VECTOR _mm_add_epi8(__m128i a, __m128i b) { return vaddq_u8(a, b); }
VECTOR _mm_add_epi16(__m128i a, __m128i b) { return OF_U16(vaddq_u16(AS_U16(a), AS_U16(b))); }
VECTOR _mm_add_epi32(__m128i a, __m128i b) { return OF_U32(vaddq_u32(AS_U32(a), AS_U32(b))); }
VECTOR _mm_add_epi64(__m128i a, __m128i b) { return OF_U64(vaddq_u64(AS_U64(a), AS_U64(b))); }
VECTOR _mm_sub_epi8(__m128i a, __m128i b) { return vsubq_u8(a, b); }
VECTOR _mm_sub_epi16(__m128i a, __m128i b) { return OF_U16(vsubq_u16(AS_U16(a), AS_U16(b))); }
VECTOR _mm_sub_epi32(__m128i a, __m128i b) { return OF_U32(vsubq_u32(AS_U32(a), AS_U32(b))); }
VECTOR _mm_subs_epu8(__m128i a, __m128i b) { return vqsubq_u8(a, b); }
VECTOR _mm_avg_epu8(__m128i a, __m128i b) { return vrhaddq_u8(a, b); }
VECTOR _mm_sad_epu8(__m128i a, __m128i b) { return OF_U64(vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(vabdq_u8(a, b))))); }

// Which is greater

VECTOR _mm_min_epu8(__m128i a, __m128i b) { return vminq_u8(a, b); }
VECTOR _mm_min_epi16(__m128i a, __m128i b) { return OF_S16(vminq_s16(AS_S16(a), AS_S16(b))); }
VECTOR _mm_max_epi16(__m128i a, __m128i b) { return OF_S16(vmaxq_s16(AS_S16(a), AS_S16(b))); }
VECTOR _mm_max_epu16(__m128i a, __m128i b) { return OF_U16(vmaxq_u16(AS_U16(a), AS_U16(b))); }
VECTOR _mm_cmpeq_epi8(__m128i a, __m128i b) { return vceqq_u8(a, b); }
VECTOR _mm_cmpeq_epi16(__m128i a, __m128i b) { return OF_U16(vceqq_u16(AS_U16(a), AS_U16(b))); }
VECTOR _mm_cmpgt_epi16(__m128i a, __m128i b) { return OF_U16(vcgtq_s16(AS_S16(a), AS_S16(b))); }
VECTOR _mm_cmpgt_epi32(__m128i a, __m128i b) { return OF_U32(vcgtq_s32(AS_S32(a), AS_S32(b))); }

// Products

VECTOR _mm_mullo_epi16(__m128i a, __m128i b) { return OF_U16(vmulq_u16(AS_U16(a), AS_U16(b))); }
VECTOR _mm_mulhi_epi16(__m128i a, __m128i b) {
  const int32x4_t low = vmull_s16(vget_low_s16(AS_S16(a)), vget_low_s16(AS_S16(b))), high = vmull_high_s16(AS_S16(a), AS_S16(b));
  return OF_S16(vuzp2q_s16(vreinterpretq_s16_s32(low), vreinterpretq_s16_s32(high)));
}
VECTOR _mm_mulhi_epu16(__m128i a, __m128i b) {
  const uint32x4_t low = vmull_u16(vget_low_u16(AS_U16(a)), vget_low_u16(AS_U16(b))), high = vmull_high_u16(AS_U16(a), AS_U16(b));
  return OF_U16(vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high)));
}
VECTOR _mm_madd_epi16(__m128i a, __m128i b) {
  const int32x4_t low = vmull_s16(vget_low_s16(AS_S16(a)), vget_low_s16(AS_S16(b)));
  return OF_S32(vpaddq_s32(low, vmull_high_s16(AS_S16(a), AS_S16(b))));
}

// Shifts, by a number that the compiler knows

#define _mm_slli_epi16(a, count) OF_U16(vshlq_n_u16(AS_U16(a), count))
#define _mm_srli_epi16(a, count) OF_U16(vshrq_n_u16(AS_U16(a), count))
#define _mm_srai_epi16(a, count) OF_S16(vshrq_n_s16(AS_S16(a), count))
#define _mm_srli_epi32(a, count) OF_U32(vshrq_n_u32(AS_U32(a), count))
#define _mm_srai_epi32(a, count) OF_S32(vshrq_n_s32(AS_S32(a), count))
#define _mm_slli_si128(a, count) vextq_u8(vdupq_n_u8(0), a, 16 - (count))
#define _mm_srli_si128(a, count) vextq_u8(a, vdupq_n_u8(0), count)

// Elements in other places

VECTOR _mm_unpacklo_epi8(__m128i a, __m128i b) { return vzip1q_u8(a, b); }
VECTOR _mm_unpacklo_epi16(__m128i a, __m128i b) { return OF_U16(vzip1q_u16(AS_U16(a), AS_U16(b))); }
VECTOR _mm_unpackhi_epi16(__m128i a, __m128i b) { return OF_U16(vzip2q_u16(AS_U16(a), AS_U16(b))); }
VECTOR _mm_unpacklo_epi32(__m128i a, __m128i b) { return OF_U32(vzip1q_u32(AS_U32(a), AS_U32(b))); }
VECTOR _mm_unpacklo_epi64(__m128i a, __m128i b) { return OF_U64(vzip1q_u64(AS_U64(a), AS_U64(b))); }
VECTOR _mm_unpackhi_epi64(__m128i a, __m128i b) { return OF_U64(vzip2q_u64(AS_U64(a), AS_U64(b))); }
VECTOR _mm_cvtepu8_epi16(__m128i a) { return OF_U16(vmovl_u8(vget_low_u8(a))); }
VECTOR _mm_packus_epi16(__m128i a, __m128i b) { return vcombine_u8(vqmovun_s16(AS_S16(a)), vqmovun_s16(AS_S16(b))); }
VECTOR _mm_packs_epi16(__m128i a, __m128i b) { return OF_S8(vcombine_s8(vqmovn_s16(AS_S16(a)), vqmovn_s16(AS_S16(b)))); }
// A place of 128 or more is a zero, of the others the lowest four bits count.
VECTOR _mm_shuffle_epi8(__m128i a, __m128i places) { return vqtbl1q_u8(a, vandq_u8(places, vdupq_n_u8(0x8F))); }
#define NEON_LANE(places, index) ((places) >> 2 * (index)&3)
#define _mm_shuffle_epi32(a, p) \
  OF_U32(__builtin_shufflevector(AS_U32(a), AS_U32(a), NEON_LANE(p, 0), NEON_LANE(p, 1), NEON_LANE(p, 2), NEON_LANE(p, 3)))
#define _mm_shufflelo_epi16(a, p) \
  OF_U16(__builtin_shufflevector(AS_U16(a), AS_U16(a), NEON_LANE(p, 0), NEON_LANE(p, 1), NEON_LANE(p, 2), NEON_LANE(p, 3), 4, 5, 6, 7))
#define _mm_shufflehi_epi16(a, p) \
  OF_U16(__builtin_shufflevector( \
      AS_U16(a), AS_U16(a), 0, 1, 2, 3, 4 + NEON_LANE(p, 0), 4 + NEON_LANE(p, 1), 4 + NEON_LANE(p, 2), 4 + NEON_LANE(p, 3)))

#undef VECTOR

#endif
