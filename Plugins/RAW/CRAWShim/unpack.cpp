// SPDX-License-Identifier: Apache-2.0

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "jxl.hpp"
#include "library.hpp"

namespace {

/// For each column or row as it is stored, that of the picture (DNG 1.7.1, ColumnInterleaveFactor).
std::vector<uint32_t> order_of_fields(uint32_t count, uint32_t fields) {
  if (fields < 1 || fields >= count) fields = 1;
  std::vector<uint32_t> order;
  order.reserve(count);
  for (uint32_t field = 0; field < fields; field++) {
    for (uint32_t place = field; place < count; place += fields) order.push_back(place);
  }
  return order;
}

/// A floating-point number of 16, 24 or 32 bits (IEEE 754; of 24, seven are the exponent's).
float number_of(uint32_t bits, uint32_t count) {
  if (count == 32) {
    float number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
  }
  const uint32_t digits = count == 16 ? 10 : 16, exponents = count == 16 ? 31 : 127;
  uint32_t exponent = bits >> digits & exponents, fraction = bits & ((1u << digits) - 1);
  if (bits >> (count - 1) || (exponent == exponents && fraction)) return 0;
  if (exponent == exponents) return INFINITY;
  int power = static_cast<int>(std::max(exponent, 1u)) - static_cast<int>(exponents / 2 + digits);
  return std::ldexp(static_cast<float>(fraction | (exponent ? 1u << digits : 0)), power);
}

class Unpacker {
 public:
  Unpacker(const craw_packed *picture, const imgcoder_host *host, const uint8_t *bytes, size_t length, uint8_t *target)
      : picture_(*picture), host_(host), bytes_(bytes), length_(length), target_(target),
        columns_(order_of_fields(picture->width, picture->column_fields)),
        rows_(order_of_fields(picture->height, picture->row_fields)) {}

  imgcoder_status run(craw_failure *failure) {
    const uint64_t across = (uint64_t{picture_.width} + picture_.tile_width - 1) / picture_.tile_width;
    for (uint64_t index = 0; index < picture_.tile_count; index++) {
      if (host_->is_cancelled(host_)) return craw::fail(failure, IMGCODER_STATUS_CANCELLED, "cancelled");
      left_ = static_cast<uint32_t>(index % across * picture_.tile_width);
      top_ = static_cast<uint32_t>(index / across * picture_.tile_height);
      width_ = std::min(picture_.tile_width, picture_.width - left_);
      height_ = std::min(picture_.tile_height, picture_.height - top_);
      unpack(picture_.places[index], picture_.lengths[index]);
    }
    if (status_ == IMGCODER_STATUS_OK) return status_;
    return craw::fail(failure, status_, message_, place_);
  }

 private:
  /// The first problem counts.
  void report(imgcoder_status status, const char *message, uint64_t place) {
    if (status_ != IMGCODER_STATUS_OK) return;
    status_ = status;
    message_ = message;
    place_ = static_cast<int64_t>(place);
  }

  void unpack(uint64_t place, uint64_t length) {
    if (place > length_ || length > length_ - place) {
      report(IMGCODER_STATUS_TRUNCATED, "samples are missing", length_);
      if (place >= length_) return;
      length = length_ - place;
    }
    const uint8_t *bytes = bytes_ + place;
    const char *wrong = nullptr;
    switch (picture_.compression) {
      case CRAW_PACKED_JXL:
        wrong = unpack_jxl(bytes, length);
        break;
      case CRAW_PACKED_DEFLATE:
        wrong = inflated(bytes, length);
        if (!unpack_rows(unpacked_.data(), unpacked_.size()) && !wrong) wrong = "a tile is too short";
        break;
      default:
        if (!unpack_rows(bytes, length)) wrong = "a tile is too short";
    }
    if (wrong) report(IMGCODER_STATUS_MALFORMED, wrong, place);
  }

  /// Bytes of a row of a tile.
  size_t row_size() const { return (size_t{picture_.tile_width} * picture_.samples * picture_.bits + 7) / 8; }

  const char *inflated(const uint8_t *bytes, size_t length) {
    unpacked_.resize(row_size() * picture_.tile_height);
    z_stream stream = {};
    if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
    stream.next_in = const_cast<uint8_t *>(bytes);
    stream.avail_in = static_cast<uInt>(std::min<size_t>(length, UINT32_MAX));
    stream.next_out = unpacked_.data();
    stream.avail_out = static_cast<uInt>(unpacked_.size());
    int code = inflate(&stream, Z_FINISH);
    unpacked_.resize(unpacked_.size() - stream.avail_out);
    inflateEnd(&stream);
    return code == Z_STREAM_END || code == Z_BUF_ERROR ? nullptr : "a deflate stream is damaged";
  }

  /// False if rows are missing.
  bool unpack_rows(const uint8_t *bytes, size_t length) {
    const size_t row = row_size(), count = size_t{picture_.tile_width} * picture_.samples;
    line_.resize(count * 2);
    for (uint32_t y = 0; y < height_; y++) {
      if (length < (y + 1) * row) return false;
      const uint8_t *source = bytes + y * row;
      if (picture_.is_float) {
        unpack_floats(source, count);
      } else {
        unpack_integers(source, count);
      }
      put(y, line_.data());
    }
    return true;
  }

