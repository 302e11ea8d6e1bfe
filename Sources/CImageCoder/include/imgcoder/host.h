// SPDX-License-Identifier: Apache-2.0
//
// What the host provides to a plugin. The plugin neither creates nor frees these structs. All of them live as long as
// the session that they were passed to, unless a call says otherwise.

#ifndef IMGCODER_HOST_H
#define IMGCODER_HOST_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Severity of a log line.
enum {
  IMGCODER_LOG_DEBUG = 0,
  IMGCODER_LOG_INFO = 1,
  IMGCODER_LOG_WARNING = 2
};

// The services of the host for one session. Each session has its own struct.
typedef struct imgcoder_host {
  uint32_t struct_size;
  uint32_t abi_minor;  // the minor version of the interface that the host was built with
  void *context;       // belongs to the host; a plugin only passes the struct back

  const imgcoder_limits *limits;

  // Records why the current call fails, and returns `status`, so that a plugin can write
  // `return host->fail(host, IMGCODER_STATUS_MALFORMED, offset, message);`. If it is called several times, the last
  // message counts. If a call fails without a message, the host uses a general one.
  //   offset     byte offset in the source, or -1 if the problem has no place in the file
  //   message    one sentence, lower case, no full stop, no newline: what was found and what was allowed
  //   ownership  `message` is copied before this returns
  // [session]
  imgcoder_status(IMGCODER_ABI *fail)(const struct imgcoder_host *host, imgcoder_status status, int64_t offset,
                                      imgcoder_string message);

  // Memory that the session does not free itself is freed by the host after `close`; leaving it there is a leak while the
  // session lives, and the host logs it.
  //
  // Allocates `size` bytes aligned to `alignment` (a power of two, at most 4096; 0 means 16) within the session's
  // budget. The bytes are not cleared. Returns null if the budget or the machine's memory is exhausted: return
  // IMGCODER_STATUS_OUT_OF_MEMORY in that case.
  //   ownership  the plugin's, until it passes the pointer to `free` of the same host
  // [session]
  void *(IMGCODER_ABI *allocate)(const struct imgcoder_host *host, uint64_t size, uint64_t alignment);

  // Frees memory that `allocate` returned. `memory` may be null.
  // [session]
  void(IMGCODER_ABI *free)(const struct imgcoder_host *host, void *memory);

  // Writes a line to the log. Hosts show warnings to the people who opened the file; other lines are for developers.
  //   ownership  `message` is copied before this returns
  // [any]
  void(IMGCODER_ABI *log)(const struct imgcoder_host *host, uint32_t severity, imgcoder_string message);

  // Returns 1 if the work should stop: clean up and return IMGCODER_STATUS_CANCELLED. Cheap enough for every row.
  // [any]
  uint32_t(IMGCODER_ABI *is_cancelled)(const struct imgcoder_host *host);

  // Reports how much of the current call is done. Rows reported to a sink are counted automatically; this is for work
  // without rows.
  //   fraction  0 to 1
  // [session]
  void(IMGCODER_ABI *progress)(const struct imgcoder_host *host, double fraction);

  // Runs `body(argument, i)` for every i from 0 to count - 1, on as many threads as the host chooses, and returns when
  // all are done. This is the only way in which a plugin may use threads. `body` calls only functions marked [any];
  // whatever else it needs (memory, views of the source, rows) is fetched before.
  // [session]
  void(IMGCODER_ABI *parallel_for)(const struct imgcoder_host *host, uint32_t count,
                                   void(IMGCODER_ABI *body)(void *argument, uint32_t index), void *argument);

  // Returns the extension of the host with this id, or null if the host does not have it. For names of extensions see
  // plugin.h.
  //   ownership  the host's, for the life of the process
  // [any]
  const void *(IMGCODER_ABI *get_extension)(const struct imgcoder_host *host, imgcoder_string id);

  // As `fail`, with the limit that was exceeded as data. Null or absent in some hosts: call `imgcoder_fail_limit`.
  //   ownership  the struct and its message are copied before this returns
  //   returns    `failure->status`
  // [session]
  imgcoder_status(IMGCODER_ABI *fail_with)(const struct imgcoder_host *host, const imgcoder_failure *failure);

  // Version 1.1. Counts work of which a few bytes of a file can ask for much. Null or absent in some hosts, which do not
  // bound that work: call `imgcoder_spend`. It is told before the work where the amount is known, else as it is done.
  //   kind     IMGCODER_WORK_*; a kind that the host does not know is not bounded
  //   returns  OK; LIMIT_EXCEEDED: no more may be spent in this call, which has been reported to `fail` already, and
  //            which the call returns
  // [any]
  imgcoder_status(IMGCODER_ABI *spend)(const struct imgcoder_host *host, uint32_t kind, uint64_t amount);
} imgcoder_host;

