// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CHostSystem.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

const char *chostsystem_secure_getenv(const char *name) { return secure_getenv(name); }

char *const *chostsystem_environment(void) { return environ; }

const char *chostsystem_library_of(const char *symbol) {
  Dl_info info;
  void *address = dlsym(RTLD_DEFAULT, symbol);
  return address && dladdr(address, &info) ? info.dli_fname : NULL;
}

int chostsystem_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0; }

void chostsystem_sync_file_system(int descriptor) { (void)syncfs(descriptor); }

int chostsystem_wait(sem_t *semaphore, long nanoseconds) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += nanoseconds;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    until.tv_sec += 1;
  }
  int result;
  do {
    result = sem_clockwait(semaphore, CLOCK_MONOTONIC, &until);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

void chostsystem_give_memory_back(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
