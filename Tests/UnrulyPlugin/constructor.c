// SPDX-License-Identifier: Apache-2.0
//
// A library that does something when it is loaded, against rule R1: -DABORTS, -DSEGV, -DEXITS, -DEXITS_AT_ONCE, -DHANGS, -DSTAYS;
// without any of them it does nothing, and says that it cannot work.

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <stdio.h>
#include "imgcoder/imgcoder.h"
__attribute__((constructor)) static void start(void) {
  puts("loaded");
#if defined(ABORTS)
  abort();
#elif defined(SEGV)
  *(volatile int *)8 = 1;
#elif defined(EXITS)
  exit(0);
#elif defined(EXITS_AT_ONCE)
  _exit(7);
#elif defined(HANGS)
  for (;;) pause();
#elif defined(STAYS)
  // Out of reach of those who wait for an answer, for the group to end, or for a signal of the clock.
  for (int number = 3; number < 1024; number++) close(number);
  if (fork() == 0) {
    for (;;) pause();
  }
  setpgid(0, getpgid(getppid()));
  signal(SIGALRM, SIG_IGN);
  for (;;) pause();
#endif
}
static const imgcoder_coder *describe(const imgcoder_host *host) { (void)host; return NULL; }
IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
    sizeof(imgcoder_entry), IMGCODER_ABI_MAJOR, IMGCODER_ABI_MINOR, 0, IMGCODER_ENTRY_MAGIC, describe};
