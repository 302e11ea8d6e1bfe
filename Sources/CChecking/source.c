// SPDX-License-Identifier: Apache-2.0
//
// Bytes of a file: in memory that cannot be written and ends where a page ends.

#include "internal.h"

#include <stdlib.h>

static void retire_view(checking_source *source) {
  if (!source->current) return;
  uint64_t size;
  memcpy(&size, source->current, sizeof size);
  uint8_t *memory;
  memcpy(&memory, (uint8_t *)source->current + 8, sizeof memory);
  checking_retire(memory, size, 13, "a view of the source that ended with the next view");
  free(source->current);
  source->current = NULL;
}

// Hands out [offset, offset + count), which has arrived.
static imgcoder_status give(checking_source *source, uint64_t offset, uint64_t count, int is_whole,
                            const uint8_t **bytes, uint64_t *length) {
  retire_view(source);
  *length = count;
  if (is_whole || !source->whole_views || count == 0) {
    *bytes = source->bytes + offset;
    return IMGCODER_STATUS_OK;
  }
  uint8_t *view = checking_guarded(count, 0, 11, "a view of the source");
  if (!view) abort();
  memcpy(view, source->bytes + offset, count);
  checking_protect(view, count);
  source->current = malloc(16);
  if (!source->current) abort();
  memcpy(source->current, &count, 8);
  memcpy((uint8_t *)source->current + 8, &view, 8);
  *bytes = view;
  return IMGCODER_STATUS_OK;
}

// Lets bytes arrive until `least` are there. Returns CANCELLED where the source is to be cancelled.
static imgcoder_status await(checking_source *source, uint64_t least) {
  if (least > source->size) least = source->size;
  if (!source->chunk || source->arrived >= least) return IMGCODER_STATUS_OK;
  if (source->cancel_at && least > source->cancel_at) return IMGCODER_STATUS_CANCELLED;
  uint64_t arrived = (least + source->chunk - 1) / source->chunk * source->chunk;
  source->arrived = arrived < source->size ? arrived : source->size;
  if (source->arrived == source->size) ((imgcoder_source *)(uintptr_t)source->source)->size = source->size;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status begin(checking_source *source, const char *name, const uint8_t **bytes, uint64_t *length) {
  checking_session_call(source->session, name);
  *bytes = NULL;
  *length = 0;
  source->calls++;
  if (source->calls != source->fail_at) return IMGCODER_STATUS_OK;
  imgcoder_string text = IMGCODER_TEXT("the source cannot be read, as the check wants it");
  return source->session->host->fail(source->session->host, IMGCODER_STATUS_IO, -1, text);
}

static uint64_t end_of(const checking_source *source, uint64_t offset, uint64_t wanted) {
  if (offset >= source->size) return source->size;
  return wanted > source->size - offset ? source->size : offset + wanted;
}

static imgcoder_status source_view(const imgcoder_source *raw, uint64_t offset, uint64_t wanted, const uint8_t **bytes,
                                   uint64_t *length) {
  checking_source *source = raw->context;
  imgcoder_status status = begin(source, "view", bytes, length);
  if (status) return status;
  uint64_t end = end_of(source, offset, wanted);
  // Whether there is nothing more is known only when all has arrived.
  int is_beyond = offset > source->size || wanted > source->size - offset;
  status = await(source, is_beyond ? source->size : end);
  if (status) return status;
  if (offset > source->size) offset = source->size;
  return give(source, offset, end - offset, offset == 0 && end == source->size, bytes, length);
}

static imgcoder_status source_view_available(const imgcoder_source *raw, uint64_t offset, uint64_t least,
                                             uint64_t wanted, const uint8_t **bytes, uint64_t *length) {
  checking_source *source = raw->context;
  imgcoder_status status = begin(source, "view_available", bytes, length);
  if (status) return status;
  if (least > wanted)
    checking_violation(source->session, 16, "view_available got least %llu and wanted %llu", (unsigned long long)least,
                       (unsigned long long)wanted);
  status = await(source, end_of(source, offset, least));
  if (status) return status;
  uint64_t end = end_of(source, offset, wanted);
  if (source->chunk && end > source->arrived) end = source->arrived;
  if (offset > end) offset = end;
  return give(source, offset, end - offset, 0, bytes, length);
}

checking_source *checking_source_new(checking_session *session, const uint8_t *bytes, uint64_t size, uint64_t chunk) {
  checking_source *source = calloc(1, sizeof *source);
  if (!source) abort();
  source->session = session;
  source->size = size;
  source->chunk = chunk;
  source->whole_views = 1;
  source->arrived = chunk ? 0 : size;
  source->bytes = checking_guarded(size, 0, 11, "the bytes that were handed over");
  if (!source->bytes) abort();
  if (size) memcpy(source->bytes, bytes, size);
  checking_protect(source->bytes, size);
  imgcoder_source raw = {0, 0, source, chunk ? UINT64_MAX : size, source_view, source_view_available};
  source->source = checking_struct_new(session, &raw, sizeof raw, "imgcoder_source");
  return source;
}

void checking_source_end(checking_source *source) {
  retire_view(source);
  checking_struct_end(source->session, (void *)(uintptr_t)source->source, NULL, sizeof(imgcoder_source), "imgcoder_source");
  checking_unguard(source->bytes, source->size);
  free(source);
}
