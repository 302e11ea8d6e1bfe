// SPDX-License-Identifier: Apache-2.0

#include "destination.h"

enum { CHUNK = 16 * 1024 };  // bytes given to the host at a time

static destination *destination_of(j_compress_ptr cinfo) { return (destination *)cinfo->dest; }

static void empty_chunk(destination *destination) {
  destination->manager.next_output_byte = destination->chunk;
  destination->manager.free_in_buffer = CHUNK;
}

static void send(j_compress_ptr cinfo, const uint8_t *bytes, uint64_t length) {
  const imgcoder_output *output = destination_of(cinfo)->output;
  recoder *recoder = destination_of(cinfo)->recoder;
  if (length == 0) return;
  imgcoder_status status = recoder ? recode_keep(recoder, bytes, length, output) : output->write(output, bytes, length);
  if (status != IMGCODER_STATUS_OK) failure_escape((j_common_ptr)cinfo, status);
}

static void start(j_compress_ptr cinfo) { empty_chunk(destination_of(cinfo)); }

// libjpeg calls this with a full chunk and does not keep free_in_buffer up to date for it.
static boolean flush(j_compress_ptr cinfo) {
  send(cinfo, destination_of(cinfo)->chunk, CHUNK);
  empty_chunk(destination_of(cinfo));
  return TRUE;
}

static void stop(j_compress_ptr cinfo) {
  destination *destination = destination_of(cinfo);
  send(cinfo, destination->chunk, CHUNK - destination->manager.free_in_buffer);
}

void destination_begin(j_compress_ptr cinfo, destination *destination, const imgcoder_host *host,
                       const imgcoder_output *output) {
  destination->manager.init_destination = start;
  destination->manager.empty_output_buffer = flush;
  destination->manager.term_destination = stop;
  destination->host = host;
  destination->output = output;
  cinfo->dest = &destination->manager;
  destination->chunk = host->allocate(host, CHUNK, 0);
  if (!destination->chunk) failure_escape((j_common_ptr)cinfo, IMGCODER_STATUS_OUT_OF_MEMORY);
}

void destination_write(j_compress_ptr cinfo, const uint8_t *bytes, uint64_t length) {
  stop(cinfo);
  empty_chunk(destination_of(cinfo));
  send(cinfo, bytes, length);
}

void destination_end(destination *destination) {
  if (destination->chunk) destination->host->free(destination->host, destination->chunk);
}
