// SPDX-License-Identifier: Apache-2.0
//
// What the host gives to a plugin. The plugin makes none of these structs and frees none of them. All of them live as
// long as the session they were handed to, unless a call says otherwise.

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

// The host, as one session sees it. Each session has its own.
typedef struct imgcoder_host {
  uint32_t struct_size;
  uint32_t abi_minor;  // the minor version of the interface that the host was built with
  void *context;       // the host's; a plugin only hands the struct back

  const imgcoder_limits *limits;

  // Records why the call in progress fails, and returns `status`, so that a plugin can write
  // `return host->fail(host, IMGCODER_STATUS_MALFORMED, offset, message);`. The last record before the call returns
  // counts. A call that fails without a record gets a general sentence from the host.
  //   offset     byte offset in the source, or -1 when the problem has no place
  //   message    one sentence, lower case, no full stop, no newline: what was found and what was allowed
  //   ownership  `message` is copied before this returns
  // [session]
  imgcoder_status(IMGCODER_ABI *fail)(const struct imgcoder_host *host, imgcoder_status status, int64_t offset,
                                      imgcoder_string message);

  // Takes `size` bytes aligned to `alignment` (a power of two, at most 4096; 0 means 16) from the session's budget.
  // The bytes are not cleared. Null when the budget or the machine has no more: then return
  // IMGCODER_STATUS_OUT_OF_MEMORY.
  //   ownership  the plugin's, until it hands the pointer to `free` of the same host
  // [session]
  void *(IMGCODER_ABI *allocate)(const struct imgcoder_host *host, uint64_t size, uint64_t alignment);

  // Gives memory of `allocate` back. `memory` may be null.
  // [session]
  void(IMGCODER_ABI *free)(const struct imgcoder_host *host, void *memory);

  // Writes a line for a developer.
  //   ownership  `message` is copied before this returns
  // [any]
  void(IMGCODER_ABI *log)(const struct imgcoder_host *host, uint32_t severity, imgcoder_string message);

  // 1 when the work should stop: clean up and return IMGCODER_STATUS_CANCELLED. Cheap enough for once per row.
  // [any]
  uint32_t(IMGCODER_ABI *is_cancelled)(const struct imgcoder_host *host);

  // Says how much of the call in progress is done. Rows reported to a sink count by themselves; this is for work that
  // has no rows.
  //   fraction  0 to 1
  // [session]
  void(IMGCODER_ABI *progress)(const struct imgcoder_host *host, double fraction);

  // Runs `body(argument, i)` for every i in 0 ..< count, on as many threads as the host likes, and returns when all
  // are done. The only way in which a plugin may use threads.
  // [session]
  void(IMGCODER_ABI *parallel_for)(const struct imgcoder_host *host, uint32_t count,
                                   void(IMGCODER_ABI *body)(void *argument, uint32_t index), void *argument);

  // A further service of the host by its id, or null when the host does not have it.
  //   ownership  the host's, for the life of the process
  // [any]
  const void *(IMGCODER_ABI *get_extension)(const struct imgcoder_host *host, imgcoder_string id);
} imgcoder_host;

