// SPDX-License-Identifier: Apache-2.0

#include "CEXRShim.h"

#include <ImfFrameBuffer.h>
#include <ImfIO.h>
#include <ImfInputFile.h>

#include <cstring>
#include <exception>
#include <stdexcept>
#include <vector>

namespace {

/// A file in memory.
class MemoryStream : public Imf::IStream {
 public:
  MemoryStream(const uint8_t *bytes, size_t length) : Imf::IStream("chunk"), bytes_(bytes), length_(length) {}

  bool read(char target[], int count) override {
    if (count < 0 || static_cast<size_t>(count) > length_ - position_) throw std::runtime_error("the chunk ends");
    std::memcpy(target, bytes_ + position_, static_cast<size_t>(count));
    position_ += static_cast<size_t>(count);
    return position_ < length_;
  }

  uint64_t tellg() override { return position_; }

  void seekg(uint64_t position) override {
    if (position > length_) throw std::runtime_error("a place after the chunk");
    position_ = static_cast<size_t>(position);
  }

 private:
  const uint8_t *bytes_;
  size_t length_;
  size_t position_ = 0;
};

Imf::PixelType type(const cexr_channel &channel) {
  return channel.type == 0 ? Imf::UINT : channel.type == 1 ? Imf::HALF : Imf::FLOAT;
}

size_t sample_bytes(const cexr_channel &channel) { return channel.type == 1 ? 2 : 4; }

size_t row_bytes(const cexr_channel &channel, uint32_t width) { return width / channel.x * sample_bytes(channel); }

void decompress(const uint8_t *bytes, size_t length, const cexr_channel *channels, uint32_t count, uint32_t width,
                uint32_t height, uint8_t *target, size_t capacity) {
  std::vector<size_t> starts(count);
  size_t sum = 0;
  for (uint32_t index = 0; index < count; index++) {
    starts[index] = sum;
    sum += row_bytes(channels[index], width) * (height / channels[index].y);
  }
  if (sum != capacity) throw std::runtime_error("a target of another size");
  // One plane after the other: the library wants rows of a channel at equal distances.
  std::vector<char> planes(sum);
  Imf::FrameBuffer buffer;
  for (uint32_t index = 0; index < count; index++) {
    const cexr_channel &channel = channels[index];
    buffer.insert(channel.name, Imf::Slice(type(channel), planes.data() + starts[index], sample_bytes(channel),
                                           row_bytes(channel, width), static_cast<int>(channel.x),
                                           static_cast<int>(channel.y)));
  }
  MemoryStream stream(bytes, length);
  // 0: no threads.
  Imf::InputFile file(stream, 0);
  file.setFrameBuffer(buffer);
  file.readPixels(0, static_cast<int>(height) - 1);
  for (uint32_t row = 0; row < height; row++) {
    for (uint32_t index = 0; index < count; index++) {
      const cexr_channel &channel = channels[index];
      if (row % channel.y != 0) continue;
      size_t bytes = row_bytes(channel, width);
      std::memcpy(target, planes.data() + starts[index] + row / channel.y * bytes, bytes);
      target += bytes;
    }
  }
}

}  // namespace

int cexr_decompress(const uint8_t *bytes, size_t length, const cexr_channel *channels, uint32_t count, uint32_t width,
                    uint32_t height, uint8_t *target, size_t capacity) {
  try {
    decompress(bytes, length, channels, count, width, height, target, capacity);
    return 1;
  } catch (...) {
    // No exception may reach Swift.
    return 0;
  }
}
