// SPDX-License-Identifier: Apache-2.0
//
// A file that is written, and a dictionary of properties.

#include "internal.h"

#include <stdlib.h>

static const uint64_t largest = UINT64_C(1) << 28;

static imgcoder_status begin(checking_output *output, const char *name) {
  checking_session_call(output->session, name);
  output->calls++;
  if (!output->fail_at || output->calls < output->fail_at) return IMGCODER_STATUS_OK;
  if (output->calls > output->fail_at) output->calls_after_failure++;
  imgcoder_string text = IMGCODER_TEXT("the output cannot be written, as the check wants it");
  return output->session->host->fail(output->session->host, IMGCODER_STATUS_IO, -1, text);
}

static imgcoder_status output_write(const imgcoder_output *raw, const uint8_t *bytes, uint64_t length) {
  checking_output *output = raw->context;
  imgcoder_status status = begin(output, "write");
  if (status) return status;
  if (length > largest || output->size > largest - length || (length && !bytes)) {
    checking_violation(output->session, 16, "write got %llu bytes", (unsigned long long)length);
    return IMGCODER_STATUS_INVALID_ARGUMENT;
  }
  if (output->size + length > output->capacity) {
    output->capacity = (output->size + length) * 2;
    output->bytes = realloc(output->bytes, (size_t)output->capacity);
    if (!output->bytes) abort();
  }
  if (length) memcpy(output->bytes + output->size, bytes, (size_t)length);
  output->size += length;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status output_patch(const imgcoder_output *raw, uint64_t offset, const uint8_t *bytes, uint64_t length) {
  checking_output *output = raw->context;
  imgcoder_status status = begin(output, "patch");
  if (status) return status;
  if (offset > output->size || length > output->size - offset) {
    checking_violation(output->session, 16, "patch got %llu bytes at %llu, %llu were written", (unsigned long long)length,
                       (unsigned long long)offset, (unsigned long long)output->size);
    return IMGCODER_STATUS_INVALID_ARGUMENT;
  }
  if (length) memcpy(output->bytes + offset, bytes, (size_t)length);
  return IMGCODER_STATUS_OK;
}

checking_output *checking_output_new(checking_session *session, uint64_t fail_at) {
  checking_output *output = calloc(1, sizeof *output);
  if (!output) abort();
  output->session = session;
  output->fail_at = fail_at;
  imgcoder_output raw = {0, 0, output, output_write, output_patch};
  output->output = checking_struct_new(session, &raw, sizeof raw, "imgcoder_output");
  return output;
}

void checking_output_end(checking_output *output) {
  checking_struct_end(output->session, (void *)(uintptr_t)output->output, NULL, sizeof(imgcoder_output), "imgcoder_output");
  free(output->bytes);
  free(output);
}

static void append(checking_properties *properties, imgcoder_string name, const char *value, uint64_t length) {
  checking_session_call(properties->session, "a property");
  // Values of a list need no name.
  int needs_name = properties->depth > 31 || !(properties->lists >> properties->depth & 1);
  if (name.length > IMGCODER_MAX_TEXT || length > IMGCODER_MAX_TEXT || (needs_name && name.length == 0) ||
      (length && !value)) {
    checking_violation(properties->session, 16, "a property has a name of %llu bytes and a value of %llu",
                       (unsigned long long)name.length, (unsigned long long)length);
    return;
  }
  if (!checking_is_utf8(name.bytes, name.length) || !checking_is_utf8(value, length)) {
    checking_violation(properties->session, 16, "a property's name or value is not UTF-8");
    return;
  }
  uint64_t more = name.length + length + 2;
  if (++properties->count > 100000 || properties->length + more > (UINT64_C(1) << 26)) return;
  char *text = realloc(properties->text, (size_t)(properties->length + more));
  if (!text) abort();
  properties->text = text;
  text += properties->length;
  if (name.length) memcpy(text, name.bytes, (size_t)name.length);
  text[name.length] = '=';
  if (length) memcpy(text + name.length + 1, value, (size_t)length);
  text[more - 1] = '\n';
  properties->length += more;
}

static void open_level(checking_properties *properties, imgcoder_string name, uint32_t is_list) {
  append(properties, name, is_list ? "[" : "{", 1);
  if (++properties->depth > 8)
    checking_violation(properties->session, 16, "a dictionary is %u levels deep, 8 are allowed", properties->depth);
  // Levels that are too many are counted, and have no bit.
  if (properties->depth < 32)
    properties->lists = (properties->lists & ~(UINT32_C(1) << properties->depth)) | is_list << properties->depth;
}

static void properties_begin(const imgcoder_properties *raw, imgcoder_string name) {
  open_level(raw->context, name, 0);
}

static void properties_begin_list(const imgcoder_properties *raw, imgcoder_string name) {
  open_level(raw->context, name, 1);
}

static void properties_end(const imgcoder_properties *raw) {
  checking_properties *properties = raw->context;
  if (properties->depth == 0) {
    checking_violation(properties->session, 16, "end was called without begin");
    return;
  }
  properties->depth--;
  imgcoder_string name = IMGCODER_TEXT("}");
  append(properties, name, "", 0);
}

static void properties_integer(const imgcoder_properties *raw, imgcoder_string name, int64_t value) {
  char text[32];
  int length = snprintf(text, sizeof text, "%lld", (long long)value);
  append(raw->context, name, text, (uint64_t)length);
}

static void properties_number(const imgcoder_properties *raw, imgcoder_string name, double value) {
  char text[64];
  int length = snprintf(text, sizeof text, "%.17g", value);
  append(raw->context, name, text, (uint64_t)length);
}

static void properties_text(const imgcoder_properties *raw, imgcoder_string name, imgcoder_string value) {
  append(raw->context, name, value.bytes, value.length);
}

checking_properties *checking_properties_new(checking_session *session) {
  checking_properties *properties = calloc(1, sizeof *properties);
  if (!properties) abort();
  properties->session = session;
  imgcoder_properties raw = {0, 0, properties, properties_begin, properties_end, properties_integer, properties_number,
                             properties_text, properties_begin_list};
  properties->properties = checking_struct_new(session, &raw, sizeof raw, "imgcoder_properties");
  return properties;
}

void checking_properties_end(checking_properties *properties) {
  checking_struct_end(properties->session, (void *)(uintptr_t)properties->properties, NULL, sizeof(imgcoder_properties),
                      "imgcoder_properties");
  free(properties->text);
  free(properties);
}

uint32_t checking_bytes_per_pixel(imgcoder_pixel_format format) {
  static const uint8_t sizes[] = {0, 1, 2, 2, 4, 3, 4, 4, 8, 8, 16, 6, 6, 12, 4, 4, 8};
  return format < sizeof sizes ? sizes[format] : 0;
}

int checking_canonical(imgcoder_pixel_format format, imgcoder_alpha alpha, const uint8_t *pixel, uint16_t *rgba) {
  uint16_t wide[4];
  memcpy(wide, pixel, checking_bytes_per_pixel(format) <= 8 ? checking_bytes_per_pixel(format) : 8);
  rgba[3] = 0xFFFF;
  switch (format) {
    case IMGCODER_PIXEL_GRAY8: rgba[0] = rgba[1] = rgba[2] = (uint16_t)(pixel[0] * 257); break;
    case IMGCODER_PIXEL_GRAY_ALPHA8:
      rgba[0] = rgba[1] = rgba[2] = (uint16_t)(pixel[0] * 257);
      rgba[3] = (uint16_t)(pixel[1] * 257);
      break;
    case IMGCODER_PIXEL_GRAY16: rgba[0] = rgba[1] = rgba[2] = wide[0]; break;
    case IMGCODER_PIXEL_GRAY_ALPHA16:
      rgba[0] = rgba[1] = rgba[2] = wide[0];
      rgba[3] = wide[1];
      break;
    case IMGCODER_PIXEL_RGB8:
      for (int i = 0; i < 3; i++) rgba[i] = (uint16_t)(pixel[i] * 257);
      break;
    case IMGCODER_PIXEL_RGBA8:
      for (int i = 0; i < 4; i++) rgba[i] = (uint16_t)(pixel[i] * 257);
      break;
    case IMGCODER_PIXEL_BGRA8:
      for (int i = 0; i < 4; i++) rgba[i] = (uint16_t)(pixel[i < 3 ? 2 - i : 3] * 257);
      break;
    case IMGCODER_PIXEL_RGB16: memcpy(rgba, wide, 6); break;
    case IMGCODER_PIXEL_RGBA16: memcpy(rgba, wide, 8); break;
    default: return 0;
  }
  if (alpha == IMGCODER_ALPHA_OPAQUE) rgba[3] = 0xFFFF;
  return alpha != IMGCODER_ALPHA_PREMULTIPLIED || rgba[3] == 0xFFFF;
}
