// What the files of reader and writer share: the fields of the format, which FORMAT.md describes.

#ifndef FORMAT_HPP
#define FORMAT_HPP

#include <imgcoder/imgcoder.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace coder {

constexpr std::string_view signature = "FLIP";
constexpr std::uint32_t header_size = 14, frame_header_size = 16, pixel_size = 4, longest_packet = 128;
constexpr std::uint8_t animated_flag = 1, run_flag = 128;

constexpr imgcoder_string uti = IMGCODER_TEXT("org.example.flipbook");
constexpr imgcoder_string dictionary = IMGCODER_TEXT("{Flipbook}");
constexpr imgcoder_string unclamped_delay = IMGCODER_TEXT("UnclampedDelayTime");
constexpr imgcoder_string loop_count = IMGCODER_TEXT("LoopCount");

// Reads an unsigned number, most significant byte first.
template <typename Value>
Value get(const std::uint8_t *p) {
  Value value = 0;
  for (std::size_t i = 0; i < sizeof value; i++) value = static_cast<Value>(value << 8 | p[i]);
  return value;
}

// Writes one, and returns the place after it.
template <typename Value>
std::uint8_t *put(std::uint8_t *p, Value value) {
  for (std::size_t i = sizeof value; i-- > 0;) *p++ = static_cast<std::uint8_t>(value >> 8 * i);
  return p;
}

extern const imgcoder_reader_table reader_table;
extern const imgcoder_writer_table writer_table;

}  // namespace coder

#endif
