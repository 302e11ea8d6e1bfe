// SPDX-License-Identifier: Apache-2.0
//
// Rows between pages that cannot be touched, with canaries between them.

#include "internal.h"

#include <stdlib.h>

enum { PADDED = 0x5C };

static uint64_t stride_of(const checking_sink *sink) { return (uint64_t)sink->row_bytes + sink->padding; }

// Bytes of `count` rows; the last one has no padding.
static uint64_t size_of(const checking_sink *sink, uint32_t count) {
  return stride_of(sink) * (count - 1) + sink->row_bytes;
}

static uint8_t *make_rows(checking_sink *sink, uint32_t count) {
  uint64_t size = size_of(sink, count);
  uint8_t *rows = checking_guarded(size, (int)sink->at_start, 8, "the rows that were granted");
  if (!rows) abort();
  memset(rows, (int)sink->fill, (size_t)size);
  for (uint32_t y = 0; y + 1 < count; y++) memset(rows + stride_of(sink) * y + sink->row_bytes, PADDED, sink->padding);
  return rows;
}

static void check_padding(checking_sink *sink, const uint8_t *rows, uint32_t first, uint32_t count) {
  for (uint32_t y = 0; y + 1 < count; y++) {
    const uint8_t *padding = rows + stride_of(sink) * y + sink->row_bytes;
    for (uint32_t i = 0; i < sink->padding; i++)
      if (padding[i] != PADDED) {
        checking_violation(sink->session, 8, "byte %u after the end of row %u was written; a row has %u bytes", i,
                           first + y, sink->row_bytes);
        return;
      }
  }
}

static imgcoder_status refuse(checking_sink *sink, const char *what, uint32_t y, uint32_t count) {
  checking_violation(sink->session, 8, "%s for rows %u to %llu of %u%s", what, y, (unsigned long long)y + count,
                     sink->height, sink->order == IMGCODER_ROWS_TOP_DOWN ? ", top down" : "");
  imgcoder_string text = IMGCODER_TEXT("the sink was used against its rules");
  return sink->session->host->fail(sink->session->host, IMGCODER_STATUS_INVALID_ARGUMENT, -1, text);
}

// Whether the sink answers with its own status.
static int is_stopped(checking_sink *sink, const char *name) {
  checking_session_call(sink->session, name);
  sink->calls++;
  if (!sink->stop_at || sink->calls < sink->stop_at) return 0;
  if (sink->calls > sink->stop_at) sink->calls_after_stop++;
  return 1;
}

// Rows of TOP_DOWN that are all done belong to the plugin no more.
static void end_grant(checking_sink *sink) {
  if (!sink->memory) return;
  check_padding(sink, sink->memory, sink->granted_first, sink->granted_count);
  checking_retire(sink->memory, sink->memory_size, 8, "rows that were done before");
  sink->memory = NULL;
}

