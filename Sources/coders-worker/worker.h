// SPDX-License-Identifier: Apache-2.0
//
// A worker: one plugin, one file at a time, nothing else.
//
//   coders-worker LIBRARY ID LAYERS-TO-LEAVE-OUT NEEDS
//
// The process that the program starts makes the namespaces and forks the server, which loads the plugin and locks itself;
// the server forks the workers, which lock themselves further, and only then see a file.

#ifndef WORKER_H
#define WORKER_H

#include <stddef.h>
#include <stdint.h>

#include <imgcoder/imgcoder.h>
#include <CImageCoderStructs.h>
#include <CIsolation.h>

#include "names.h"

// The files in such an order that each one calls only those above it.

// filter.c: returns 1, or 0 if the filter is not available.
//   reads_files  whether files may be opened to read, because another layer says which
int filter_server(int reads_files);
int filter_worker(int reads_files);
// Has the number of a call that the filter of a worker refuses, plus 1, written to `place` before the process ends. What a
// worker says there it says of itself alone.
void filter_notes_refused_calls(uint32_t *place);

// fonts.c: folders that a worker may read, found by fontconfig, which the plugin has set up. None without it.
void fonts_find(void);
unsigned fonts_folders(void);
const char *fonts_folder(unsigned index);
int fonts_hold(const char *path);  // whether one of them is, or has, a path

// layers.c: each returns the layers that it has made and probed. The folders of fonts are what these leave to be read.
uint32_t layers_of_process(uint32_t without);
uint32_t layers_of_namespaces(uint32_t without);
uint32_t layers_of_server(uint32_t namespaces, uint32_t without);
uint32_t layers_of_worker(uint32_t server, uint32_t without, uint64_t memory, uint64_t seconds);
// Whether files may be opened: there are folders of fonts, and a layer that keeps a worker to them.
int layers_give_fonts(uint32_t made);

// probes.c: whether a child that is locked as a worker is stopped where it should be.
int probe_filter(uint32_t server, uint32_t without);

// keys.c: ends what libraries keep for the calling thread, as if that ended.
void keys_end_thread(void);

// threads.c: threads that a worker has from before its filter. There are at least two, so that a library that works on a
// thread of its own can; a thread that a library makes is one of them. For a library that makes many there are as many as
// there may be, and it waits for one that is free.
void threads_prepare(void);
uint64_t threads_memory(void);
void threads_begin(int makes_many);
unsigned threads_helpers(void);  // that share in the work of parallel_for

// state.c: the file that is open.
typedef struct session {
  const imgcoder_coder *coder;
  imgcoder_coder described;
  imgcoder_reader_table reader;
  imgcoder_writer_table writer;
  imgcoder_reader *file;
  imgcoder_writer *output;
  uint8_t *shared;
  uint32_t call;
  imgcoder_host host;
  imgcoder_limits limits;
  imgcoder_source source;
  uint64_t may_inflate, inflated;  // bytes, in the current call
  // Why the current call fails.
  imgcoder_status failure;
  int64_t failure_offset;
  uint32_t failure_limit;  // IMGCODER_LIMIT_*, below ISOLATION_MOST_LIMITS; 0 without a failure
  uint64_t failure_found, failure_allowed;
  uint32_t failure_length;
  char failure_text[ISOLATION_MAX_SENTENCE];
} session;

extern session the_session;

// code.c: drops the pages with code of all libraries, which come back from their files when they are needed. They are
// shared with other processes, but count as this one's.
void code_give_back(void);

// messages.c
// Of the message that was received last. Answers have none, so that it stays during a call.
uint8_t *payload(void);
void receive(isolation_message *message, int *descriptor);
// Keeps messages back, until there is no more room or the worker waits for one itself.
void messages_hold(int holds);
void send_message(uint32_t kind, isolation_message message, const void *bytes, uint32_t length);
void send_chunks(uint32_t kind, const uint8_t *bytes, uint64_t length);
void reply(imgcoder_status status, const void *results, uint32_t length);
void reply_with_output(imgcoder_status status, const void *results, uint32_t length, uint32_t slot, uint64_t bytes);

// services.c: what the host offers to the plugin.
void services_begin(const imgcoder_limits *limits);
void services_end(void);
// Fails because the plugin lacks a call, and a call that every coder has.
imgcoder_status services_fail_without(const char *call, imgcoder_status status);
imgcoder_status services_lacks(const char *call);

// output.c: bytes of a file that is written, on their way to the program.
extern imgcoder_output the_output;
void output_begin(void);
void output_end(void);
int output_is_open(void);
void output_taken(imgcoder_status status);
// Waits for what was sent, and answers with the rest.
void output_reply(imgcoder_status status, const void *results, uint32_t length);

// pixels.c: rows on their way to the program.
imgcoder_status pixels_decode(const isolation_message *request, const imgcoder_offer *offer, int memory);
// Bytes of a row, and rows of a band, of a picture whose rows come from the top; 0 for others, and for too long rows.
uint64_t pixels_row_bytes(const imgcoder_offer *offer);
uint32_t pixels_rows_of_band(const imgcoder_offer *offer);
void pixels_flush(void);
void pixels_taken(imgcoder_status status);

// bytes.c: the bytes of the file.
int bytes_begin(int memory, uint64_t available, uint64_t size);
int bytes_begin_small(const uint8_t *bytes, uint32_t length);
void bytes_update(uint64_t available, uint64_t size);
// Waits for an answer of a kind.
//   returns  the memory that came along, or -1
int bytes_wait(uint32_t kind, isolation_message *message);
void bytes_end(void);
const uint8_t *bytes_all(uint64_t *length);

// siblings.c: files beside the source, which the program hands out. Begins after the services.
void siblings_begin(void);
void siblings_end(void);

// parcels.c: texts and blocks that come with a request, valid until it is closed.
typedef struct parcel {
  const uint8_t *next;
  uint64_t left;
  void *map;
  uint64_t size;
} parcel;

typedef struct parcel_bytes {
  const uint8_t *bytes;
  uint64_t length;
} parcel_bytes;

int parcel_open(parcel *parcel, const isolation_message *request, int memory);
void parcel_take(parcel *parcel, void *to, size_t size);
parcel_bytes parcel_block(parcel *parcel);
imgcoder_string parcel_text(parcel *parcel);
// Lists in memory of their own, to be given to free; null if there is none left.
const imgcoder_option_value *const *parcel_values(parcel *parcel, uint64_t *count);
const imgcoder_block *const *parcel_blocks(parcel *parcel, uint64_t *count);
void parcel_close(parcel *parcel);

// chunks.c: many small parts in few messages.
void chunks_begin(void);
void chunks_put(const void *bytes, uint64_t length);
void chunks_end(void);

// properties.c: properties as chunks, until chunks_end.
imgcoder_properties properties_begin(void);
imgcoder_status properties_send(uint32_t page, uint32_t frame);

// color.c: what a page says of its colors.
imgcoder_status color_send(uint32_t page);

// operations.c: working on whole files without decoding them.
void operations_call(const isolation_message *request, int memory);

// writing.c: calls of a writer. What was open is closed when one is opened.
void writing_call(const isolation_message *request, int memory);
void writing_end(void);

// session.c: the calls of the program, until it is gone.
_Noreturn void session_run(const imgcoder_coder *coder, uint8_t *shared);

// server.c
//   needs  ISOLATION_NEEDS_*
_Noreturn void server_run(const imgcoder_coder *coder, uint32_t layers, uint32_t without, uint32_t needs);

#endif
