// SPDX-License-Identifier: Apache-2.0
//
// A host of another version: it hands structs of any size to a coder that was exported from Swift, in memory whose bytes
// it knows, so that a test can see what was written where.

#ifndef CINTERFACEFAKES_H
#define CINTERFACEFAKES_H

#include "imgcoder/imgcoder.h"

#include "peer.h"

// More than any struct of the interface.
enum { FAKES_ROOM = 512, FAKES_FILL = 0xA5 };

// Memory that a coder is given as a struct.
typedef struct fakes_struct {
  uint8_t bytes[FAKES_ROOM];
} fakes_struct;

// A struct that claims `claimed` bytes and holds nothing but FAKES_FILL, the size apart.
fakes_struct fakes_poisoned(uint32_t claimed);

// The same with `length` bytes of `known` in front; the claim stays.
fakes_struct fakes_holding(uint32_t claimed, const void *known, uint32_t length);

// Bytes at or behind `end` that are no longer FAKES_FILL.
uint32_t fakes_touched_behind(const fakes_struct *memory, uint32_t end);

// A host whose limits are any struct. What `fail` was told is in `message`.
typedef struct fakes_host {
  imgcoder_host table;
  fakes_struct limits;
  imgcoder_status status;
  int64_t offset;
  char message[256];
  const uint8_t *bytes;  // of the source
  imgcoder_source source;
  imgcoder_output output;
  uint64_t written;
} fakes_host;

// Fills a host in: it lives at one address as long as its sessions. `bytes` and `limits` are not copied and copied.
void fakes_host_make(fakes_host *host, const fakes_struct *limits, const uint8_t *bytes, uint64_t length);

// Calls of a reader's and a writer's tables with structs of the test's own.
imgcoder_status fakes_open(const imgcoder_coder *coder, fakes_host *host, const fakes_struct *options,
                           imgcoder_reader **reader);
imgcoder_status fakes_info(const imgcoder_coder *coder, imgcoder_reader *reader, fakes_struct *info);
imgcoder_status fakes_frame_info(const imgcoder_coder *coder, imgcoder_reader *reader, fakes_struct *frame);
imgcoder_status fakes_negotiate(const imgcoder_coder *coder, imgcoder_reader *reader, const fakes_struct *request,
                                fakes_struct *offer);
void fakes_close(const imgcoder_coder *coder, imgcoder_reader *reader);
imgcoder_status fakes_open_writer(const imgcoder_coder *coder, fakes_host *host, const fakes_struct *options,
                                  imgcoder_writer **writer);
void fakes_close_writer(const imgcoder_coder *coder, imgcoder_writer *writer);

#endif
