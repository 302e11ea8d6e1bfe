// SPDX-License-Identifier: Apache-2.0

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"

// A block of the session, with the others in a list, so that what the plugin leaves is freed with its file.
typedef struct block {
  struct block *previous, *next;
  uint64_t span, total;
} block;

static block *first;
static uint64_t used;
// Lines of one file; what comes after them is not said.
static uint32_t lines;
static const uint32_t most_lines = 1000;
static double progressed;

static imgcoder_status fail_with(const imgcoder_host *host, const imgcoder_failure *given) {
  (void)host;
  session *s = &the_session;
  imgcoder_failure failure = imgcoder_failure_read(given);
  imgcoder_string message = failure.message;
  uint64_t length = message.bytes ? message.length : 0;
  s->failure = failure.status;
  s->failure_offset = failure.offset;
  s->failure_limit = failure.limit < ISOLATION_MOST_LIMITS ? failure.limit : 0;
  s->failure_found = failure.found;
  s->failure_allowed = failure.allowed;
  s->failure_length = length < ISOLATION_MAX_SENTENCE ? (uint32_t)length : ISOLATION_MAX_SENTENCE;
  memcpy(s->failure_text, message.bytes ? message.bytes : "", s->failure_length);
  return failure.status;
}

static imgcoder_status fail(const imgcoder_host *host, imgcoder_status status, int64_t offset, imgcoder_string message) {
  imgcoder_failure failure = imgcoder_failure_sized();
  failure.status = status;
  failure.offset = offset;
  failure.message = message;
  return fail_with(host, &failure);
}

static void *allocate(const imgcoder_host *host, uint64_t size, uint64_t alignment) {
  (void)host;
  if (alignment == 0) alignment = 16;
  if (alignment > 4096 || (alignment & (alignment - 1)) != 0) return NULL;
  uint64_t span = alignment > sizeof(block) ? alignment : sizeof(block);
  uint64_t budget = the_session.limits.max_memory;
  if (used > budget || size > budget - used || size > UINT64_MAX - span) return NULL;
  void *memory = NULL;
  if (posix_memalign(&memory, span < 32 ? 32 : span, size + span) != 0) return NULL;
  uint8_t *start = (uint8_t *)memory + span;
  block *head = (block *)(void *)(start - sizeof(block));
  *head = (block){NULL, first, span, size + span};
  if (first) first->previous = head;
  first = head;
  used += head->total;
  return start;
}

static void release(const imgcoder_host *host, void *memory) {
  (void)host;
  if (!memory) return;
  block *head = (block *)memory - 1;
  if (head->previous) head->previous->next = head->next;
  else first = head->next;
  if (head->next) head->next->previous = head->previous;
  used -= head->total;
  free((uint8_t *)memory - head->span);
}

static void say(const imgcoder_host *host, uint32_t severity, imgcoder_string message) {
  (void)host;
  if (!message.bytes || lines >= most_lines) return;
  lines += 1;
  uint32_t length = message.length < ISOLATION_MAX_SENTENCE ? (uint32_t)message.length : ISOLATION_MAX_SENTENCE;
  send_message(ISOLATION_LOG, (isolation_message){.words = {severity}}, message.bytes, length);
}

static uint32_t is_cancelled(const imgcoder_host *host) {
  (void)host;
  isolation_control *control = (isolation_control *)(void *)the_session.shared;
  return __atomic_load_n(&control->is_cancelled, __ATOMIC_RELAXED) != 0;
}

static void progress(const imgcoder_host *host, double fraction) {
  (void)host;
  // A hundred steps are enough for a person.
  if (!(fraction >= 0 && fraction <= 1) || (fraction > progressed && fraction < progressed + 0.01 && fraction < 1)) return;
  progressed = fraction;
  isolation_message message = {0};
  memcpy(&message.longs[0], &fraction, sizeof fraction);
  send_message(ISOLATION_PROGRESS, message, NULL, 0);
}

typedef struct job {
  void (*body)(void *, uint32_t);
  void *argument;
  uint32_t count;
  uint64_t next;
} job;

static void *take_part(void *argument) {
  job *job = argument;
  uint64_t index;
  while ((index = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED)) < job->count) {
    job->body(job->argument, (uint32_t)index);
  }
  return NULL;
}

static void parallel_for(const imgcoder_host *host, uint32_t count, void (*body)(void *, uint32_t), void *argument) {
  (void)host;
  if (!body) return;
  job job = {body, argument, count, 0};
  pthread_t helpers[8];
  unsigned made = 0, most = threads_helpers();
  while (made < most && made < 8 && made + 1 < count && pthread_create(&helpers[made], NULL, take_part, &job) == 0) {
    made += 1;
  }
  take_part(&job);
  while (made > 0) pthread_join(helpers[--made], NULL);
}

static imgcoder_status spend(const imgcoder_host *host, uint32_t kind, uint64_t bytes) {
  if (kind != IMGCODER_WORK_INFLATED) return IMGCODER_STATUS_OK;
  session *s = &the_session;
  // More than this is never allowed, and sums of it do not overflow.
  if (bytes > UINT64_MAX / 4) bytes = UINT64_MAX / 4;
  if (__atomic_add_fetch(&s->inflated, bytes, __ATOMIC_RELAXED) <= s->may_inflate) return IMGCODER_STATUS_OK;
  // The program counts too, and says how much was allowed.
  static const imgcoder_string more = IMGCODER_TEXT("the call may not inflate more");
  return imgcoder_fail_limit(host, IMGCODER_LIMIT_INFLATED, 0, 0, -1, more);
}

static const void *get_extension(const imgcoder_host *host, imgcoder_string id) {
  (void)host;
  (void)id;
  return NULL;
}

void services_begin(const imgcoder_limits *limits) {
  session *s = &the_session;
  s->limits = *limits;
  s->failure = 0;
  s->failure_length = 0;
  s->failure_offset = -1;
  lines = 0;
  progressed = 0;
  memset(&s->host, 0, sizeof s->host);
  s->host.struct_size = sizeof s->host;
  s->host.abi_minor = IMGCODER_ABI_MINOR;
  s->host.context = s;
  s->host.limits = &s->limits;
  s->host.fail = fail;
  s->host.allocate = allocate;
  s->host.free = release;
  s->host.log = say;
  s->host.is_cancelled = is_cancelled;
  s->host.progress = progress;
  s->host.parallel_for = parallel_for;
  s->host.get_extension = get_extension;
  s->host.fail_with = fail_with;
  s->host.spend = spend;
}

void services_end(void) {
  while (first) release(NULL, first + 1);
  used = 0;
}

imgcoder_status services_fail_without(const char *call, imgcoder_status status) {
  char text[60];
  int length = snprintf(text, sizeof text, "the plugin has no %s", call);
  imgcoder_string message = {text, (uint64_t)length};
  return fail(&the_session.host, status, -1, message);
}

imgcoder_status services_lacks(const char *call) { return services_fail_without(call, IMGCODER_STATUS_LIBRARY); }
