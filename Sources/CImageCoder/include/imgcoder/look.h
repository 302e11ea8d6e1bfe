// SPDX-License-Identifier: Apache-2.0
//
// Extension of the host: it tells a reader when somebody looks at a picture whose bytes still arrive.
//
//   imgcoder_host.get_extension(host, "org.imagecoders.look/1") -> const imgcoder_look_table *
//
// For readers whose coarse passes are costly: without it they draw passes that nobody may look at.

#ifndef IMGCODER_LOOK_H
#define IMGCODER_LOOK_H

#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IMGCODER_EXTENSION_LOOK "org.imagecoders.look/1"

typedef struct imgcoder_look_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // From now on, the host calls `draw` when somebody looks at what there is of the picture. It does so in `view` and
  // `view_available`, which the reader called to wait for bytes, and on the reader's thread. `draw` may call the sink's
  // functions to give a pass on, and no view. It returns soon where a new pass is not worth its cost.
  //   draw     NULL: no more. That is set before `decode` returns.
  //   returns  OK; UNSUPPORTED: all bytes are there, and nobody looks before the picture is done
  // [session]
  imgcoder_status(IMGCODER_ABI *set_draw)(const imgcoder_host *host, void(IMGCODER_ABI *draw)(void *context),
                                          void *context);
} imgcoder_look_table;

#ifdef __cplusplus
}
#endif

#endif