static imgcoder_status sink_rows(const imgcoder_sink *raw, uint32_t y, uint32_t count, imgcoder_rows *granted) {
  checking_sink *sink = raw->context;
  if (is_stopped(sink, "rows")) return sink->stop_status;
  if (!sink->held_at_first_row) {
    uint64_t malloced = checking_malloc_bytes(), held = sink->session->record.live_bytes;
    // The host's own memory is malloc's too.
    sink->held_at_first_row = (malloced > sink->baseline ? malloced - sink->baseline : 0) + 1;
    if (held > sink->held_at_first_row) sink->held_at_first_row = held;
    checking_session_count_tasks(sink->session);
  }
  if (!granted) return refuse(sink, "null was given to rows", y, count);
  if (count == 0 || y >= sink->height || count > sink->height - y) {
    // More rows than there are may be asked for where the host grants fewer.
    if (count == 0 || y >= sink->height || sink->order != IMGCODER_ROWS_TOP_DOWN) return refuse(sink, "rows", y, count);
    count = sink->height - y;
  }
  if (sink->order == IMGCODER_ROWS_TOP_DOWN) {
    if (y != sink->next) return refuse(sink, "rows was called", y, count);
    if (sink->memory && y >= sink->granted_first && y < sink->granted_first + sink->granted_count) {
      // The rest of what was granted before.
      uint32_t rest = sink->granted_first + sink->granted_count - y;
      granted->count = count < rest ? count : rest;
    } else {
      end_grant(sink);
      if (sink->grant && count > sink->grant) count = sink->grant;
      sink->memory = make_rows(sink, count);
      sink->memory_size = size_of(sink, count);
      sink->granted_first = y;
      sink->granted_count = granted->count = count;
    }
    granted->pixels = sink->memory + stride_of(sink) * (y - sink->granted_first);
  } else {
    if (!sink->memory) {
      sink->memory = make_rows(sink, sink->height);
      sink->memory_size = size_of(sink, sink->height);
      sink->granted_first = 0;
      sink->granted_count = sink->height;
    }
    granted->pixels = sink->memory + stride_of(sink) * y;
    granted->count = count;
  }
  for (uint32_t row = 0; row < granted->count; row++) sink->granted[y + row] = 1;
  granted->stride = stride_of(sink);
  granted->reserved = 0;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status sink_done(const imgcoder_sink *raw, uint32_t y, uint32_t count, uint32_t pass) {
  checking_sink *sink = raw->context;
  (void)pass;
  if (is_stopped(sink, "done")) return sink->stop_status;
  if (count == 0 || y >= sink->height || count > sink->height - y) return refuse(sink, "done", y, count);
  for (uint32_t row = y; row < y + count; row++)
    if (!sink->granted[row]) return refuse(sink, "done was called without a grant", y, count);
  if (sink->order == IMGCODER_ROWS_TOP_DOWN) {
    if (y != sink->next || !sink->memory || y + count > sink->granted_first + sink->granted_count)
      return refuse(sink, "done was called", y, count);
    sink->next = y + count;
  }
  for (uint32_t row = y; row < y + count; row++) {
    memcpy(sink->picture + (uint64_t)sink->row_bytes * row, sink->memory + stride_of(sink) * (row - sink->granted_first),
           sink->row_bytes);
    if (!sink->done[row]) sink->rows_done++;
    sink->done[row] = 1;
  }
  if (sink->source && !sink->source_at_first_row) sink->source_at_first_row = sink->source->arrived;
  if (sink->order == IMGCODER_ROWS_TOP_DOWN && sink->next == sink->granted_first + sink->granted_count) end_grant(sink);
  return IMGCODER_STATUS_OK;
}

checking_sink *checking_sink_new(checking_session *session, const imgcoder_offer *offer, uint32_t padding, uint32_t grant,
                                 uint32_t fill, uint32_t at_start) {
  checking_sink *sink = calloc(1, sizeof *sink);
  uint64_t row_bytes = (uint64_t)offer->width * checking_bytes_per_pixel(offer->pixel_format);
  if (!sink || row_bytes == 0 || offer->height == 0 || row_bytes * offer->height > (UINT64_C(1) << 30)) {
    free(sink);
    return NULL;
  }
  sink->session = session;
  sink->width = offer->width;
  sink->height = offer->height;
  sink->row_bytes = (uint32_t)row_bytes;
  sink->order = offer->row_order;
  sink->padding = padding;
  sink->grant = grant;
  sink->fill = fill;
  sink->at_start = at_start;
  sink->picture = calloc(offer->height, row_bytes);
  sink->done = calloc(offer->height, 1);
  sink->granted = calloc(offer->height, 1);
  if (!sink->picture || !sink->done || !sink->granted) abort();
  sink->baseline = checking_malloc_bytes();
  imgcoder_sink raw = {0, 0, sink, sink_rows, sink_done};
  sink->sink = checking_struct_new(session, &raw, sizeof raw, "imgcoder_sink");
  return sink;
}

void checking_sink_end(checking_sink *sink) {
  if (!sink) return;
  end_grant(sink);
  checking_struct_end(sink->session, (void *)(uintptr_t)sink->sink, NULL, sizeof(imgcoder_sink), "imgcoder_sink");
  free(sink->picture);
  free(sink->done);
  free(sink->granted);
  free(sink);
}
