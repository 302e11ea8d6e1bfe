// Writes files of the format flipbook.

#include <algorithm>
#include <array>
#include <vector>

#include "format.hpp"
#include "session.hpp"

using namespace coder;

namespace {

// Counts the pixels from `p` on that are equal, as far as a packet reaches.
std::uint32_t run_length(const std::uint8_t *p, std::uint32_t left) {
  const std::uint32_t most = std::min(left, longest_packet);
  std::uint32_t count = 1;
  while (count < most && std::equal(p, p + pixel_size, p + count * pixel_size)) count++;
  return count;
}

// Appends the packets of a row, at most 5 bytes for each pixel.
void encode_row(std::pmr::vector<std::uint8_t> &out, const std::uint8_t *p, std::uint32_t left, bool has_runs) {
  while (left > 0) {
    std::uint32_t count = has_runs ? run_length(p, left) : 1;
    const bool is_run = count > 1;
    while (!is_run && count < std::min(left, longest_packet) &&
           !(has_runs && run_length(p + count * pixel_size, left - count) > 1))
      count++;
    out.push_back(static_cast<std::uint8_t>((is_run ? run_flag : 0) | (count - 1)));
    out.insert(out.end(), p, p + (is_run ? 1 : count) * pixel_size);
    p += count * pixel_size;
    left -= count;
  }
}

std::string_view text(const imgcoder_string &string) {
  return {string.bytes, static_cast<std::size_t>(string.length)};
}

}  // namespace

struct imgcoder_writer final : session {
  const imgcoder_output *output;
  std::uint64_t position = 0;  // bytes written
  std::uint16_t frames = 0;
  bool has_runs = true, is_lossless, is_animated = false;

  imgcoder_writer(const imgcoder_host *owner, const imgcoder_output *bytes, const imgcoder_write_options *options)
      : session{owner}, output(bytes), is_lossless((options->flags & IMGCODER_WRITE_LOSSLESS) != 0) {
    if (text(options->format) != text(uti))
      throw failure(IMGCODER_STATUS_UNSUPPORTED, no_offset, "a format that is not one of the manifest's");
    // Only values that were given arrive, checked against the option's description.
    for (std::uint64_t i = 0; i < options->value_count; i++) {
      const imgcoder_option_value &value = *options->values[i];
      if (text(value.name) == "runs") has_runs = value.number > 0;
    }
  }

  void negotiate(imgcoder_pixel_format wanted, imgcoder_alpha, imgcoder_pixel_format *accepted,
                 imgcoder_alpha *accepted_alpha) {
    const bool is_8_bits = wanted == IMGCODER_PIXEL_GRAY8 || wanted == IMGCODER_PIXEL_GRAY_ALPHA8 ||
                           (wanted >= IMGCODER_PIXEL_RGB8 && wanted <= IMGCODER_PIXEL_BGRA8);
    if (!is_8_bits && is_lossless)
      throw failure(IMGCODER_STATUS_UNSUPPORTED, no_offset, "pixel format ", wanted,
                    " without loss; samples have 8 bits");
    *accepted = IMGCODER_PIXEL_RGBA8;
    *accepted_alpha = IMGCODER_ALPHA_STRAIGHT;
  }

  void append(const std::uint8_t *bytes, std::uint64_t length) {
    position += length;
    check(output->write(output, bytes, length));
  }

  // Replaces a number that was written before.
  template <typename Value>
  void patch(std::uint64_t offset, Value value) {
    std::uint8_t bytes[sizeof value];
    put(bytes, value);
    check(output->patch(output, offset, bytes, sizeof bytes));
  }

  void set_info(const imgcoder_info *info) {
    is_animated = (info->flags & IMGCODER_INFO_ANIMATED) != 0;
    const std::uint32_t plays = is_animated ? info->plays : 0;
    if (std::max({info->width, info->height, plays}) > UINT16_MAX)
      throw failure(IMGCODER_STATUS_UNSUPPORTED, no_offset, "a canvas of ", info->width, "x", info->height, " and ",
                    plays, " plays, the format holds 65535 of each");
    std::array<std::uint8_t, header_size> header;
    std::uint8_t *p = std::copy(signature.begin(), signature.end(), header.data());
    *p++ = 1;
    *p++ = is_animated ? animated_flag : 0;
    // finish writes how many frames there were.
    for (const std::uint32_t field : {info->width, info->height, 1u, plays})
      p = put(p, static_cast<std::uint16_t>(field));
    append(header.data(), header.size());
  }

  void add_frame(const imgcoder_frame_info *info, const imgcoder_pixels *pixels) {
    const std::uint16_t most = is_animated ? UINT16_MAX : 1;
    if (frames == most) throw failure(IMGCODER_STATUS_UNSUPPORTED, no_offset, "more than ", most, " frames in a file");
    const std::uint64_t denominator = std::max(info->delay_denominator, 1u);
    const std::uint64_t delay = (info->delay_numerator * std::uint64_t{1000} + denominator / 2) / denominator;
    if (delay > UINT16_MAX)
      throw failure(IMGCODER_STATUS_UNSUPPORTED, no_offset, "a delay of ", delay, " ms, the format holds 65535");
    std::array<std::uint8_t, frame_header_size> header = {};
    std::uint8_t *p = header.data();
    for (const std::uint32_t field :
         {info->x, info->y, pixels->width, pixels->height, static_cast<std::uint32_t>(delay)})
      p = put(p, static_cast<std::uint16_t>(field));
    *p++ = static_cast<std::uint8_t>(info->disposal);
    *p++ = static_cast<std::uint8_t>(info->blend);
    append(header.data(), header.size());
    const std::uint64_t start = position;
    std::pmr::vector<std::uint8_t> row{&memory};
    row.reserve(std::size_t{pixels->width} * (1 + pixel_size));
    for (std::uint32_t y = 0; y < pixels->height; y++) {
      if (host->is_cancelled(host)) throw failure(IMGCODER_STATUS_CANCELLED, no_offset);
      row.clear();
      encode_row(row, pixels->pixels + y * pixels->stride, pixels->width, has_runs);
      append(row.data(), row.size());
    }
    const std::uint64_t size = position - start;
    if (size > UINT32_MAX)
      throw failure(IMGCODER_STATUS_UNSUPPORTED, no_offset, "a frame of ", size, " bytes, the format holds 4294967295");
    frames++;
    patch(start - 4, static_cast<std::uint32_t>(size));
  }

  void finish() {
    if (frames == 0) throw failure(IMGCODER_STATUS_OUT_OF_ORDER, no_offset, "finish without a frame");
    patch(10, frames);
  }
};

constexpr imgcoder_writer_table coder::writer_table = [] {
  imgcoder_writer_table table = {};
  table.struct_size = sizeof table;
  table.features = IMGCODER_WRITER_FRAMES | IMGCODER_WRITER_PARTS | IMGCODER_WRITER_REPLACES | IMGCODER_WRITER_BLENDS |
                   IMGCODER_WRITER_CLEARS | IMGCODER_WRITER_RESTORES;
  table.open = open_session;
  table.negotiate = entry<&imgcoder_writer::negotiate>;
  table.set_info = entry<&imgcoder_writer::set_info>;
  table.add_frame = entry<&imgcoder_writer::add_frame>;
  table.finish = entry<&imgcoder_writer::finish>;
  table.close = close_session;
  return table;
}();