// The bytes of a file.
typedef struct imgcoder_source {
  uint32_t struct_size;
  uint32_t reserved;  // 0
  void *context;      // the host's
  uint64_t size;      // bytes in all; UINT64_MAX as long as bytes arrive (IMGCODER_OPEN_INCREMENTAL) and the end is not known

  // Shows the bytes [offset, offset + min(wanted, size - offset)). Exactly so many are shown: `*length` is less than
  // `wanted` only at the end of the source, and 0 at or behind it. UINT64_MAX asks for all that follow.
  //   ownership  the host's. A view lives until the next view of the same source; a view of the whole source (offset
  //              0, wanted at least `size`) lives until the session is closed. The bytes are read only.
  //   returns    OK; IO, which `fail` has been told of already; CANCELLED, where bytes arrive
  // [session]
  imgcoder_status(IMGCODER_ABI *view)(const struct imgcoder_source *source, uint64_t offset, uint64_t wanted,
                                      const uint8_t **bytes, uint64_t *length);

  // As `view`, but at least `least` bytes will do: where bytes arrive, no more than those are waited for, and what is
  // there is shown, at most `wanted`. Elsewhere the two do the same. `*length` is less than `least` only at the end.
  //   ownership  as `view`, but of no whole source
  //   returns    as `view`; CANCELLED when nobody waits for the picture any more: return it at once
  // [session]
  imgcoder_status(IMGCODER_ABI *view_available)(const struct imgcoder_source *source, uint64_t offset, uint64_t least,
                                           uint64_t wanted, const uint8_t **bytes, uint64_t *length);
} imgcoder_source;

// Calls `view_available`, or `view` of a host that is older than `view_available` and has all bytes.
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

  // Asks where the rows [y, y + count) of the offered picture go. Under the row order TOP_DOWN, y is the row after the
  // last one reported done, and the host may grant fewer rows than asked for; under the other orders all of them are
  // granted and keep what was written. Fresh rows hold arbitrary bytes: every byte of width × bytes per pixel has to be
  // written before a row is done, and none behind it.
  //   ownership  the host's; valid until `done` is called for the rows, or the decode call returns
  //   returns    OK, or a status to return from decode at once (CANCELLED among them)
  // [session]
  imgcoder_status(IMGCODER_ABI *rows)(const struct imgcoder_sink *sink, uint32_t y, uint32_t count,
                                      imgcoder_rows *granted);

  // Says that the rows [y, y + count) are written: rows that were granted, all of them or some at a time. `pass` counts
  // from 0 for pictures that are sent more than once.
  //   returns    as `rows`
  // [session]
  imgcoder_status(IMGCODER_ABI *done)(const struct imgcoder_sink *sink, uint32_t y, uint32_t count, uint32_t pass);
} imgcoder_sink;

// Takes the bytes of a file that is written.
typedef struct imgcoder_output {
  uint32_t struct_size;
  uint32_t reserved;  // 0
  void *context;      // the host's

  // Appends bytes.
  //   returns    OK, or a status to return at once
  // [session]
  imgcoder_status(IMGCODER_ABI *write)(const struct imgcoder_output *output, const uint8_t *bytes, uint64_t length);

  // Replaces bytes that were written before; [offset, offset + length) lies inside them.
  //   returns    as `write`
  // [session]
  imgcoder_status(IMGCODER_ABI *patch)(const struct imgcoder_output *output, uint64_t offset, const uint8_t *bytes,
                                       uint64_t length);
} imgcoder_output;

// Takes a property dictionary. Names are ImageIO's where it has one ("{Exif}", "PixelWidth"). A name that comes twice
// keeps its last value. All strings and bytes are copied before a call returns.
typedef struct imgcoder_properties {
  uint32_t struct_size;
  uint32_t reserved;  // 0
  void *context;      // the host's

  // Opens a dictionary inside the current one; at most 8 deep.
  // [session]
  void(IMGCODER_ABI *begin)(const struct imgcoder_properties *properties, imgcoder_string name);
  // Closes the dictionary that `begin` opened last.
  // [session]
  void(IMGCODER_ABI *end)(const struct imgcoder_properties *properties);
  // [session]
  void(IMGCODER_ABI *put_integer)(const struct imgcoder_properties *properties, imgcoder_string name, int64_t value);
  // [session]
  void(IMGCODER_ABI *put_number)(const struct imgcoder_properties *properties, imgcoder_string name, double value);
  // [session]
  void(IMGCODER_ABI *put_text)(const struct imgcoder_properties *properties, imgcoder_string name,
                               imgcoder_string value);
} imgcoder_properties;

#ifdef __cplusplus
}
#endif

#endif
