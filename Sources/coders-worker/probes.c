// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker.h"

// Memory and time enough for what a probe does.
static const uint64_t probe_memory = (uint64_t)1 << 40;
static const uint64_t probe_seconds = 10;

static void make_memory(void) { syscall(SYS_memfd_create, "probe", 0); }

static void make_socket(void) {
  if (socket(AF_UNIX, SOCK_STREAM, 0) < 0 && errno == EPERM) _exit(42);
}

static void make_code(void) {
  mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void open_file(void) {
  // Straight to the kernel: the answer is the filter's, with or without the other layers. To write, even where fonts are read.
  if (syscall(SYS_openat, AT_FDCWD, "/", O_RDWR | O_CREAT, 0) < 0 && errno == EPERM) _exit(42);
}

static void read_file(void) {
  int file = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
  if (file < 0 && (errno == EPERM || errno == EACCES || errno == ENOENT)) _exit(42);
}

// How a locked child ends: the signal, or the status if there is none.
static int end_of(void (*act)(void), uint32_t server, uint32_t without) {
  pid_t child = fork();
  if (child == 0) {
    layers_of_worker(server, without, probe_memory, probe_seconds);
    act();
    _exit(0);
  }
  int status = 0;
  if (child < 0) return 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

int probe_filter(uint32_t server, uint32_t without) {
  return end_of(make_memory, server, without) == SIGSYS && end_of(make_code, server, without) == SIGSYS &&
         end_of(make_socket, server, without) == 42 && end_of(open_file, server, without) == 42 &&
         end_of(read_file, server, without) == 42;
}
