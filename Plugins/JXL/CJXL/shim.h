// SPDX-License-Identifier: Apache-2.0
//
// libjxl's decoder and encoder. Threads come from the host, so libjxl_threads is not needed.

#ifndef CJXL_SHIM_H
#define CJXL_SHIM_H

#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/version.h>

// Questions about the stored colors. Each lost its second argument, which said nothing, in version 0.9.
#if JPEGXL_NUMERIC_VERSION < JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define JXL_PIXEL_FORMAT NULL,
#else
#define JXL_PIXEL_FORMAT
#endif
static inline JxlDecoderStatus jxl_stored_encoding(const JxlDecoder *decoder, JxlColorEncoding *encoding) {
  return JxlDecoderGetColorAsEncodedProfile(decoder, JXL_PIXEL_FORMAT JXL_COLOR_PROFILE_TARGET_ORIGINAL, encoding);
}
static inline JxlDecoderStatus jxl_stored_profile_size(const JxlDecoder *decoder, size_t *size) {
  return JxlDecoderGetICCProfileSize(decoder, JXL_PIXEL_FORMAT JXL_COLOR_PROFILE_TARGET_ORIGINAL, size);
}
static inline JxlDecoderStatus jxl_stored_profile(const JxlDecoder *decoder, uint8_t *profile, size_t size) {
  return JxlDecoderGetColorAsICCProfile(decoder, JXL_PIXEL_FORMAT JXL_COLOR_PROFILE_TARGET_ORIGINAL, profile, size);
}
#undef JXL_PIXEL_FORMAT

// Whether channels beside those of color have a distance of their own.
static inline int jxl_keeps_channels(void) {
  return JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0);
}

// Keeps every sample of a channel beside those of color, where that can be said.
static inline JxlEncoderStatus jxl_keep_channel(JxlEncoderFrameSettings *settings, size_t index) {
#if JPEGXL_NUMERIC_VERSION < JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
  (void)settings;
  (void)index;
  return JXL_ENC_SUCCESS;
#else
  return JxlEncoderSetExtraChannelDistance(settings, index, 0);
#endif
}

#endif