// Kinds of work.
enum {
  IMGCODER_WORK_INFLATED = 1  // bytes that come out of Deflate, LZW, Zstandard, LZMA or Brotli, of pixels and of metadata
};

// Calls `spend` of a host that has it; others allow everything.
// [any]
static inline imgcoder_status imgcoder_spend(const imgcoder_host *host, uint32_t kind, uint64_t amount) {
  if (!IMGCODER_HAS(host, imgcoder_host, spend) || host->spend == 0) return IMGCODER_STATUS_OK;
  return host->spend(host, kind, amount);
}

// Records that the file needs `found` of a limit that allows `allowed`, and returns IMGCODER_STATUS_LIMIT_EXCEEDED. A host
// without `fail_with` gets the message alone. A limit of the format or of a library is IMGCODER_STATUS_UNSUPPORTED instead.
//   limit      IMGCODER_LIMIT_*
//   offset, message  as for `fail`
// [session]
static inline imgcoder_status imgcoder_fail_limit(const imgcoder_host *host, uint32_t limit, uint64_t found,
                                                  uint64_t allowed, int64_t offset, imgcoder_string message) {
  imgcoder_failure failure;
  if (!IMGCODER_HAS(host, imgcoder_host, fail_with) || host->fail_with == 0) {
    return host->fail(host, IMGCODER_STATUS_LIMIT_EXCEEDED, offset, message);
  }
  failure.struct_size = (uint32_t)sizeof failure;
  failure.status = IMGCODER_STATUS_LIMIT_EXCEEDED;
  failure.offset = offset;
  failure.message = message;
  failure.limit = limit;
  failure.reserved = 0;
  failure.found = found;
  failure.allowed = allowed;
  return host->fail_with(host, &failure);
}

// The bytes of a file.
typedef struct imgcoder_source {
  uint32_t struct_size;
  uint32_t reserved;  // 0
  void *context;      // the host's
  uint64_t size;      // bytes in total; UINT64_MAX if bytes arrive over time (IMGCODER_OPEN_INCREMENTAL) and the end is
                      // not known yet

  // Returns a view of the bytes [offset, offset + min(wanted, size - offset)). `*length` is less than `wanted` only at
  // the end of the source, and 0 at or after the end. UINT64_MAX asks for all bytes that follow.
  //   ownership  the host's. A view lives until the next view of the same source; a view of the whole source (offset
  //              0, wanted at least `size`) lives until the session is closed. The bytes are read only.
  //   returns    OK; IO, which has been reported to `fail` already; CANCELLED, if bytes arrive over time
  // [session]
  imgcoder_status(IMGCODER_ABI *view)(const struct imgcoder_source *source, uint64_t offset, uint64_t wanted,
                                      const uint8_t **bytes, uint64_t *length);

  // Like `view`, but `least` bytes are enough: if bytes arrive over time, it waits only for those and returns what is
  // available, at most `wanted`. If all bytes are there, both functions do the same. `*length` is less than `least`
  // only at the end of the source.
  //   ownership  as for `view`, but a view of the whole source is no exception
  //   returns    as for `view`; CANCELLED if the decode was cancelled: return it at once
  // [session]
  imgcoder_status(IMGCODER_ABI *view_available)(const struct imgcoder_source *source, uint64_t offset, uint64_t least,
                                           uint64_t wanted, const uint8_t **bytes, uint64_t *length);
} imgcoder_source;

