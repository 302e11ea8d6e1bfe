// SPDX-License-Identifier: Apache-2.0
//
// The services of a session.

#include "internal.h"

#include <stdarg.h>
#include <stdlib.h>

static __thread int is_body;

void checking_violation(checking_session *session, uint32_t rule, const char *format, ...) {
  pthread_mutex_lock(&session->lock);
  if (!session->record.violation_rule) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(session->record.violation, sizeof session->record.violation, format, arguments);
    va_end(arguments);
    session->record.violation_rule = rule;
  }
  pthread_mutex_unlock(&session->lock);
}

void checking_session_call(checking_session *session, const char *name) {
  if (is_body) checking_violation(session, 4, "%s was called from a body of parallel_for", name);
}

static imgcoder_status record_failure(const imgcoder_host *host, imgcoder_status status, int64_t offset,
                                      imgcoder_string message) {
  checking_session *session = host->context;
  checking_session_call(session, "fail");
  checking_record *record = &session->record;
  record->fail_calls++;
  record->status = status;
  record->offset = offset;
  record->message_length = message.length;
  record->message[0] = 0;
  if (message.length > IMGCODER_MAX_TEXT || (message.length && !checking_is_readable(message.bytes, message.length))) {
    checking_violation(session, 14, "fail got a message of %llu bytes at %p", (unsigned long long)message.length,
                       (const void *)message.bytes);
    return status;
  }
  if (!checking_is_utf8(message.bytes, message.length)) checking_violation(session, 14, "a message is not UTF-8");
  size_t length = message.length < sizeof record->message ? (size_t)message.length : sizeof record->message - 1;
  if (length) memcpy(record->message, message.bytes, length);
  record->message[length] = 0;
  return status;
}

static imgcoder_status host_fail(const imgcoder_host *host, imgcoder_status status, int64_t offset,
                                 imgcoder_string message) {
  checking_session *session = host->context;
  session->record.limit = IMGCODER_LIMIT_NONE;
  return record_failure(host, status, offset, message);
}

static imgcoder_status host_fail_with(const imgcoder_host *host, const imgcoder_failure *failure) {
  checking_session *session = host->context;
  checking_record *record = &session->record;
  // A plugin of an older minor version has a smaller struct, but not a smaller one than that of 1.0.
  if (!IMGCODER_HAS(failure, imgcoder_failure, allowed)) {
    checking_violation(session, 16, "fail_with got a struct of %u bytes", failure->struct_size);
    return failure->status;
  }
  record->limit = failure->limit;
  record->found = failure->found;
  record->allowed = failure->allowed;
  if (failure->limit != IMGCODER_LIMIT_NONE && failure->status != IMGCODER_STATUS_LIMIT_EXCEEDED)
    checking_violation(session, 14, "a limit is named with the status 0x%02x", failure->status);
  return record_failure(host, failure->status, failure->offset, failure->message);
}

enum { CANARY = 16, HEADER = 64, MAGIC = 0x1C0DEB10 };

struct block {
  struct block *next, *previous;
  void *base;
  uint64_t size;
  uint32_t magic;
};

static void *host_allocate(const imgcoder_host *host, uint64_t size, uint64_t alignment) {
  checking_session *session = host->context;
  checking_session_call(session, "allocate");
  checking_record *record = &session->record;
  if (alignment == 0) alignment = 16;
  if ((alignment & (alignment - 1)) || alignment > 4096) {
    checking_violation(session, 16, "allocate got an alignment of %llu, powers of two up to 4096 are allowed",
                       (unsigned long long)alignment);
    return NULL;
  }
  record->allocations++;
  if (record->allocations == session->settings.fail_allocation) return NULL;
  uint64_t budget = session->settings.limits.max_memory;
  if (size > budget || record->live_bytes > budget - size) return NULL;
  uint64_t lead = alignment < HEADER ? HEADER : alignment;
  uint8_t *base;
  if (posix_memalign((void **)&base, (size_t)(alignment < 64 ? 64 : alignment), (size_t)(lead + size + CANARY)))
    return NULL;
  uint8_t *memory = base + lead;
  struct block *block = (struct block *)(memory - HEADER);
  *block = (struct block){session->blocks, NULL, base, size, MAGIC};
  if (session->blocks) session->blocks->previous = block;
  session->blocks = block;
  memset(memory, 0xCD, (size_t)size);
  memset(memory + size, 0x5C, CANARY);
  record->live_blocks++;
  record->live_bytes += size;
  if (record->live_bytes > record->peak_bytes) record->peak_bytes = record->live_bytes;
  return memory;
}

static void check_canary(checking_session *session, const struct block *block) {
  const uint8_t *end = (const uint8_t *)block + HEADER + block->size;
  for (int i = 0; i < CANARY; i++)
    if (end[i] != 0x5C) {
      checking_violation(session, 13, "a byte after the end of %llu bytes from allocate was written",
                         (unsigned long long)block->size);
      return;
    }
}

