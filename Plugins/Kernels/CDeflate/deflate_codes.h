// SPDX-License-Identifier: Apache-2.0

#ifndef CDEFLATE_CODES_H
#define CDEFLATE_CODES_H

#include <stdint.h>

// Lengths of prefix codes that make the fewest bits, none longer than `most`. At least two codes get one, so that the
// code is complete.
//   counts  of `count` symbols, at most 286, each less than 2^22
void deflate_code_lengths(const uint32_t *counts, unsigned count, unsigned most, uint8_t *lengths);

// The codes of given lengths, their first bit the lowest.
void deflate_codes(const uint8_t *lengths, unsigned count, uint16_t *codes);

#endif
