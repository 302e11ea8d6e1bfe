// SPDX-License-Identifier: Apache-2.0
//
// Filters of system calls. What is not listed ends the process with SIGSYS. What an honest library asks without need, for
// the machine or for files, is answered with an error.

#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the filter does not know this processor's system calls"
#endif

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif

static struct sock_filter program[512];
static unsigned short count;

static void put(uint16_t code, uint32_t value, uint8_t yes, uint8_t no) {
  if (count < sizeof program / sizeof *program) program[count++] = (struct sock_filter)BPF_JUMP(code, value, yes, no);
}

static void load(size_t offset) { put(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }
static void answer(uint32_t action) { put(BPF_RET | BPF_K, action, 0, 0); }
// The lower half comes first in memory: both processors are little-endian here.
static void load_argument(unsigned index, int upper) {
  load(offsetof(struct seccomp_data, args) + index * sizeof(uint64_t) + (upper ? 4 : 0));
}

static void begin(void) {
  count = 0;
  load(offsetof(struct seccomp_data, arch));
  put(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  answer(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(struct seccomp_data, nr));
  // Calls of the x32 interface have this bit.
  put(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
  answer(SECCOMP_RET_KILL_PROCESS);
}

static void on(long call, uint32_t action) {
  put(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
  answer(action);
}

static void allow(long call) { on(call, SECCOMP_RET_ALLOW); }
static void refuse(long call, int error) { on(call, SECCOMP_RET_ERRNO | (uint32_t)error); }

// Allows a call if none of some bits of an argument is set.
static void allow_without(long call, unsigned argument, uint32_t bits) {
  put(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4);
  load_argument(argument, 0);
  put(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
  answer(SECCOMP_RET_KILL_PROCESS);
  answer(SECCOMP_RET_ALLOW);
}

// Allows a call if an argument has a value, all of its 64 bits.
static void allow_only(long call, unsigned argument, uint32_t value) {
  put(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 6);
  load_argument(argument, 0);
  put(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 3);
  load_argument(argument, 1);
  put(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
  answer(SECCOMP_RET_ALLOW);
  answer(SECCOMP_RET_KILL_PROCESS);
}

// Memory, locks, time, and questions that harm nobody.
static void put_common(void) {
  allow(SYS_recvmsg);
  allow(SYS_futex);
  allow(SYS_brk);
  allow_without(SYS_mmap, 2, PROT_EXEC);
  allow_without(SYS_mprotect, 2, PROT_EXEC);
  allow(SYS_munmap);
  allow(SYS_mremap);
  allow(SYS_madvise);
  allow(SYS_close);
  allow(SYS_gettid);
  allow(SYS_getpid);
  allow(SYS_sysinfo);
  allow(SYS_uname);
  allow(SYS_sched_getaffinity);
  allow(SYS_sched_yield);
  allow(SYS_getrandom);
  allow(SYS_clock_gettime);
  allow(SYS_clock_nanosleep);
  allow(SYS_gettimeofday);
  allow(SYS_rt_sigprocmask);
  allow(SYS_rt_sigreturn);
  allow(SYS_restart_syscall);
  allow(SYS_membarrier);
  allow(SYS_exit);
  allow(SYS_exit_group);
  refuse(SYS_openat, EPERM);
  refuse(SYS_newfstatat, EPERM);
  refuse(SYS_fstat, EPERM);
  refuse(SYS_faccessat, EPERM);
  refuse(SYS_readlinkat, EPERM);
  refuse(SYS_getcwd, EPERM);
  refuse(SYS_ioctl, EPERM);
#ifdef SYS_open
  refuse(SYS_open, EPERM);
  refuse(SYS_stat, EPERM);
  refuse(SYS_lstat, EPERM);
  refuse(SYS_access, EPERM);
  refuse(SYS_readlink, EPERM);
#endif
#ifdef SYS_clone3
  // The C library takes the older call then.
  refuse(SYS_clone3, ENOSYS);
#endif
}

// For all threads, those that wait for work too.
static int install(void) {
  answer(SECCOMP_RET_KILL_PROCESS);
  struct sock_fprog filter = {count, program};
  if (count >= sizeof program / sizeof *program) return 0;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

int filter_worker(void) {
  begin();
  // A message goes to the other end of the socket, and nowhere else.
  allow_only(SYS_sendto, 4, 0);
  allow(SYS_recvfrom);
  allow_only(SYS_write, 0, STDERR_FILENO);
  // What the C library says before it aborts.
  allow_only(SYS_writev, 0, STDERR_FILENO);
  // Threads of a library name themselves, and do without.
  put(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 4);
  load_argument(0, 0);
  put(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_NAME, 0, 1);
  answer(SECCOMP_RET_ERRNO | EPERM);
  answer(SECCOMP_RET_KILL_PROCESS);
  // abort() sends itself SIGABRT.
  put(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 6);
  load_argument(0, 0);
  put(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 0, 3);
  load_argument(2, 0);
  put(BPF_JMP | BPF_JEQ | BPF_K, SIGABRT, 0, 1);
  answer(SECCOMP_RET_ALLOW);
  answer(SECCOMP_RET_KILL_PROCESS);
#ifdef SYS_clone3
  on(SYS_clone3, SECCOMP_RET_KILL_PROCESS);
#endif
  put_common();
  return install();
}

// Namespaces are made before; none is made later.
static const uint32_t namespace_flags = 0x7E020000U;

int filter_server(void) {
  const long calls[] = {
      SYS_sendto,       SYS_sendmsg,      SYS_recvfrom,      SYS_write,   SYS_ppoll,  SYS_wait4,     SYS_waitid,
      SYS_close_range,  SYS_dup3,         SYS_fcntl,         SYS_prctl,   SYS_seccomp, SYS_prlimit64, SYS_getrlimit,
      SYS_setrlimit,    SYS_rt_sigaction, SYS_getppid,       SYS_pidfd_open, SYS_kill, SYS_tgkill,  SYS_set_robust_list,
      SYS_set_tid_address, SYS_rseq,
#ifdef SYS_poll
      SYS_poll,         SYS_dup2,
#endif
  };
  begin();
  for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) allow(calls[index]);
  allow_without(SYS_clone, 0, namespace_flags);
#ifdef SYS_fork
  allow(SYS_fork);
#endif
  put_common();
  return install();
}
