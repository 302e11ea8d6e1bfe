// SPDX-License-Identifier: Apache-2.0
//
// The process of one check: its faults, its state and how it is made.

#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

static checking_stage *shared;

int checking_stage_file(void) {
  int file = memfd_create("stage", MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, sizeof(checking_stage))) {
    close(file);
    return -1;
  }
  return file;
}

checking_stage *checking_stage_map(int file) {
  void *memory = mmap(NULL, sizeof(checking_stage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static void on_fault(int number, siginfo_t *info, void *context) {
  (void)context;
  if (shared) {
    const char *text;
    uint32_t rule;
    shared->signal = (uint32_t)number;
    if ((number == SIGSEGV || number == SIGBUS) && checking_find_watch(info->si_addr, &rule, &text)) {
      shared->fault_rule = rule;
      strncpy(shared->fault, text, sizeof shared->fault - 1);
    }
  }
  signal(number, SIG_DFL);
  raise(number);
}

void checking_catch_faults(checking_stage *stage) {
  static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
  shared = stage;
  stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  if (stack.ss_sp) sigaltstack(&stack, NULL);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(numbers[i], &action, NULL);
  }
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

void checking_limit_memory(uint64_t bytes) {
  struct rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
}

uint64_t checking_malloc_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

uint32_t checking_task_count(void) {
  DIR *folder = opendir("/proc/self/task");
  if (!folder) return 1;
  uint32_t count = 0;
  for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

uint64_t checking_process_state(char *text, uint64_t capacity) {
  size_t length = 0;
#define ADD(...)                                                                          \
  do {                                                                                    \
    int added = snprintf(text + length, capacity - length, __VA_ARGS__);                  \
    if (added > 0) length = length + (size_t)added < capacity ? length + (size_t)added : capacity - 1; \
  } while (0)
  char folder[4096];
  ADD("the working directory: %s\n", getcwd(folder, sizeof folder) ? folder : "?");
  ADD("the locale: %s\n", setlocale(LC_ALL, NULL));
  mode_t mask = umask(0);
  umask(mask);
  ADD("the umask: %03o\n", (unsigned)mask);
  for (int number = 1; number < 65; number++) {
    struct sigaction action;
    if (sigaction(number, NULL, &action)) continue;
    ADD("the handler of signal %d: %p, flags %x\n", number, (void *)(uintptr_t)action.sa_handler, (unsigned)action.sa_flags);
  }
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, NULL, &blocked);
  for (int number = 1; number < 65; number++)
    if (sigismember(&blocked, number) == 1) ADD("the signal mask: %d is blocked\n", number);
  for (int resource = 0; resource < 16; resource++) {
    struct rlimit limit;
    if (!getrlimit(resource, &limit))
      ADD("resource limit %d: %llu of %llu\n", resource, (unsigned long long)limit.rlim_cur,
          (unsigned long long)limit.rlim_max);
  }
  for (int file = 0; file < 256; file++) {
    char name[64], target[512];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t size = readlink(name, target, sizeof target - 1);
    if (size < 0) continue;
    target[size] = 0;
    ADD("file descriptor %d: %s\n", file, target);
  }
  extern char **environ;
  for (char **variable = environ; variable && *variable; variable++) ADD("the environment: %s\n", *variable);
#undef ADD
  return length;
}

int checking_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

int checking_spawn(const char *path, char *const *arguments, char *const *environment, const int *descriptors,
                   const int *numbers, uint32_t count, int *child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t every, none;
  sigfillset(&every);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &every);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  // The caller's descriptors are above all numbers, so that none is overwritten before it is used.
  for (uint32_t i = 0; i < count; i++) posix_spawn_file_actions_adddup2(&actions, descriptors[i], numbers[i]);
  pid_t process = 0;
  int error = posix_spawn(&process, path, &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  *child = (int)process;
  return error;
}