// Calls `view_available`, or `view` if the host is too old to have `view_available`; such a host always has all bytes.
static inline imgcoder_status imgcoder_source_view_available(const imgcoder_source *source, uint64_t offset,
                                                             uint64_t least, uint64_t wanted, const uint8_t **bytes,
                                                             uint64_t *length) {
  if (IMGCODER_HAS(source, imgcoder_source, view_available) && source->view_available != 0) {
    return source->view_available(source, offset, least, wanted, bytes, length);
  }
  return source->view(source, offset, wanted, bytes, length);
}

// Where rows go.
typedef struct imgcoder_rows {
  uint8_t *pixels;   // the first row, its leftmost pixel
  uint64_t stride;   // bytes from one row to the next, at least width × bytes per pixel
  uint32_t count;    // rows granted: at least 1, at most what was asked for
  uint32_t reserved;
} imgcoder_rows;

// Takes the pixels of one picture, in memory that belongs to the host.
typedef struct imgcoder_sink {
  uint32_t struct_size;
  uint32_t reserved;  // 0
  void *context;      // the host's

  // Asks for the memory of the rows [y, y + count) of the offered picture. With the row order TOP_DOWN, y is the row
  // after the last one reported done, and the host may grant fewer rows than requested; with ANY, all of them are
  // granted and keep what was written. New rows hold arbitrary bytes: all width × bytes per pixel bytes of a row have
  // to be written before the row is done, and none after them.
  //   ownership  the host's; valid until `done` is called for the rows, or the decode call returns
  //   returns    OK, or a status to return from decode at once (for example CANCELLED)
  // [session]
  imgcoder_status(IMGCODER_ABI *rows)(const struct imgcoder_sink *sink, uint32_t y, uint32_t count,
                                      imgcoder_rows *granted);

  // Reports that the rows [y, y + count) are written. They must have been granted; granted rows may be reported
  // together or a few at a time. `pass` counts from 0 for pictures that are sent more than once.
  //   returns    as for `rows`
  // [session]
  imgcoder_status(IMGCODER_ABI *done)(const struct imgcoder_sink *sink, uint32_t y, uint32_t count, uint32_t pass);
} imgcoder_sink;

// Takes the bytes of a file that is being written.
typedef struct imgcoder_output {
  uint32_t struct_size;
  uint32_t reserved;  // 0
  void *context;      // the host's

  // Appends bytes.
  //   returns    OK, or a status to return at once
  // [session]
  imgcoder_status(IMGCODER_ABI *write)(const struct imgcoder_output *output, const uint8_t *bytes, uint64_t length);

  // Replaces bytes that were written before; [offset, offset + length) must lie within them.
  //   returns    as for `write`
  // [session]
  imgcoder_status(IMGCODER_ABI *patch)(const struct imgcoder_output *output, uint64_t offset, const uint8_t *bytes,
                                       uint64_t length);
} imgcoder_output;

// Takes a property dictionary. Names are those of ImageIO, if it has one ("{Exif}", "PixelWidth"). If a name is put
// twice, the last value counts. All strings are copied before a call returns.
typedef struct imgcoder_properties {
  uint32_t struct_size;
  uint32_t reserved;  // 0
  void *context;      // the host's

  // Opens a dictionary inside the current one; at most 8 levels deep.
  // [session]
  void(IMGCODER_ABI *begin)(const struct imgcoder_properties *properties, imgcoder_string name);
  // Closes the dictionary or list that was opened last.
  // [session]
  void(IMGCODER_ABI *end)(const struct imgcoder_properties *properties);
  // [session]
  void(IMGCODER_ABI *put_integer)(const struct imgcoder_properties *properties, imgcoder_string name, int64_t value);
  // [session]
  void(IMGCODER_ABI *put_number)(const struct imgcoder_properties *properties, imgcoder_string name, double value);
  // [session]
  void(IMGCODER_ABI *put_text)(const struct imgcoder_properties *properties, imgcoder_string name,
                               imgcoder_string value);
  // Opens a list inside the current dictionary or list; `end` closes it. Values that are put into a list keep their order,
  // and their names do not count. Lists and dictionaries together are at most 8 levels deep.
  // [session]
  void(IMGCODER_ABI *begin_list)(const struct imgcoder_properties *properties, imgcoder_string name);
} imgcoder_properties;

#ifdef __cplusplus
}
#endif

#endif
