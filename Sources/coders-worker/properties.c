// SPDX-License-Identifier: Apache-2.0

#include "worker.h"

static void put_text_of(imgcoder_string text) {
  uint32_t length = text.bytes && text.length <= IMGCODER_MAX_TEXT ? (uint32_t)text.length : 0;
  chunks_put(&length, sizeof length);
  chunks_put(text.bytes, length);
}

static void put_kind(uint8_t kind, const imgcoder_string *name) {
  chunks_put(&kind, 1);
  if (name) put_text_of(*name);
}

static void begin(const imgcoder_properties *properties, imgcoder_string name) {
  (void)properties;
  put_kind(ISOLATION_PROPERTY_BEGIN, &name);
}

static void begin_list(const imgcoder_properties *properties, imgcoder_string name) {
  (void)properties;
  put_kind(ISOLATION_PROPERTY_BEGIN_LIST, &name);
}

static void end(const imgcoder_properties *properties) {
  (void)properties;
  put_kind(ISOLATION_PROPERTY_END, NULL);
}

static void put_integer(const imgcoder_properties *properties, imgcoder_string name, int64_t value) {
  (void)properties;
  put_kind(ISOLATION_PROPERTY_INTEGER, &name);
  chunks_put(&value, sizeof value);
}

static void put_number(const imgcoder_properties *properties, imgcoder_string name, double value) {
  (void)properties;
  put_kind(ISOLATION_PROPERTY_NUMBER, &name);
  chunks_put(&value, sizeof value);
}

static void put_text(const imgcoder_properties *properties, imgcoder_string name, imgcoder_string value) {
  (void)properties;
  put_kind(ISOLATION_PROPERTY_TEXT, &name);
  put_text_of(value);
}

imgcoder_properties properties_begin(void) {
  chunks_begin();
  return (imgcoder_properties){.struct_size = sizeof(imgcoder_properties),
                               .begin = begin,
                               .end = end,
                               .put_integer = put_integer,
                               .put_number = put_number,
                               .put_text = put_text,
                               .begin_list = begin_list};
}

imgcoder_status properties_send(uint32_t page, uint32_t frame) {
  if (!the_session.reader.properties) return IMGCODER_STATUS_OK;
  imgcoder_properties properties = properties_begin();
  imgcoder_status status = the_session.reader.properties(the_session.file, page, frame, &properties);
  chunks_end();
  return status;
}
