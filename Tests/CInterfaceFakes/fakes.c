// SPDX-License-Identifier: Apache-2.0

#include "CInterfaceFakes.h"

#include <stdlib.h>
#include <string.h>

fakes_struct fakes_poisoned(uint32_t claimed) {
  fakes_struct memory;
  memset(memory.bytes, FAKES_FILL, sizeof memory.bytes);
  memcpy(memory.bytes, &claimed, sizeof claimed);
  return memory;
}

fakes_struct fakes_holding(uint32_t claimed, const void *known, uint32_t length) {
  fakes_struct memory = fakes_poisoned(claimed);
  memcpy(memory.bytes + sizeof claimed, (const uint8_t *)known + sizeof claimed, length - sizeof claimed);
  return memory;
}

uint32_t fakes_touched_behind(const fakes_struct *memory, uint32_t end) {
  uint32_t count = 0;
  for (uint32_t i = end; i < FAKES_ROOM; i++) count += memory->bytes[i] != FAKES_FILL;
  return count;
}

static imgcoder_status host_fail(const imgcoder_host *table, imgcoder_status status, int64_t offset,
                                 imgcoder_string message) {
  fakes_host *host = table->context;
  uint64_t length = message.length < sizeof host->message - 1 ? message.length : sizeof host->message - 1;
  host->status = status;
  host->offset = offset;
  if (length) memcpy(host->message, message.bytes, length);
  host->message[length] = 0;
  return status;
}
static void *host_allocate(const imgcoder_host *table, uint64_t size, uint64_t alignment) {
  (void)table, (void)alignment;
  return malloc(size);
}
static void host_free(const imgcoder_host *table, void *memory) {
  (void)table;
  free(memory);
}
static void host_log(const imgcoder_host *table, uint32_t severity, imgcoder_string message) {
  (void)table, (void)severity, (void)message;
}
static uint32_t host_is_cancelled(const imgcoder_host *table) {
  (void)table;
  return 0;
}
static void host_progress(const imgcoder_host *table, double fraction) { (void)table, (void)fraction; }
static void host_parallel_for(const imgcoder_host *table, uint32_t count, void (*body)(void *, uint32_t),
                              void *argument) {
  (void)table;
  for (uint32_t i = 0; i < count; i++) body(argument, i);
}
static const void *host_get_extension(const imgcoder_host *table, imgcoder_string id) {
  (void)table, (void)id;
  return NULL;
}
static imgcoder_status source_view(const imgcoder_source *source, uint64_t offset, uint64_t wanted,
                                   const uint8_t **bytes, uint64_t *length) {
  const fakes_host *host = source->context;
  uint64_t rest = offset < source->size ? source->size - offset : 0;
  *bytes = host->bytes + (source->size - rest);
  *length = wanted < rest ? wanted : rest;
  return IMGCODER_STATUS_OK;
}
static imgcoder_status output_write(const imgcoder_output *output, const uint8_t *bytes, uint64_t length) {
  fakes_host *host = output->context;
  (void)bytes;
  host->written += length;
  return IMGCODER_STATUS_OK;
}
static imgcoder_status output_patch(const imgcoder_output *output, uint64_t offset, const uint8_t *bytes,
                                    uint64_t length) {
  (void)output, (void)offset, (void)bytes, (void)length;
  return IMGCODER_STATUS_OK;
}

void fakes_host_make(fakes_host *host, const fakes_struct *limits, const uint8_t *bytes, uint64_t length) {
  memset(host, 0, sizeof *host);
  host->limits = *limits;
  host->table = (imgcoder_host){sizeof(imgcoder_host), 0,        host,          (const imgcoder_limits *)&host->limits,
                                host_fail,             host_allocate, host_free, host_log,
                                host_is_cancelled,     host_progress, host_parallel_for, host_get_extension};
  host->bytes = bytes;
  host->source = (imgcoder_source){sizeof(imgcoder_source), 0, host, length, source_view};
  host->output = (imgcoder_output){sizeof(imgcoder_output), 0, host, output_write, output_patch};
}

imgcoder_status fakes_open(const imgcoder_coder *coder, fakes_host *host, const fakes_struct *options,
                           imgcoder_reader **reader) {
  return coder->reader->open(coder, &host->table, &host->source, (const imgcoder_open_options *)options, reader);
}
imgcoder_status fakes_info(const imgcoder_coder *coder, imgcoder_reader *reader, fakes_struct *info) {
  return coder->reader->info(reader, 0, (imgcoder_info *)info);
}
imgcoder_status fakes_frame_info(const imgcoder_coder *coder, imgcoder_reader *reader, fakes_struct *frame) {
  return coder->reader->frame_info(reader, 0, 0, (imgcoder_frame_info *)frame);
}
imgcoder_status fakes_negotiate(const imgcoder_coder *coder, imgcoder_reader *reader, const fakes_struct *request,
                                fakes_struct *offer) {
  return coder->reader->negotiate(reader, (const imgcoder_request *)request, (imgcoder_offer *)offer);
}
void fakes_close(const imgcoder_coder *coder, imgcoder_reader *reader) { coder->reader->close(reader); }
imgcoder_status fakes_open_writer(const imgcoder_coder *coder, fakes_host *host, const fakes_struct *options,
                                  imgcoder_writer **writer) {
  return coder->writer->open(coder, &host->table, &host->output, (const imgcoder_write_options *)options, writer);
}
void fakes_close_writer(const imgcoder_coder *coder, imgcoder_writer *writer) { coder->writer->close(writer); }
