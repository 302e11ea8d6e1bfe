// SPDX-License-Identifier: Apache-2.0

// Lets one large allocation of a program fail: LD_PRELOAD for scripts/check-allocations.
//
// ALLOCATION_LEAST   bytes from which on an allocation is large
// ALLOCATION_FAILS   which large one fails, counted from 1; 0 for none
// ALLOCATION_COUNT   a file that gets the number of large allocations when the program ends in order

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The C library's own, which stay reachable where their names are taken.
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static atomic_long count;
static size_t least = SIZE_MAX;
static long failing;

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("ALLOCATION_LEAST");
  const char *which = getenv("ALLOCATION_FAILS");
  if (which) failing = atol(which);
  if (text) least = strtoul(text, NULL, 10);
  // Processes that the program starts are not the ones that are tried.
  unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("ALLOCATION_COUNT");
  if (!path) return;
  char text[32];
  int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&count));
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (write(file, text, (size_t)length) < 0) { /* Nobody is left to be told. */ }
  close(file);
}

// Bytes of the large block that the thread has given back last: it gets as many again. So a test of whether there is memory
// counts for the allocation after it.
static _Thread_local size_t given_back;

static int fails(size_t size) {
  if (size < least) return 0;
  if (size <= given_back) {
    given_back = 0;
    return 0;
  }
  if (atomic_fetch_add(&count, 1) + 1 != failing) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return fails(size) ? NULL : __libc_malloc(size); }

void *calloc(size_t number, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(number, size, &bytes)) return errno = ENOMEM, NULL;
  return fails(bytes) ? NULL : __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) { return fails(size) ? NULL : __libc_realloc(old, size); }

void *memalign(size_t alignment, size_t size) { return fails(size) ? NULL : __libc_memalign(alignment, size); }

void free(void *memory) {
  size_t size = memory ? malloc_usable_size(memory) : 0;
  if (size >= least) given_back = size;
  __libc_free(memory);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  int before = errno;
  void *found = memalign(alignment, size);
  errno = before;
  if (!found) return ENOMEM;
  *memory = found;
  return 0;
}
