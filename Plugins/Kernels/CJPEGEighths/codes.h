// SPDX-License-Identifier: Apache-2.0

#ifndef EIGHTHS_CODES_H
#define EIGHTHS_CODES_H

#include "CJPEGEighths.h"

// Bits that are looked at together.
#define LOOK_BITS 11
#define LOOKS (1u << LOOK_BITS)

// Codes of one table, ready to be looked up.
typedef struct {
  eighths_codes stated;      // what the rest was made of
  uint32_t is_made;
  uint16_t look[LOOKS];      // by the next bits: the code's length and its value; 0 for a longer code
  int32_t largest[18];       // by length, the largest code, or -1; the last one is larger than any
  int32_t offsets[17];       // by length, what is added to a code for its place among the values
} codes;

// What the next bits hold of AC coefficients, as far as whole codes are in them; the bits of values may be after them.
//   bits 0 to 5: all bits, with those of values    6 to 13: coefficients that they stand for
//   14 to 21: coefficients before the last code    22: whether the last code ends the block
// 0 when the first code is longer.
typedef struct {
  uint32_t is_made;
  uint32_t by_bits[LOOKS];
} passes;

#define PASS_BITS(pass) ((pass) & 63)
#define PASS_COUNT(pass) ((pass) >> 6 & 255)
#define PASS_BEFORE_LAST(pass) ((pass) >> 14 & 255)
#define PASS_ENDS (1u << 22)

// Answers 0 for more codes than there can be, and for a value that is larger than it may be.
int codes_make(codes *made, const eighths_codes *stated, uint32_t largest_value);
void passes_make(passes *made, const codes *of);

#endif
