// SPDX-License-Identifier: Apache-2.0

#include <stdlib.h>
#include <string.h>

#include "worker.h"

static const void *extension(const session *s, const char *name) {
  imgcoder_string id = {name, strlen(name)};
  return s->described.get_extension ? s->described.get_extension(s->coder, id) : NULL;
}

static imgcoder_status perform(int asks, const imgcoder_operation *operation, const imgcoder_properties *facts) {
  session *s = &the_session;
  const void *found = extension(s, IMGCODER_EXTENSION_FILE_OPERATIONS);
  if (found) {
    imgcoder_file_operations_table table = imgcoder_file_operations_table_read(found);
    if (asks && table.can) return table.can(s->coder, &s->host, &s->source, operation, facts);
    return table.run ? table.run(s->coder, &s->host, &s->source, operation, &the_output, facts) : services_lacks("run");
  }
  // The older extension knows one operation.
  static const char transcode[] = "transcode";
  int is_known = operation->name.length == sizeof transcode - 1 && !memcmp(operation->name.bytes, transcode, sizeof transcode - 1);
  found = is_known ? extension(s, IMGCODER_EXTENSION_TRANSCODE) : NULL;
  imgcoder_transcode_table table = found ? imgcoder_transcode_table_read(found) : (imgcoder_transcode_table){0};
  if (!table.transcode) return services_fail_without(IMGCODER_EXTENSION_FILE_OPERATIONS, IMGCODER_STATUS_UNSUPPORTED);
  return table.transcode(s->coder, &s->host, &s->source, operation->from, operation->to, &the_output);
}

static imgcoder_status operate(parcel *parcel) {
  uint32_t asks;
  imgcoder_operation operation = imgcoder_operation_sized();
  parcel_take(parcel, &asks, sizeof asks);
  operation.name = parcel_text(parcel);
  operation.from = parcel_text(parcel);
  operation.to = parcel_text(parcel);
  operation.values = parcel_values(parcel, &operation.value_count);
  operation.blocks = parcel_blocks(parcel, &operation.block_count);
  imgcoder_status status = IMGCODER_STATUS_OUT_OF_MEMORY;
  if (operation.values && operation.blocks) {
    imgcoder_properties facts = properties_begin();
    status = perform(asks != 0, &operation, &facts);
    chunks_end();
  }
  free((void *)operation.values);
  free((void *)operation.blocks);
  return status;
}

void operations_call(const isolation_message *request, int memory) {
  parcel parcel;
  if (!parcel_open(&parcel, request, memory)) return reply(IMGCODER_STATUS_OUT_OF_MEMORY, NULL, 0);
  bytes_update(request->longs[2], request->longs[3]);
  output_begin();
  imgcoder_status status = operate(&parcel);
  parcel_close(&parcel);
  output_reply(status, NULL, 0);
  output_end();
}