  void unpack_integers(const uint8_t *source, size_t count) {
    const size_t back = size_t{picture_.samples} * picture_.step;
    numbers_.resize(count);
    uint32_t mask = (1u << picture_.bits) - 1, pending = 0, waiting = 0;
    for (size_t index = 0; index < count; index++) {
      uint32_t value;
      if (picture_.bits == 16) {
        value = picture_.is_big_endian ? source[0] << 8 | source[1] : source[1] << 8 | source[0];
        source += 2;
      } else {
        // The first sample is in the highest bits.
        for (; waiting < picture_.bits; waiting += 8) pending = pending << 8 | *source++;
        waiting -= picture_.bits;
        value = pending >> waiting & mask;
      }
      if (picture_.predictor == 2 && index >= back) value = (value + numbers_[index - back]) & mask;
      numbers_[index] = static_cast<uint16_t>(value);
    }
    for (size_t index = 0; index < count; index++) store(index, numbers_[index]);
  }

  void store(size_t index, uint16_t value) {
    line_[2 * index] = static_cast<uint8_t>(picture_.is_big_endian ? value >> 8 : value);
    line_[2 * index + 1] = static_cast<uint8_t>(picture_.is_big_endian ? value : value >> 8);
  }

  /// Predicted ones have their first bytes first, whatever the order of the file (TIFF Technical Note 3).
  void unpack_floats(const uint8_t *source, size_t count) {
    const size_t size = picture_.bits / 8, back = size_t{picture_.samples} * picture_.step;
    const bool is_predicted = picture_.predictor == 3;
    sums_.assign(source, source + count * size);
    for (size_t index = back; is_predicted && index < sums_.size(); index++) sums_[index] += sums_[index - back];
    for (size_t index = 0; index < count; index++) {
      uint32_t bits = 0;
      for (size_t byte = 0; byte < size; byte++) {
        size_t place = is_predicted             ? byte * count + index
                       : picture_.is_big_endian ? index * size + byte
                                                : index * size + size - 1 - byte;
        bits = bits << 8 | sums_[place];
      }
      store_light(index, number_of(bits, picture_.bits));
    }
  }

  /// Light above white is cut off; what is no number is black.
  void store_light(size_t index, float light) {
    float part = light / picture_.white;
    store(index, part > 0 ? static_cast<uint16_t>(std::lround(std::min(part, 1.0f) * 65535)) : 0);
  }

  const char *unpack_jxl(const uint8_t *bytes, size_t length) {
    const size_t read = picture_.is_float ? 4 : picture_.bits <= 8 ? 1 : 2;
    craw::JXLTile tile = {bytes, length, picture_.tile_width, picture_.tile_height, picture_.samples, read,
                          host_->limits->max_memory};
    craw::JXLSamples samples;
    if (const char *wrong = craw::decode(tile, &samples)) return wrong;
    if (samples.width < width_ || samples.height < height_) return "a JPEG XL tile is smaller than its place";
    const size_t count = size_t{samples.width} * picture_.samples;
    line_.resize(count * 2);
    for (uint32_t y = 0; y < height_; y++) {
      const uint8_t *row = samples.bytes.data() + y * count * read;
      for (size_t index = 0; index < count; index++) {
        if (read == 4) {
          float light;
          std::memcpy(&light, row + 4 * index, 4);
          store_light(index, light);
        } else {
          uint16_t value = row[index];
          if (read == 2) std::memcpy(&value, row + 2 * index, 2);
          store(index, value);
        }
      }
      put(y, line_.data());
    }
    return nullptr;
  }

  /// Puts a row of a tile where it belongs.
  void put(uint32_t y, const uint8_t *row) {
    const size_t pixel = size_t{picture_.samples} * 2;
    uint8_t *target = target_ + size_t{rows_[top_ + y]} * picture_.width * pixel;
    if (picture_.column_fields <= 1) {
      std::memcpy(target + left_ * pixel, row, width_ * pixel);
      return;
    }
    for (uint32_t x = 0; x < width_; x++) std::memcpy(target + columns_[left_ + x] * pixel, row + x * pixel, pixel);
  }

  const craw_packed &picture_;
  const imgcoder_host *host_;
  const uint8_t *bytes_;
  size_t length_;
  uint8_t *target_;
  std::vector<uint32_t> columns_, rows_;
  uint32_t left_ = 0, top_ = 0, width_ = 0, height_ = 0;  // the tile's part of the picture
  std::vector<uint8_t> unpacked_, line_, sums_;
  std::vector<uint16_t> numbers_;
  imgcoder_status status_ = IMGCODER_STATUS_OK;
  const char *message_ = "";
  int64_t place_ = -1;
};

}  // namespace

imgcoder_status craw_unpack(const craw_packed *picture, const imgcoder_host *host, const uint8_t *bytes, size_t length,
                            uint8_t *target, craw_failure *failure) {
  return craw::guarded(failure, [&] { return Unpacker(picture, host, bytes, length, target).run(failure); });
}
