// SPDX-License-Identifier: Apache-2.0
//
// Extension of a coder: bytes that arrive over time. Without it the host keeps the bytes and decodes once at the end.
//
//   imgcoder_coder.get_extension(coder, "org.imagecoders.incremental/1") -> const imgcoder_incremental_table *
//
//   open, { append, progress, info, frame_info }, close
//
// Every byte is handed over once. The rows a session reports as final are never written again.

#ifndef IMGCODER_INCREMENTAL_H
#define IMGCODER_INCREMENTAL_H

#include "reader.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IMGCODER_EXTENSION_INCREMENTAL "org.imagecoders.incremental/1"

// How far an incremental session is; the values of ImageIO's CGImageSourceStatus.
typedef uint32_t imgcoder_incremental_state;

enum {
  IMGCODER_STATE_UNKNOWN_TYPE = 0,
  IMGCODER_STATE_READING_HEADER = 1,
  IMGCODER_STATE_INCOMPLETE = 2,
  IMGCODER_STATE_COMPLETE = 3,
  IMGCODER_STATE_UNEXPECTED_END = 4,
  IMGCODER_STATE_INVALID = 5
};

// One incremental session of the plugin's own.
typedef struct imgcoder_incremental imgcoder_incremental;

typedef struct imgcoder_incremental_progress {
  uint32_t struct_size;
  imgcoder_incremental_state state;
  uint32_t frames_complete;  // frames whose every row is final
  uint32_t frame;            // the frame that is being decoded
  uint32_t rows_final;       // of that frame, from the top
  uint32_t pass;             // passes of that frame that are complete
} imgcoder_incremental_progress;

typedef struct imgcoder_incremental_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // Opens a session that has no bytes yet. `sinks(sinks_context, offer)` is called when the size of a frame is known
  // and returns where its rows go; the sink lives until `close`, keeps what was written (row order ANY), and is asked
  // for one frame at a time.
  //   order      first
  //   ownership  as imgcoder_reader_table.open
  //   returns    OK; OUT_OF_MEMORY
  // [any]
  imgcoder_status(IMGCODER_ABI *open)(const struct imgcoder_coder *coder, const imgcoder_host *host,
                                      const imgcoder_request *request,
                                      const imgcoder_sink *(IMGCODER_ABI *sinks)(void *sinks_context,
                                                                                 const imgcoder_offer *offer),
                                      void *sinks_context, imgcoder_incremental **session);

  // Hands over the next bytes.
  //   ownership  `bytes` is the host's, during the call; the session copies what it cannot use yet
  //   is_last    1 when no byte follows
  //   null       `bytes`, when `length` is 0
  //   returns    OK or NEED_MORE; an error status, which every later append repeats
  // [session]
  imgcoder_status(IMGCODER_ABI *append)(imgcoder_incremental *session, const uint8_t *bytes, uint64_t length,
                                        uint32_t is_last);

  // Tells how far the session is.
  // [session]
  imgcoder_status(IMGCODER_ABI *progress)(imgcoder_incremental *session, imgcoder_incremental_progress *progress);

  // As imgcoder_reader_table.info, for page 0; NEED_MORE until the header is there. `frame_count` may grow.
  // [session]
  imgcoder_status(IMGCODER_ABI *info)(imgcoder_incremental *session, imgcoder_info *info);

  // As imgcoder_reader_table.frame_info, for page 0; NEED_MORE for a frame whose header is not there yet.
  // [session]
  imgcoder_status(IMGCODER_ABI *frame_info)(imgcoder_incremental *session, uint32_t frame,
                                            imgcoder_frame_info *frame_info);

  // Ends the session at any point. Never fails.
  // [session]
  void(IMGCODER_ABI *close)(imgcoder_incremental *session);
} imgcoder_incremental_table;

#ifdef __cplusplus
}
#endif

#endif
