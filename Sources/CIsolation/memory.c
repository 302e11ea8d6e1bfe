// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CIsolation.h"

// Newer than some headers.
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

int isolation_memory(size_t size, int may_grow) {
  int memory = memfd_create("imgcoder", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -1;
  int seals = F_SEAL_SHRINK | (may_grow ? 0 : F_SEAL_GROW);
  if (ftruncate(memory, (off_t)size) == 0 && fcntl(memory, F_ADD_SEALS, seals) == 0) return memory;
  int problem = errno;
  close(memory);
  errno = problem;
  return -1;
}

int isolation_close_to_writers(int memory, int may_grow) {
  int seals = F_SEAL_FUTURE_WRITE | (may_grow ? 0 : F_SEAL_SEAL);
  return fcntl(memory, F_ADD_SEALS, seals) == 0;
}
