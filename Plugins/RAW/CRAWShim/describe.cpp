// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>

#include "library.hpp"

namespace {

using craw::OpenFile;

template <size_t Capacity, size_t Length>
void copy(char (&target)[Capacity], const char (&text)[Length]) {
  size_t count = std::min(strnlen(text, Length), Capacity - 1);
  std::memcpy(target, text, count);
  target[count] = 0;
}

/// Exif's number for what the library says of an orientation: bit 0 mirrors left and right, bit 1 top and bottom, bit 2
/// swaps columns and rows.
uint32_t orientation(int flip) {
  static const uint8_t numbers[] = {1, 2, 4, 3, 5, 8, 6, 7};
  return numbers[flip & 7];
}

/// What the library holds at most: raw samples, and what some compressions need beside them; four samples of each pixel, and
/// another such picture where it turns or stretches it; the picture, and tiles.
uint64_t memory(const libraw_data_t &data, uint64_t inner, uint64_t width, uint64_t height) {
  uint64_t raw = static_cast<uint64_t>(data.sizes.raw_width) * (data.sizes.raw_height + 8u);
  uint64_t pixels = width * height;
  uint64_t turned = inner == pixels ? 0 : pixels * 8;
  return raw * (data.idata.filters ? 4 : 8) + inner * 8 + turned + pixels * 6 + (uint64_t{32} << 20);
}

/// Bytes of the XMP packet, without the zeros that end the library's copy.
size_t xmp_length(const libraw_iparams_t &parameters) {
  size_t length = parameters.xmpdata ? parameters.xmplen : 0;
  while (length > 0 && parameters.xmpdata[length - 1] == 0) length--;
  return length;
}

/// The size of a picture. A file is good for one call.
int measure(OpenFile &file, bool is_half, craw_size *size) {
  libraw_data_t &data = file.data();
  data.params.user_flip = 0;
  data.params.half_size = is_half;
  uint64_t width = data.sizes.width, height = data.sizes.height;
  bool shrinks = is_half && data.idata.filters;
  int code = file.library().adjust_sizes_info_only();
  if (code != LIBRAW_SUCCESS) return code;
  uint64_t inner = shrinks ? ((width + 1) / 2) * ((height + 1) / 2) : width * height;
  size->width = data.sizes.iwidth;
  size->height = data.sizes.iheight;
  size->memory = memory(data, inner, size->width, size->height);
  return code;
}

void describe_camera(const libraw_data_t &data, craw_description *found) {
  copy(found->maker, data.idata.make);
  copy(found->maker_name, data.idata.normalized_make);
  copy(found->model, data.idata.model);
  copy(found->model_name, data.idata.normalized_model);
  copy(found->software, data.idata.software);
  copy(found->artist, data.other.artist);
  copy(found->text, data.other.desc);
  copy(found->lens_maker, data.lens.LensMake);
  // Of some makers, only their notes say it.
  copy(found->lens, data.lens.Lens[0] ? data.lens.Lens : data.lens.makernotes.Lens);
  copy(found->lens_serial, data.lens.LensSerial);
  found->sensitivity = data.other.iso_speed;
  found->exposure = data.other.shutter;
  found->aperture = data.other.aperture;
  found->focal_length = data.other.focal_len;
  found->focal_length_35mm = data.lens.FocalLengthIn35mmFormat;
  found->time = data.other.timestamp;
  const libraw_gps_info_t &place = data.other.parsed_gps;
  found->has_place = place.gpsparsed != 0;
  std::copy_n(place.latitude, 3, found->latitude);
  std::copy_n(place.longitude, 3, found->longitude);
  std::copy_n(place.gpstimestamp, 3, found->place_time);
  found->altitude = place.altitude;
  found->latitude_side = place.latref;
  found->longitude_side = place.longref;
  found->altitude_side = place.altref;
  found->place_status = place.gpsstatus;
}

/// The preview, if it is a JPEG file that lies in the source as it is.
void describe_preview(OpenFile &file, const uint8_t *bytes, size_t length, craw_description *found) {
  const libraw_thumbnail_t &preview = file.data().thumbnail;
  INT64 start = file.library().get_internal_data_pointer()->internal_data.toffset;
  if (start <= 0 || preview.tlength < 4 || static_cast<uint64_t>(start) >= length) return;
  uint64_t place = static_cast<uint64_t>(start);
  // The library does not say of each maker's preview what it is; the first two markers of a JPEG file do.
  if (preview.tlength > length - place || bytes[place] != 0xFF || bytes[place + 1] != 0xD8 || bytes[place + 2] != 0xFF)
    return;
  found->preview_start = place;
  found->preview_length = preview.tlength;
  found->preview_width = preview.twidth;
  found->preview_height = preview.theight;
}

imgcoder_status describe(const imgcoder_host *host, const uint8_t *bytes, size_t length, craw_description *found,
                         craw_failure *failure) {
  OpenFile file(host);
  int code = file.open(bytes, length);
  libraw_data_t &data = file.data();
  libraw_decoder_info_t decoder = {};
  if (code == LIBRAW_SUCCESS) code = file.library().get_decoder_info(&decoder);
  if (code == LIBRAW_SUCCESS && (data.idata.raw_count == 0 || !decoder.decoder_name)) code = LIBRAW_FILE_UNSUPPORTED;
  if (code == LIBRAW_SUCCESS) {
    found->orientation = orientation(data.sizes.flip);
    found->colors = data.idata.colors == 1 ? 1 : 3;
    found->picture_count = data.idata.raw_count;
    found->is_dng = data.idata.dng_version != 0;
    found->raw_width = data.sizes.raw_width;
    found->raw_height = data.sizes.raw_height;
    found->xmp_length = xmp_length(data.idata);
    // Smaller numbers name other sensors: 1 has 16 by 16 pixels, 9 six by six.
    if (data.idata.filters >= 1000) {
      for (int index = 0; index < 4; index++)
        found->color_pattern[index] = data.idata.cdesc[file.library().COLOR(index / 2, index % 2) & 3];
    }
    describe_camera(data, found);
    describe_preview(file, bytes, length, found);
    code = measure(file, false, &found->whole);
  }
  if (code == LIBRAW_SUCCESS) {
    OpenFile again(host);
    code = again.open(bytes, length);
    if (code == LIBRAW_SUCCESS) code = measure(again, true, &found->half);
  }
  if (code == LIBRAW_SUCCESS) return IMGCODER_STATUS_OK;
  imgcoder_status status = craw::library_failed(failure, code, "open the file");
  // Another coder may know the file: that of TIFF, of which most of these formats are a kind.
  if (status != IMGCODER_STATUS_OUT_OF_MEMORY && status != IMGCODER_STATUS_CANCELLED)
    failure->status = status = IMGCODER_STATUS_WRONG_FORMAT;
  return status;
}

imgcoder_status copy_xmp(const imgcoder_host *host, const uint8_t *bytes, size_t length, uint8_t *target,
                         size_t capacity, craw_failure *failure) {
  OpenFile file(host);
  int code = file.open(bytes, length);
  if (code != LIBRAW_SUCCESS) return craw::library_failed(failure, code, "open the file");
  const libraw_iparams_t &parameters = file.data().idata;
  if (capacity == 0 || xmp_length(parameters) != capacity)
    return craw::fail(failure, IMGCODER_STATUS_IO, "the XMP packet is another one than before");
  std::memcpy(target, parameters.xmpdata, capacity);
  return IMGCODER_STATUS_OK;
}

}  // namespace

const char *craw_version(void) { return LibRaw::version(); }

imgcoder_status craw_describe(const imgcoder_host *host, const uint8_t *bytes, size_t length,
                              craw_description *description, craw_failure *failure) {
  return craw::guarded(failure, [&] { return describe(host, bytes, length, description, failure); });
}

imgcoder_status craw_copy_xmp(const imgcoder_host *host, const uint8_t *bytes, size_t length, uint8_t *target,
                              size_t capacity, craw_failure *failure) {
  return craw::guarded(failure, [&] { return copy_xmp(host, bytes, length, target, capacity, failure); });
}
