// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "library.hpp"

namespace {

using craw::OpenFile;

/// Rows that are asked of the sink at a time.
constexpr uint32_t kRowsAtOnce = 64;

imgcoder_status write_rows(const craw_request *request, const std::vector<uint16_t> &picture, const imgcoder_sink *sink) {
  const size_t width = request->size.width;
  const uint32_t height = request->size.height;
  for (uint32_t y = 0; y < height;) {
    imgcoder_rows rows = {};
    imgcoder_status status = sink->rows(sink, y, std::min(kRowsAtOnce, height - y), &rows);
    if (status != IMGCODER_STATUS_OK) return status;
    for (uint32_t index = 0; index < rows.count; index++) {
      auto *target = reinterpret_cast<uint8_t *>(rows.pixels) + index * rows.stride;
      const uint16_t *row = picture.data() + (y + index) * width * request->colors;
      std::memcpy(target, row, width * request->colors * 2);
    }
    status = sink->done(sink, y, rows.count, 0);
    if (status != IMGCODER_STATUS_OK) return status;
    y += rows.count;
  }
  return IMGCODER_STATUS_OK;
}

imgcoder_status develop(const craw_request *request, const imgcoder_sink *sink, craw_failure *failure) {
  OpenFile file(request->host);
  int code = file.open(request->bytes, request->length);
  if (code != LIBRAW_SUCCESS) return craw::library_failed(failure, code, "open the file");
  file.data().params.user_flip = 0;
  file.data().params.half_size = request->is_half != 0;
  file.data().params.use_camera_wb = request->white == CRAW_WHITE_OF_CAMERA;
  file.data().params.use_auto_wb = request->white == CRAW_WHITE_OF_PICTURE;
  file.data().params.bright = request->brightness;
  if (request->is_linear) {
    file.data().params.gamm[0] = file.data().params.gamm[1] = 1;
    file.data().params.no_auto_bright = 1;
  }
  code = file.unpack();
  if (code != LIBRAW_SUCCESS) return craw::library_failed(failure, code, "unpack the samples");
  code = file.library().dcraw_process();
  if (code != LIBRAW_SUCCESS) return craw::library_failed(failure, code, "develop the picture");
  int width = 0, height = 0, colors = 0, bits = 0;
  file.library().get_mem_image_format(&width, &height, &colors, &bits);
  if (width < 1 || height < 1 || static_cast<uint32_t>(width) != request->size.width ||
      static_cast<uint32_t>(height) != request->size.height || static_cast<uint32_t>(colors) != request->colors ||
      bits != 16) {
    std::snprintf(failure->message, sizeof failure->message, "LibRaw made %d by %d pixels of %d colors, not %u by %u of %u",
                  width, height, colors, request->size.width, request->size.height, request->colors);
    // A file may say one thing of its sensor's colors where it is described, and another where its samples are.
    bool is_other = static_cast<uint32_t>(colors) != request->colors;
    failure->status = is_other ? IMGCODER_STATUS_UNSUPPORTED : IMGCODER_STATUS_LIBRARY;
    return failure->status;
  }
  std::vector<uint16_t> picture(static_cast<size_t>(width) * static_cast<size_t>(height) * request->colors);
  code = file.library().copy_mem_image(picture.data(), width * colors * 2, 0);
  if (code != LIBRAW_SUCCESS) return craw::library_failed(failure, code, "give the picture");
  bool is_truncated = file.is_truncated(), is_damaged = file.is_damaged();
  int64_t damage = file.damage();
  // The host may need memory for the rows.
  file.library().recycle();
  imgcoder_status status = write_rows(request, picture, sink);
  if (status != IMGCODER_STATUS_OK) return status;
  if (is_truncated) return craw::fail(failure, IMGCODER_STATUS_TRUNCATED, "the samples end early");
  if (is_damaged) return craw::fail(failure, IMGCODER_STATUS_MALFORMED, "LibRaw found damaged samples", damage);
  return status;
}

}  // namespace

imgcoder_status craw_decode(const craw_request *request, const imgcoder_sink *sink, craw_failure *failure) {
  return craw::guarded(failure, [&] { return develop(request, sink, failure); });
}
