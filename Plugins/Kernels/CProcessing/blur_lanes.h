// SPDX-License-Identifier: Apache-2.0
//
// Sums of weighted samples, LANES of them in a vector. Included once for each number of lanes that `blur.c` has, with NAME
// and ATTRIBUTE. Samples of 8 bits become 256ths of a level: words from 0 to 65280.

#define BYTES NAME(bytes)
#define WORDS NAME(words)
#define LONGS NAME(longs)
typedef uint8_t BYTES __attribute__((vector_size(LANES)));
typedef uint16_t WORDS __attribute__((vector_size(2 * LANES)));
typedef uint32_t LONGS __attribute__((vector_size(4 * LANES)));

#define AS_LONGS(a) __builtin_convertvector(a, LONGS)
#define AS_WORDS(a) __builtin_convertvector(a, WORDS)

ATTRIBUTE INLINE WORDS NAME(load8)(const uint8_t *from) {
  BYTES v;
  memcpy(&v, from, sizeof v);
  return AS_WORDS(v);
}
ATTRIBUTE INLINE WORDS NAME(load16)(const uint16_t *from) {
  WORDS v;
  memcpy(&v, from, sizeof v);
  return v;
}
// The upper half of a product, which is one instruction.
ATTRIBUTE INLINE WORDS NAME(product)(WORDS a, uint16_t weight) {
  return AS_WORDS(AS_LONGS(a) * AS_LONGS((WORDS){0} + weight) >> 16);
}
ATTRIBUTE INLINE WORDS NAME(mean)(WORDS a, WORDS b) { return AS_WORDS((AS_LONGS(a) + AS_LONGS(b) + 1) >> 1); }

enum { NAME(block) = LANES * SETS };

ATTRIBUTE INLINE void NAME(columns8_block)(const uint8_t *const *rows, const kernel *k, uint16_t *out, size_t x) {
  WORDS sum[SETS];
  for (int i = 0; i < SETS; i++) {
    sum[i] = k->bias + NAME(product)(NAME(load8)(rows[k->reach] + x + i * LANES) << 8, k->weights[0]);
  }
  for (uint32_t n = 1; n <= k->reach; n++) {
    const uint8_t *a = rows[k->reach - n] + x, *b = rows[k->reach + n] + x;
    for (int i = 0; i < SETS; i++) {
      const WORDS both = NAME(load8)(a + i * LANES) + NAME(load8)(b + i * LANES);
      sum[i] += NAME(product)(both << 7, k->weights[n]);
    }
  }
  memcpy(out + x, sum, sizeof sum);
}

ATTRIBUTE INLINE void NAME(columns16_block)(const uint16_t *const *rows, const kernel *k, uint16_t *out, size_t x) {
  WORDS sum[SETS];
  for (int i = 0; i < SETS; i++) {
    sum[i] = k->bias + NAME(product)(NAME(load16)(rows[k->reach] + x + i * LANES), k->weights[0]);
  }
  for (uint32_t n = 1; n <= k->reach; n++) {
    const uint16_t *a = rows[k->reach - n] + x, *b = rows[k->reach + n] + x;
    for (int i = 0; i < SETS; i++) {
      sum[i] += NAME(product)(NAME(mean)(NAME(load16)(a + i * LANES), NAME(load16)(b + i * LANES)), k->weights[n]);
    }
  }
  memcpy(out + x, sum, sizeof sum);
}

ATTRIBUTE INLINE void NAME(row_block)(const uint16_t *line, size_t step, const kernel *k, uint16_t *out, size_t x) {
  WORDS sum[SETS];
  const uint16_t *a = line + x, *b = a;
  for (int i = 0; i < SETS; i++) sum[i] = k->bias + NAME(product)(NAME(load16)(a + i * LANES), k->weights[0]);
  for (uint32_t n = 1; n <= k->reach; n++) {
    a -= step;
    b += step;
    for (int i = 0; i < SETS; i++) {
      sum[i] += NAME(product)(NAME(mean)(NAME(load16)(a + i * LANES), NAME(load16)(b + i * LANES)), k->weights[n]);
    }
  }
  memcpy(out + x, sum, sizeof sum);
}

// The last block ends where the samples do, and may overlap the one before. A line is no shorter than a block: its memory
// reaches as far.
#define EACH_BLOCK(call) \
  for (size_t x = 0; x < count; x += NAME(block)) { \
    if (x + NAME(block) > count && count >= NAME(block)) x = count - NAME(block); \
    call; \
  }

ATTRIBUTE static void NAME(columns8)(const uint8_t *const *rows, const kernel *k, uint16_t *out, size_t count) {
  EACH_BLOCK(NAME(columns8_block)(rows, k, out, x))
}
ATTRIBUTE static void NAME(columns16)(const uint16_t *const *rows, const kernel *k, uint16_t *out, size_t count) {
  EACH_BLOCK(NAME(columns16_block)(rows, k, out, x))
}
ATTRIBUTE static void NAME(row)(const uint16_t *line, size_t step, const kernel *k, uint16_t *out, size_t count) {
  EACH_BLOCK(NAME(row_block)(line, step, k, out, x))
}
