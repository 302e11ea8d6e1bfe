// Reads files of the format flipbook. R7, R9: rules of imgcoder/plugin.h.

#include <algorithm>
#include <vector>

#include "format.hpp"
#include "session.hpp"

using namespace coder;

namespace {

struct frame {
  std::uint64_t data;  // where the packets begin in the file
  std::uint32_t length;
  std::uint16_t x, y, width, height, delay;
  std::uint8_t disposal, blend;
};

// The packets of a frame that are not decoded yet.
struct packets {
  const imgcoder_source *source;
  std::uint64_t position, end;
  view window = {};

  // Returns the next bytes, at least `count` of them.
  const std::uint8_t *need(std::uint64_t count) {
    if (window.length >= count) return window.bytes;
    const std::uint64_t rest = end - position;
    if (rest < count)
      throw failure(IMGCODER_STATUS_MALFORMED, position, "a packet of ", count, " bytes, the frame has ", rest,
                    " left");
    window = view(source, position, count, std::min<std::uint64_t>(rest, 65536));
    if (window.length < count)
      throw failure(IMGCODER_STATUS_TRUNCATED, position + window.length, "a packet of ", count, " bytes, ",
                    window.length, " are left");
    return window.bytes;
  }

  void skip(std::uint64_t count) {
    window.bytes += count;
    window.length -= count;
    position += count;
  }

  void decode_row(std::uint8_t *out, std::uint32_t width) {
    for (std::uint32_t x = 0; x < width;) {
      const std::uint8_t first = *need(1);
      const std::uint32_t count = first % longest_packet + 1;
      const bool is_run = (first & run_flag) != 0;
      if (count > width - x)
        throw failure(IMGCODER_STATUS_MALFORMED, position, "a packet of ", count, " pixels, the row has ", width - x,
                      " left");
      const std::uint32_t size = 1 + pixel_size * (is_run ? 1 : count);
      const std::uint8_t *pixel = need(size) + 1;
      for (std::uint32_t i = 0; i < count; i++, pixel += is_run ? 0 : pixel_size)
        out = std::copy_n(pixel, pixel_size, out);
      skip(size);
      x += count;
    }
  }
};

}  // namespace

struct imgcoder_reader final : session {
  const imgcoder_source *source;
  std::uint16_t width = 0, height = 0, frame_count = 0, plays = 0;
  bool is_animated = false, is_incremental;
  std::pmr::vector<frame> frames{&memory};  // those whose headers were read
  std::uint64_t next = header_size;         // where the header of the next frame begins

  imgcoder_reader(const imgcoder_host *owner, const imgcoder_source *bytes, const imgcoder_open_options *options)
      : session{owner}, source(bytes), is_incremental(options && (options->flags & IMGCODER_OPEN_INCREMENTAL) != 0) {
    const view header(source, 0, header_size, header_size);
    const std::uint8_t *p = header.bytes;
    const std::uint64_t compared = std::min<std::uint64_t>(header.length, signature.size());
    if (compared == 0 || !std::equal(p, p + compared, signature.begin()))
      throw failure(IMGCODER_STATUS_WRONG_FORMAT, 0, "the file does not begin with \"", signature, "\"");
    if (header.length < header_size)
      throw failure(IMGCODER_STATUS_TRUNCATED, header.length, header.length, " bytes, the header has ", header_size);
    if (p[4] != 1) throw failure(IMGCODER_STATUS_UNSUPPORTED, 4, "version ", p[4], ", version 1 is supported");
    if (p[5] > animated_flag)
      throw failure(IMGCODER_STATUS_MALFORMED, 5, "flags of ", p[5], ", 0 and 1 are allowed");
    is_animated = p[5] == animated_flag;
    width = get<std::uint16_t>(p + 6);
    height = get<std::uint16_t>(p + 8);
    frame_count = get<std::uint16_t>(p + 10);
    plays = get<std::uint16_t>(p + 12);
    if (width == 0 || height == 0)
      throw failure(IMGCODER_STATUS_MALFORMED, 6, "a canvas of ", width, "x", height, ", at least 1x1 is needed");
    if (frame_count == 0 || (frame_count > 1 && !is_animated))
      throw failure(IMGCODER_STATUS_MALFORMED, 10, frame_count, " frames; a still has 1, an animation 1 to 65535");
    // R7: limits before memory, each by its name.
    const std::uint64_t pixels = std::uint64_t{width} * height;
    check_limit(IMGCODER_LIMIT_SIDE, std::max(width, height), host->limits->max_side, 6, "side");
    check_limit(IMGCODER_LIMIT_PIXELS, pixels, host->limits->max_pixels, 6, "pixel count");
    check_limit(IMGCODER_LIMIT_FRAMES, frame_count, host->limits->max_frames, 10, "frame count");
    // A file without its first frame shows nothing.
    read_frame_header();
  }

  // Reads the header of the next frame. In an incremental session this waits for its bytes, and for no others.
  void read_frame_header() {
    const view header(source, next, frame_header_size, frame_header_size);
    if (header.length < frame_header_size)
      throw failure(IMGCODER_STATUS_TRUNCATED, next + header.length, "the header of frame ", frames.size(), " has ",
                    frame_header_size, " bytes, ", header.length, " are left");
    const std::uint8_t *p = header.bytes;
    const auto field = [p](std::size_t offset) { return get<std::uint16_t>(p + offset); };
    const frame f = {next + frame_header_size, get<std::uint32_t>(p + 12), field(0), field(2), field(4), field(6),
                     field(8),                 p[10],                      p[11]};
    if (f.width == 0 || f.height == 0 || f.x + f.width > width || f.y + f.height > height)
      throw failure(IMGCODER_STATUS_MALFORMED, next, "frame ", frames.size(), " is ", f.width, "x", f.height, " at ",
                    f.x, ",", f.y, " on a canvas of ", width, "x", height);
    if (!is_animated && (f.width != width || f.height != height))
      throw failure(IMGCODER_STATUS_MALFORMED, next + 4, "a still picture of ", f.width, "x", f.height,
                    " on a canvas of ", width, "x", height);
    if (f.disposal > IMGCODER_DISPOSAL_RESTORE_PREVIOUS)
      throw failure(IMGCODER_STATUS_MALFORMED, next + 10, "disposal ", f.disposal, ", 0 to 2 are allowed");
    if (f.blend > IMGCODER_BLEND_OVER)
      throw failure(IMGCODER_STATUS_MALFORMED, next + 11, "blend ", f.blend, ", 0 and 1 are allowed");
    frames.push_back(f);
    next = f.data + f.length;
  }

