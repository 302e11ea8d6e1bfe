// SPDX-License-Identifier: Apache-2.0
//
// Samples of any width become 8 or 16 bits of the full range, or 32-bit floats; floating inks become 16 bits.

#include "samples.h"

#include <string.h>

static void unpack_few_bits(const rows_plan *plan, const uint8_t *bytes, uint64_t count, uint8_t *samples) {
  uint32_t bits = plan->picture->bits;
  const uint8_t *scale = plan->scale;
  if (bits == 1) {
    uint64_t whole = count / 8;
    for (uint64_t i = 0; i < whole; i++) memcpy(samples + 8 * i, plan->octets[bytes[i]], 8);
    if (count % 8) memcpy(samples + 8 * whole, plan->octets[bytes[whole]], count % 8);
  } else if (bits == 8) {
    for (uint64_t i = 0; i < count; i++) samples[i] = scale[bytes[i]];
  } else if (bits == 4) {
    for (uint64_t i = 0; i < count; i++) samples[i] = scale[i % 2 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4];
  } else if (bits == 2) {
    for (uint64_t i = 0; i < count; i++) samples[i] = scale[bytes[i / 4] >> (6 - 2 * (i % 4)) & 3];
  } else {
    uint32_t pool = 0, left = 0;
    for (uint64_t i = 0; i < count; i++) {
      if (left < bits) {
        pool = pool << 8 | *bytes++;
        left += 8;
      }
      left -= bits;
      samples[i] = scale[pool >> left & ((1u << bits) - 1)];
    }
  }
}

static void unpack_words(const ctiff_picture *picture, const uint8_t *bytes, uint64_t count, uint16_t *samples) {
  uint32_t bits = picture->bits;
  // Of 64 bits, the upper 32 count.
  uint32_t flip = picture->sample_format == CTIFF_SIGNED ? 1u << ((bits < 32 ? bits : 32) - 1) : 0;
  if (bits == 16) {
    memcpy(samples, bytes, count * 2);
    if (flip) {
      for (uint64_t i = 0; i < count; i++) samples[i] ^= 0x8000;
    }
  } else if (bits == 32) {
    for (uint64_t i = 0; i < count; i++) {
      uint32_t value;
      memcpy(&value, bytes + 4 * i, 4);
      samples[i] = (uint16_t)(((uint64_t)(value ^ flip) * 65535 + 0x7FFFFFFF) / 0xFFFFFFFFu);
    }
  } else if (bits == 64) {
    for (uint64_t i = 0; i < count; i++) {
      uint64_t wide;
      memcpy(&wide, bytes + 8 * i, 8);
      uint32_t value = (uint32_t)(wide >> 32) ^ flip;
      samples[i] = (uint16_t)(((uint64_t)value * 65535 + 0x7FFFFFFF) / 0xFFFFFFFFu);
    }
  } else if (bits == 24) {
    for (uint64_t i = 0; i < count; i++) {
      uint32_t value = bytes[3 * i] | (uint32_t)bytes[3 * i + 1] << 8 | (uint32_t)bytes[3 * i + 2] << 16;
      samples[i] = (uint16_t)(((uint64_t)(value ^ flip) * 65535 + 0x7FFFFF) / 0xFFFFFF);
    }
  } else {
    uint32_t pool = 0, left = 0, top = (1u << bits) - 1;
    int is_index = picture->kind == CTIFF_PALETTE;
    for (uint64_t i = 0; i < count; i++) {
      while (left < bits) {
        pool = pool << 8 | *bytes++;
        left += 8;
      }
      left -= bits;
      uint32_t value = (pool >> left & top) ^ flip;
      samples[i] = (uint16_t)(is_index ? value : (value * 65535u + top / 2) / top);
    }
  }
}

static float float_of(uint32_t sign, uint32_t exponent, uint32_t mantissa, uint32_t exponent_bits,
                      uint32_t mantissa_bits) {
  uint32_t top = (1u << exponent_bits) - 1, bias = top >> 1, word;
  if (exponent == top) {
    word = 0x7F800000u | mantissa << (23 - mantissa_bits);
  } else if (exponent == 0) {
    float value = (float)mantissa;
    for (uint32_t i = 0; i < bias + mantissa_bits - 1; i++) value *= 0.5f;
    return sign ? -value : value;
  } else {
    word = (exponent + 127 - bias) << 23 | mantissa << (23 - mantissa_bits);
  }
  word |= sign << 31;
  float value;
  memcpy(&value, &word, 4);
  return value;
}

static void unpack_floats(uint32_t bits, const uint8_t *bytes, uint64_t count, float *samples) {
  if (bits == 32) {
    memcpy(samples, bytes, count * 4);
  } else if (bits == 64) {
    for (uint64_t i = 0; i < count; i++) {
      double value;
      memcpy(&value, bytes + 8 * i, 8);
      samples[i] = (float)value;
    }
  } else if (bits == 16) {
    for (uint64_t i = 0; i < count; i++) {
      uint16_t word;
      memcpy(&word, bytes + 2 * i, 2);
      samples[i] = float_of(word >> 15, word >> 10 & 31, word & 1023, 5, 10);
    }
  } else {
    for (uint64_t i = 0; i < count; i++) {
      uint32_t word = bytes[3 * i] | (uint32_t)bytes[3 * i + 1] << 8 | (uint32_t)bytes[3 * i + 2] << 16;
      samples[i] = float_of(word >> 23, word >> 16 & 127, word & 65535, 7, 16);
    }
  }
}

// Inks of floating point, of which 0 is none and 1 is all, become words.
static void unpack_float_inks(uint32_t bits, const uint8_t *bytes, uint64_t count, uint16_t *samples) {
  float part[256];
  for (uint64_t done = 0; done < count;) {
    uint64_t n = count - done < 256 ? count - done : 256;
    unpack_floats(bits, bytes + done * (bits / 8), n, part);
    for (uint64_t i = 0; i < n; i++) {
      float value = part[i] > 0 ? part[i] < 1 ? part[i] : 1 : 0;
      samples[done + i] = (uint16_t)(value * 65535 + 0.5f);
    }
    done += n;
  }
}

void samples_unpack(const rows_plan *plan, const uint8_t *bytes, uint64_t count, void *samples) {
  switch (plan->depth) {
    case 1: unpack_few_bits(plan, bytes, count, samples); break;
    case 2:
      if (plan->picture->sample_format == CTIFF_FLOAT) unpack_float_inks(plan->picture->bits, bytes, count, samples);
      else unpack_words(plan->picture, bytes, count, samples);
      break;
    default: unpack_floats(plan->picture->bits, bytes, count, samples); break;
  }
}
