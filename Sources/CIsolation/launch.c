// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "CIsolation.h"

// What fontconfig and the layout of text ask of the environment: which fonts a user has, and the language.
static const char *const font_variables[] = {
    "HOME",          "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH",
    "FONTCONFIG_SYSROOT", "LANG",     "LANGUAGE",        "LC_ALL",         "LC_CTYPE",        "LC_MESSAGES",
};
enum { FONT_VARIABLES = sizeof font_variables / sizeof *font_variables };

// What has no bytes and takes none. An image of a program alone has no devices.
static int open_nothing(void) {
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing >= 0) return nothing;
  nothing = memfd_create("nothing", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (nothing >= 0) fcntl(nothing, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SHRINK);
  return nothing;
}

pid_t isolation_launch(
  const char *worker, const char *name, const char *library, const char *id, const char *runtime, uint32_t without,
  uint32_t needs, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&actions) != 0) return -1;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return -1;
  }
  int nothing = open_nothing();
  for (int stream = 0; stream < 3; stream++) posix_spawn_file_actions_adddup2(&actions, nothing, stream);
  // Duplicated first: the number may be that of a stream or of ISOLATION_SOCKET itself, which keeps its close-on-exec. The
  // next one is as good as a higher one, which a program may not have.
  int own = fcntl(socket, F_DUPFD_CLOEXEC, ISOLATION_SOCKET + 1);
  posix_spawn_file_actions_adddup2(&actions, own, ISOLATION_SOCKET);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  // A signal of the terminal is for the program, which ends its workers by itself.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  char layers[16], asked[16];
  snprintf(layers, sizeof layers, "%u", without);
  snprintf(asked, sizeof asked, "%u", needs);
  char *const arguments[] = {(char *)name, (char *)library, (char *)id, layers, asked, NULL};
  char *variables[3 + FONT_VARIABLES] = {"SWIFT_BACKTRACE=enable=no"};
  int count = 1;
  if (runtime && asprintf(&variables[count], "LD_LIBRARY_PATH=%s", runtime) > 0) count += 1;
  else variables[count] = NULL;
  for (int index = 0; index < FONT_VARIABLES && (needs & ISOLATION_NEEDS_FONTS); index++) {
    const char *value = secure_getenv(font_variables[index]);
    if (value && asprintf(&variables[count], "%s=%s", font_variables[index], value) > 0) count += 1;
    else variables[count] = NULL;
  }
  pid_t process = -1;
  int problem = own < 0 || nothing < 0 ? errno : posix_spawn(&process, worker, &actions, &attributes, arguments, variables);
  if (own >= 0) close(own);
  if (nothing >= 0) close(nothing);
  while (count > 1) free(variables[--count]);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  errno = problem;
  return problem == 0 ? process : -1;
}

int isolation_wait(pid_t process, uint32_t milliseconds) {
  const struct timespec pause = {0, 1000000};
  int status = 0;
  // A process that the system does not end, for it waits for a disk, is left to the system.
  for (uint32_t turn = 0; turn <= milliseconds; turn++) {
    pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process) return status;
    if (ended < 0 && errno != EINTR) return 0;
    nanosleep(&pause, NULL);
  }
  return 0;
}

void isolation_kill(int process) {
#ifdef SYS_pidfd_send_signal
  syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0);
#else
  (void)process;
#endif
}

pid_t isolation_number(int process) {
  char path[64], line[128];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", process);
  FILE *file = fopen(path, "re");
  long number = -1;
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "Pid: %ld", &number) == 1) break;
  }
  if (file) fclose(file);
  return number > 0 ? (pid_t)number : -1;
}

clockid_t isolation_clock(pid_t process) {
  clockid_t clock;
  return process > 0 && clock_getcpuclockid(process, &clock) == 0 ? clock : ISOLATION_NO_CLOCK;
}

int64_t isolation_processor_time(clockid_t clock) {
  struct timespec time;
  if (clock == ISOLATION_NO_CLOCK || clock_gettime(clock, &time) != 0) return -1;
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t isolation_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

uint32_t isolation_confinement(void) {
  uint32_t found = 0;
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) found |= ISOLATION_NO_NEW_PRIVILEGES;
  if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) > 0) found |= ISOLATION_SECCOMP;
  return found;
}
