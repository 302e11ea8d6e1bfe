// SPDX-License-Identifier: Apache-2.0

#ifndef CRAW_JXL_HPP
#define CRAW_JXL_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace craw {

/// A tile in JPEG XL, as its directory says it is.
struct JXLTile {
  const uint8_t *bytes;
  size_t length;
  uint32_t width, height;  // at most
  uint32_t samples;
  size_t sample_size;     // bytes: 1, 2, or 4 for floating point
  uint64_t most_memory;   // of the library, at a time
};

/// What a tile became: samples in this machine's byte order.
struct JXLSamples {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> bytes;
};

/// Decodes a tile.
///   returns  null, or what is wrong with it
const char *decode(const JXLTile &tile, JXLSamples *samples);

}  // namespace craw

#endif
