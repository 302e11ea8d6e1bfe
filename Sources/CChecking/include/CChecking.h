// SPDX-License-Identifier: Apache-2.0
//
// A host for `coders check`. It hands a plugin structs of exactly the size that its version has, or larger ones; memory
// that ends where a page ends, with unreadable pages on both sides; and services that fail when they are told to. It
// records what the plugin does with them. Nothing here is part of an application.

#ifndef CCHECKING_H
#define CCHECKING_H

#include <imgcoder/imgcoder.h>

enum {
  CHECKING_VERSION_OWN = 0,    // that of the headers
  CHECKING_VERSION_FIRST = 1,  // 1.0: structs end where they ended then
  CHECKING_VERSION_LATER = 2   // structs have later fields, filled with poison
};

// How a session behaves.
typedef struct checking_settings {
  uint32_t version;         // of the host: CHECKING_VERSION_*
  uint32_t threads;         // of parallel_for; 0 counts as 1
  uint64_t fail_allocation; // which call of allocate returns null, from 1; 0: none
  uint64_t cancel_at;       // which call of is_cancelled answers 1 (as do later ones), from 1; 0: none
  imgcoder_limits limits;   // struct_size is set by the session
} checking_settings;

// What a session saw.
typedef struct checking_record {
  uint32_t fail_calls, status;  // calls of fail; the status of the last one
  int64_t offset;
  uint32_t limit;               // IMGCODER_LIMIT_* of the last failure
  uint64_t found, allowed;      // of that limit
  uint64_t message_length;      // of the last message, as the plugin stated it
  uint64_t allocations, live_blocks, live_bytes, peak_bytes;
  uint64_t polls;               // of is_cancelled
  uint64_t parallel_calls;
  uint32_t most_tasks;          // threads of the process, at most, while none of parallel_for ran
  uint32_t violation_rule;      // of the first violation; 0: none
  char message[2048];           // the message's beginning, terminated
  char violation[512];          // terminated
} checking_record;

typedef struct checking_session checking_session;

checking_session *checking_session_new(const checking_settings *settings);
// Returns the bytes that the plugin left in the host's memory.
uint64_t checking_session_end(checking_session *session);
const imgcoder_host *checking_session_host(checking_session *session);
checking_record *checking_session_record(checking_session *session);
// Forgets the last failure.
void checking_session_clear(checking_session *session);
// Counts the threads of the process.
void checking_session_count_tasks(checking_session *session);

// Copies a struct of the headers to the end of a page, or in front of poison; of version 1.0 as much as there was then.
// The size is written to its first field.
void *checking_struct_new(checking_session *session, const void *content, uint32_t size, const char *name);
// Whether no byte beyond the struct's size was written. Frees it, having copied it back to `content` unless that is null.
int checking_struct_end(checking_session *session, void *pointer, void *content, uint32_t size, const char *name);

// A file. Set the fields below `source` before it is opened.
typedef struct checking_source {
  const imgcoder_source *source;
  uint64_t chunk;      // bytes arrive in pieces of this size, when they are asked for; 0: all are there
  uint64_t cancel_at;  // CANCELLED when this many bytes have arrived and more are needed; 0: never
  uint64_t fail_at;    // which call returns IO, from 1; 0: none
  uint64_t calls, arrived, size;
  uint32_t whole_views;  // 1: a view that is not of the whole source ends with the next one, and faults afterwards
  checking_session *session;
  uint8_t *bytes;
  void *current;
} checking_source;

checking_source *checking_source_new(checking_session *session, const uint8_t *bytes, uint64_t size, uint64_t chunk);
void checking_source_end(checking_source *source);

// Where rows go.
typedef struct checking_sink {
  const imgcoder_sink *sink;
  checking_session *session;
  uint32_t width, height, row_bytes, order;
  uint32_t padding;      // bytes between rows, with a canary
  uint32_t grant;        // rows granted at once, at most; 0: as many as asked for
  uint32_t fill;         // the byte that new rows hold
  uint32_t at_start;     // 1: rows begin where a page begins; 0: they end where a page ends
  uint64_t stop_at;      // which call of rows or done returns `stop_status`, from 1; 0: none
  uint32_t stop_status;
  uint64_t calls, calls_after_stop;
  uint32_t next, rows_done, granted_first, granted_count;
  uint64_t source_at_first_row;  // bytes that had arrived when the first row was done
  uint64_t held_at_first_row;    // the session's memory and growth of malloc when the first row was asked for
  checking_source *source;
  uint8_t *picture;      // tight rows
  uint8_t *done;         // for each row, whether it is done
  uint8_t *granted;      // for each row, whether it was granted
  uint8_t *memory;       // of the rows that are granted
  uint64_t memory_size;
  uint64_t baseline;
} checking_sink;

checking_sink *checking_sink_new(checking_session *session, const imgcoder_offer *offer, uint32_t padding, uint32_t grant,
                                 uint32_t fill, uint32_t at_start);
void checking_sink_end(checking_sink *sink);

// The bytes of a file that is written.
typedef struct checking_output {
  const imgcoder_output *output;
  checking_session *session;
  uint8_t *bytes;
  uint64_t size, capacity, calls;
  uint64_t fail_at;  // which call returns IO, from 1; 0: none
  uint64_t calls_after_failure;
} checking_output;

checking_output *checking_output_new(checking_session *session, uint64_t fail_at);
void checking_output_end(checking_output *output);

// A property dictionary, as text.
typedef struct checking_properties {
  const imgcoder_properties *properties;
  checking_session *session;
  uint32_t depth, count;
  // A bit for each level, lowest first: whether it is a list.
  uint32_t lists;
  uint64_t length;
  char *text;
} checking_properties;

checking_properties *checking_properties_new(checking_session *session);
void checking_properties_end(checking_properties *properties);

// Bytes of one pixel, or 0 for a format that version 1.0 does not have.
uint32_t checking_bytes_per_pixel(imgcoder_pixel_format format);
// Converts a pixel of an integer format to red, green, blue, alpha of 16 bits; alpha straight. Returns 0 for others.
int checking_canonical(imgcoder_pixel_format format, imgcoder_alpha alpha, const uint8_t *pixel, uint16_t *rgba);
// Whether a text is valid UTF-8.
int checking_is_utf8(const char *bytes, uint64_t length);
// Whether memory can be read.
int checking_is_readable(const void *bytes, uint64_t length);

// The process of one check.

// What the process was doing, in memory that its parent shares.
typedef struct checking_stage {
  uint32_t signal;      // that ended the process, or 0
  uint32_t fault_rule;  // of the guarded memory that was touched, or 0
  uint64_t iteration;
  char fault[256];
  char text[1024];
} checking_stage;

int checking_stage_file(void);                 // a new file in memory, or -1
checking_stage *checking_stage_map(int file);  // or null
// From now on, a signal that would end this process is written to the stage before it does.
void checking_catch_faults(checking_stage *stage);
void checking_limit_memory(uint64_t bytes);
// Bytes that malloc has given out.
uint64_t checking_malloc_bytes(void);
uint32_t checking_task_count(void);
// The handlers and flags of all signals, the locale, the mask, the limits and the directory as text.
uint64_t checking_process_state(char *text, uint64_t capacity);
// A pipe that new processes do not inherit; 0 on success.
int checking_pipe(int *ends);
// Starts a program in a process group of its own, which sees each of `descriptors` under its number.
int checking_spawn(const char *path, char *const *arguments, char *const *environment, const int *descriptors,
                   const int *numbers, uint32_t count, int *child);

#endif
