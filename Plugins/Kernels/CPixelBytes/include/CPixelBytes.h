// SPDX-License-Identifier: Apache-2.0
//
// Pixels of three bytes and of four. Neither side needs an alignment, the sides do not overlap, and no byte beside the
// pixels is read or written.

#ifndef CPIXELBYTES_H
#define CPIXELBYTES_H

#include <stddef.h>
#include <stdint.h>

// Three bytes become four, the fourth 255; with `swaps` the first and the third change places.
void pixel_bytes_widen(const uint8_t *from, uint8_t *to, size_t count, int swaps);

// Four bytes become their first three; with `swaps` the first and the third change places.
void pixel_bytes_narrow(const uint8_t *from, uint8_t *to, size_t count, int swaps);

// The first and the third of three bytes change places.
void pixel_bytes_swap3(const uint8_t *from, uint8_t *to, size_t count);

#endif