static void host_free(const imgcoder_host *host, void *memory) {
  checking_session *session = host->context;
  checking_session_call(session, "free");
  if (!memory) return;
  struct block *block = (struct block *)((uint8_t *)memory - HEADER);
  struct block *known = session->blocks;
  while (known && known != block) known = known->next;
  if (!known) {
    checking_violation(session, 13, "free got memory that this session's allocate did not return, or that is free");
    return;
  }
  check_canary(session, block);
  if (block->previous) block->previous->next = block->next;
  else session->blocks = block->next;
  if (block->next) block->next->previous = block->previous;
  session->record.live_blocks--;
  session->record.live_bytes -= block->size;
  memset(memory, 0xDD, (size_t)block->size);
  block->magic = 0;
  free(block->base);
}

static void host_log(const imgcoder_host *host, uint32_t severity, imgcoder_string message) {
  checking_session *session = host->context;
  if (severity > IMGCODER_LOG_WARNING) checking_violation(session, 16, "log got a severity of %u", severity);
  if (message.length > IMGCODER_MAX_TEXT || (message.length && !message.bytes))
    checking_violation(session, 16, "log got a message of %llu bytes", (unsigned long long)message.length);
  else if (!checking_is_utf8(message.bytes, message.length))
    checking_violation(session, 16, "a line of the log is not UTF-8");
}

static uint32_t host_is_cancelled(const imgcoder_host *host) {
  checking_session *session = host->context;
  uint64_t poll = __atomic_add_fetch(&session->record.polls, 1, __ATOMIC_RELAXED);
  return session->settings.cancel_at && poll >= session->settings.cancel_at;
}

static void host_progress(const imgcoder_host *host, double fraction) {
  checking_session *session = host->context;
  checking_session_call(session, "progress");
  if (!(fraction >= 0 && fraction <= 1)) checking_violation(session, 16, "progress got %g, 0 to 1 is allowed", fraction);
}

struct work {
  void (*body)(void *argument, uint32_t index);
  void *argument;
  uint32_t count, next;
};

static void *run(void *argument) {
  struct work *work = argument;
  is_body++;
  for (;;) {
    uint32_t index = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED);
    if (index >= work->count) break;
    work->body(work->argument, index);
  }
  is_body--;
  return NULL;
}

static void host_parallel_for(const imgcoder_host *host, uint32_t count, void (*body)(void *argument, uint32_t index),
                              void *argument) {
  checking_session *session = host->context;
  checking_session_call(session, "parallel_for");
  session->record.parallel_calls++;
  struct work work = {body, argument, count, 0};
  pthread_t threads[8];
  uint32_t wanted = session->settings.threads < 8 ? session->settings.threads : 8, made = 0;
  session->is_parallel = 1;
  while (made + 1 < wanted && made + 1 < count && !pthread_create(&threads[made], NULL, run, &work)) made++;
  run(&work);
  for (uint32_t i = 0; i < made; i++) pthread_join(threads[i], NULL);
  session->is_parallel = 0;
}

static const void *host_get_extension(const imgcoder_host *host, imgcoder_string id) {
  checking_session *session = host->context;
  if (id.length > IMGCODER_MAX_TEXT || !checking_is_utf8(id.bytes, id.length))
    checking_violation(session, 16, "get_extension got an identifier that is not text");
  return NULL;
}

checking_session *checking_session_new(const checking_settings *settings) {
  checking_session *session = calloc(1, sizeof *session);
  if (!session) abort();
  session->settings = *settings;
  pthread_mutex_init(&session->lock, NULL);
  session->limits = checking_struct_new(session, &settings->limits, sizeof(imgcoder_limits), "imgcoder_limits");
  uint32_t minor = settings->version == CHECKING_VERSION_FIRST ? 0 : IMGCODER_ABI_MINOR;
  imgcoder_host host = {0, minor, session, session->limits, host_fail, host_allocate, host_free, host_log,
                        host_is_cancelled, host_progress, host_parallel_for, host_get_extension, host_fail_with,
                        NULL};
  session->host = checking_struct_new(session, &host, sizeof host, "imgcoder_host");
  return session;
}

uint64_t checking_session_end(checking_session *session) {
  uint64_t left = session->record.live_bytes;
  while (session->blocks) {
    struct block *block = session->blocks;
    session->blocks = block->next;
    free(block->base);
  }
  checking_struct_end(session, session->host, NULL, sizeof(imgcoder_host), "imgcoder_host");
  checking_struct_end(session, session->limits, NULL, sizeof(imgcoder_limits), "imgcoder_limits");
  pthread_mutex_destroy(&session->lock);
  free(session);
  return left;
}

const imgcoder_host *checking_session_host(checking_session *session) { return session->host; }
checking_record *checking_session_record(checking_session *session) { return &session->record; }

void checking_session_clear(checking_session *session) {
  session->record.fail_calls = 0;
  session->record.status = 0;
  session->record.limit = IMGCODER_LIMIT_NONE;
  session->record.message_length = 0;
  session->record.message[0] = 0;
}

void checking_session_count_tasks(checking_session *session) {
  uint32_t count = checking_task_count();
  if (count > session->record.most_tasks) session->record.most_tasks = count;
}
