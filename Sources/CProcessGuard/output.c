// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "CProcessGuard.h"

// A closed descriptor would be given to the next file that is opened, and what is printed would land in it. Reading from
// it still fails as from a closed one.
static void fill(int descriptor) {
  if (fcntl(descriptor, F_GETFD) >= 0) return;
  int opened = open("/dev/null", O_WRONLY);
  if (opened < 0 || opened == descriptor) return;
  dup2(opened, descriptor);
  close(opened);
}

int processguard_take_output(void) {
  int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  fill(STDIN_FILENO);
  fill(STDERR_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return output;
}
