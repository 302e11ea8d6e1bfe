// SPDX-License-Identifier: Apache-2.0
//
// Draft extension of the host: it counts work of which a few bytes of a file can ask for much.
//
//   imgcoder_host.get_extension(host, "org.imagecoders.draft.work/1") -> const imgcoder_work_table *
//
// A host without it does not bound that work.

#ifndef IMGCODER_DRAFT_WORK_H
#define IMGCODER_DRAFT_WORK_H

#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IMGCODER_DRAFT_WORK "org.imagecoders.draft.work/1"

typedef struct imgcoder_work_table {
  uint32_t struct_size;
  uint32_t reserved;  // 0

  // Says that a reader inflates bytes: those that come out of Deflate, LZW, Zstandard, LZMA or Brotli, of pixels and of
  // metadata. It is told before the work where the number is known, else as the bytes come out.
  //   returns  OK; LIMIT_EXCEEDED: no more may be inflated in this call, which has been reported to `fail` already, and
  //            which the call returns
  // [any]
  imgcoder_status(IMGCODER_ABI *inflated)(const imgcoder_host *host, uint64_t bytes);
} imgcoder_work_table;

#ifdef __cplusplus
}
#endif

#endif
