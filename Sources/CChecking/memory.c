// SPDX-License-Identifier: Apache-2.0
//
// Memory between pages that cannot be read.

#include "internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>

enum { PAGE = 4096 };

// What a fault in a page means. Written by one thread at a time, read by the handler of faults.
static struct watch {
  const uint8_t *first, *end;
  uint32_t rule;
  char text[120];
} watches[WATCHES];
static unsigned next_watch;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void watch(const uint8_t *first, uint64_t size, uint32_t rule, const char *text) {
  pthread_mutex_lock(&lock);
  struct watch *place = &watches[next_watch++ % WATCHES];
  place->first = first;
  place->end = first + size;
  place->rule = rule;
  snprintf(place->text, sizeof place->text, "%s", text);
  pthread_mutex_unlock(&lock);
}

int checking_find_watch(const void *address, uint32_t *rule, const char **text) {
  for (unsigned count = 0; count < WATCHES; count++) {
    // The latest first: addresses are used again.
    const struct watch *place = &watches[(next_watch - 1 - count) % WATCHES];
    if ((const uint8_t *)address >= place->first && (const uint8_t *)address < place->end) {
      *rule = place->rule;
      *text = place->text;
      return 1;
    }
  }
  return 0;
}

uint8_t *checking_guarded(uint64_t size, int at_start, uint32_t rule, const char *name) {
  uint64_t whole = (size + PAGE - 1) / PAGE * PAGE;
  if (whole == 0) whole = PAGE;
  uint8_t *base = mmap(NULL, whole + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return NULL;
  if (mprotect(base + PAGE, whole, PROT_READ | PROT_WRITE)) return NULL;
  char text[120];
  snprintf(text, sizeof text, "memory before %s", name);
  watch(base, PAGE, rule, text);
  snprintf(text, sizeof text, "memory after %s", name);
  watch(base + PAGE + whole, PAGE, rule, text);
  return base + PAGE + (at_start ? 0 : whole - size);
}

static uint8_t *base_of(uint8_t *memory) { return (uint8_t *)((uintptr_t)memory / PAGE * PAGE) - PAGE; }

// `memory` may be at the end of a page if `size` is 0.
static uint64_t whole_of(uint64_t size) { return size == 0 ? PAGE : (size + PAGE - 1) / PAGE * PAGE; }

void checking_unguard(uint8_t *memory, uint64_t size) {
  if (!memory) return;
  uint8_t *base = size == 0 ? memory - 2 * PAGE : base_of(memory);
  munmap(base, whole_of(size) + 2 * PAGE);
}

void checking_protect(uint8_t *memory, uint64_t size) {
  if (memory && size) mprotect(base_of(memory) + PAGE, whole_of(size), PROT_READ);
}

void checking_retire(uint8_t *memory, uint64_t size, uint32_t rule, const char *name) {
  if (!memory || !size) return;
  mprotect(base_of(memory) + PAGE, whole_of(size), PROT_NONE);
  watch(base_of(memory) + PAGE, whole_of(size), rule, name);
  // The oldest are given back.
  static struct { uint8_t *memory; uint64_t size; } retired[WATCHES / 4];
  static unsigned next;
  pthread_mutex_lock(&lock);
  unsigned place = next++ % (WATCHES / 4);
  uint8_t *oldest = retired[place].memory;
  uint64_t oldest_size = retired[place].size;
  retired[place].memory = memory;
  retired[place].size = size;
  pthread_mutex_unlock(&lock);
  checking_unguard(oldest, oldest_size);
}

// Bytes of a struct in version 1.0. None became smaller.
static uint32_t first_size(const char *name, uint32_t size) {
  if (strcmp(name, "imgcoder_info") == 0) return 104;
  if (strcmp(name, "imgcoder_offer") == 0) return 48;
  if (strcmp(name, "imgcoder_request") == 0) return 32;
  return size;
}

static uint32_t size_in(const checking_session *session, const char *name, uint32_t size) {
  return session->settings.version == CHECKING_VERSION_FIRST ? first_size(name, size) : size;
}

static uint32_t later_bytes(const checking_session *session) {
  return session->settings.version == CHECKING_VERSION_LATER ? LATER : 0;
}

void *checking_struct_new(checking_session *session, const void *content, uint32_t size, const char *name) {
  uint32_t later = later_bytes(session);
  size = size_in(session, name, size);
  uint8_t *memory = checking_guarded(size + later, 0, 16, name);
  if (!memory) abort();
  memcpy(memory, content, size);
  uint32_t stated = size + later;
  memcpy(memory, &stated, sizeof stated);
  memset(memory + size, 0xA5, later);
  return memory;
}

int checking_struct_end(checking_session *session, void *pointer, void *content, uint32_t size, const char *name) {
  uint32_t later = later_bytes(session);
  uint8_t *memory = pointer;
  if (content) memset(content, 0, size);
  size = size_in(session, name, size);
  int is_untouched = 1;
  for (uint32_t place = size; place < size + later; place++) is_untouched &= memory[place] == 0xA5;
  if (content) memcpy(content, memory, size);
  checking_unguard(memory, size + later);
  return is_untouched;
}

int checking_is_readable(const void *bytes, uint64_t length) {
  const uint8_t *next = bytes;
  while (length > 0) {
    uint64_t step = PAGE - (uintptr_t)next % PAGE;
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)next, 1};
    // Where the call is not allowed, nothing is known.
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != 1) return errno == EPERM || errno == ENOSYS;
    if (step >= length) break;
    next += step;
    length -= step;
  }
  return 1;
}

int checking_is_utf8(const char *text, uint64_t length) {
  const uint8_t *bytes = (const uint8_t *)text;
  for (uint64_t i = 0; i < length;) {
    uint8_t first = bytes[i];
    uint32_t more = first < 0x80 ? 0 : first >= 0xC2 && first < 0xE0 ? 1 : first >= 0xE0 && first < 0xF0 ? 2
                    : first >= 0xF0 && first < 0xF5 ? 3 : 4;
    if (more == 4 || i + more >= length) return 0;
    for (uint32_t k = 1; k <= more; k++) if ((bytes[i + k] & 0xC0) != 0x80) return 0;
    if ((first == 0xE0 && bytes[i + 1] < 0xA0) || (first == 0xED && bytes[i + 1] > 0x9F) ||
        (first == 0xF0 && bytes[i + 1] < 0x90) || (first == 0xF4 && bytes[i + 1] > 0x8F)) return 0;
    i += more + 1;
  }
  return 1;
}
