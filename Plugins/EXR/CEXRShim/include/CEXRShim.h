// SPDX-License-Identifier: Apache-2.0
//
// Chunks in DWA, which OpenEXRCore 3.1 does not decompress, and in PIZ, which takes it twice as long: the library in C++ does
// both.

#ifndef CEXR_SHIM_H
#define CEXR_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A channel of a chunk.
typedef struct cexr_channel {
  const char *name;
  uint32_t type;      // 0: uint, 1: half, 2: float
  uint32_t x, y;      // columns and rows of the picture for each sample, at least 1; `width` and `height` are multiples of them
} cexr_channel;

// Decompresses a file that holds one chunk.
//   bytes     the file: a header of one part with these channels, whose window is 0, 0 to width - 1, height - 1
//   channels  in the order of their names
//   target    the samples of the first row, one channel after the other, then those of the next row. A row that a channel has no
//             samples of has none here
//   capacity  bytes of `target`, all of which are written
//   returns   1; 0 for a chunk that is damaged, for a target of another size, and when there is no memory
int cexr_decompress(const uint8_t *bytes, size_t length, const cexr_channel *channels, uint32_t count, uint32_t width,
                    uint32_t height, uint8_t *target, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