  // Finds a frame, so that any can be decoded in any order.
  const frame &find_frame(std::uint32_t page, std::uint32_t index) {
    if (page != 0) throw failure(IMGCODER_STATUS_INVALID_ARGUMENT, no_offset, "page ", page, " of a file that has 1");
    if (index >= frame_count)
      throw failure(IMGCODER_STATUS_INVALID_ARGUMENT, no_offset, "frame ", index, " of a file that has ", frame_count);
    while (frames.size() <= index) read_frame_header();
    return frames[index];
  }

  // The host's structs have every field of version 1.0 and may have more; `struct_size` stays as the host set it.
  void info(std::uint32_t page, imgcoder_info *info) {
    find_frame(page, 0);
    info->flags = IMGCODER_INFO_LOSSLESS;
    if (is_animated) info->flags |= IMGCODER_INFO_ANIMATED | IMGCODER_INFO_PLAYS_STATED;
    if (is_incremental && source->size == UINT64_MAX) {
      info->flags |= IMGCODER_INFO_INCOMPLETE;  // frame_count is what is known so far; nothing waits here
    } else {
      // Counts the frames that the file really has. A damaged frame ends the count, and is no error of this call.
      try {
        find_frame(page, frame_count - 1u);
      } catch (const failure &problem) {
        if (problem.status == IMGCODER_STATUS_TRUNCATED) info->flags |= IMGCODER_INFO_TRUNCATED;
        else if (problem.status == IMGCODER_STATUS_MALFORMED) info->flags |= IMGCODER_INFO_DAMAGED;
        else throw;
      }
      if (next > source->size) info->flags |= IMGCODER_INFO_TRUNCATED;
    }
    info->width = width;
    info->height = height;
    info->pixel_format = IMGCODER_PIXEL_RGBA8;
    info->bits_per_channel = 8;
    info->alpha = IMGCODER_ALPHA_STRAIGHT;
    info->orientation = info->page_count = 1;
    info->frame_count = static_cast<std::uint32_t>(frames.size());
    info->plays = plays;
    info->format = uti;
  }

  void frame_info(std::uint32_t page, std::uint32_t index, imgcoder_frame_info *info) {
    const frame &f = find_frame(page, index);
    info->flags = IMGCODER_FRAME_HAS_ALPHA;
    info->x = f.x;
    info->y = f.y;
    info->width = f.width;
    info->height = f.height;
    info->delay_numerator = f.delay;
    info->delay_denominator = 1000;
    info->disposal = f.disposal;
    info->blend = f.blend;
    info->depends_on = UINT32_MAX;  // the host works it out
  }

  // Rows are always RGBA with straight alpha and in the frame's own size; the host does the rest.
  void negotiate(const imgcoder_request *request, imgcoder_offer *offer) {
    const frame &f = find_frame(request->page, request->frame);
    offer->width = f.width;
    offer->height = f.height;
    offer->pixel_format = IMGCODER_PIXEL_RGBA8;
    offer->alpha = IMGCODER_ALPHA_STRAIGHT;
    offer->row_order = IMGCODER_ROWS_TOP_DOWN;
    if (request->width != 0 && request->width < offer->width) offer->unmet |= IMGCODER_UNMET_SIZE;
    if (request->pixel_format != offer->pixel_format) offer->unmet |= IMGCODER_UNMET_PIXEL_FORMAT;
    if (request->alpha != offer->alpha) offer->unmet |= IMGCODER_UNMET_ALPHA;
  }

  void decode(const imgcoder_offer *offer, const imgcoder_sink *sink) {
    const frame &f = find_frame(offer->page, offer->frame);
    packets packets = {source, f.data, f.data + f.length};
    for (std::uint32_t y = 0; y < f.height; y++) {
      imgcoder_rows rows;
      check(sink->rows(sink, y, 1, &rows));
      packets.decode_row(rows.pixels, f.width);
      check(sink->done(sink, y, 1, 0));  // R9: the rows above are done if the next one fails
    }
  }

  void properties(std::uint32_t page, std::uint32_t index, const imgcoder_properties *properties) {
    const frame &f = find_frame(page, index == UINT32_MAX ? 0 : index);
    if (!is_animated) return;
    properties->begin(properties, dictionary);
    if (index == UINT32_MAX) properties->put_integer(properties, loop_count, plays);
    else properties->put_number(properties, unclamped_delay, f.delay / 1000.0);
    properties->end(properties);
  }
};

constexpr imgcoder_reader_table coder::reader_table = [] {
  imgcoder_reader_table table = {};
  table.struct_size = sizeof table;
  table.open = open_session;
  table.info = entry<&imgcoder_reader::info>;
  table.frame_info = entry<&imgcoder_reader::frame_info>;
  table.negotiate = entry<&imgcoder_reader::negotiate>;
  table.decode = entry<&imgcoder_reader::decode>;
  table.properties = entry<&imgcoder_reader::properties>;
  table.close = close_session;
  return table;
}();
