// SPDX-License-Identifier: Apache-2.0
//
// Filters of system calls. A question is answered, if only with an error: libraries ask for files and for the machine
// without need. What is not listed is an attempt, and ends the process; the call itself never runs.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
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
// What becomes of an attempt: a signal that ends the process, and that a worker takes to say which call it was. A worker has
// the filter of its server, too, and the stricter answer of the two counts: both answer an attempt and a question alike.
static const uint32_t attempt = SECCOMP_RET_TRAP;

static uint32_t *refused_call;

static void note_refused_call(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  __atomic_store_n(refused_call, (uint32_t)info->si_syscall + 1, __ATOMIC_RELAXED);
  syscall(SYS_exit_group, ISOLATION_STATUS_REFUSED_CALL);
}

void filter_notes_refused_calls(uint32_t *place) {
  // A plugin that has used up its own stack may make a call, too.
  static char stack[16384];
  stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_sigaction = note_refused_call, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  refused_call = place;
  sigaltstack(&own, NULL);
  sigaction(SIGSYS, &action, NULL);
}

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
  answer(attempt);
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
  answer(attempt);
}

// Allows a call if an argument of 32 bits is one of a few values.
static void allow_values(long call, unsigned argument, const uint32_t *values, uint8_t value_count, uint32_t otherwise) {
  put(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, (uint8_t)(value_count * 2 + 2));
  load_argument(argument, 0);
  for (uint8_t index = 0; index < value_count; index++) {
    put(BPF_JMP | BPF_JEQ | BPF_K, values[index], 0, 1);
    answer(SECCOMP_RET_ALLOW);
  }
  answer(otherwise);
}

// Waiting and waking, and the locks that Swift's Mutex takes: with priorities, and of this process alone. No waiter is moved from
// one lock to another, which the C library has not done since 2.25.
static void put_locks(void) {
  const uint32_t operations[] = {
      FUTEX_WAIT,
      FUTEX_WAIT_PRIVATE,
      FUTEX_WAKE,
      FUTEX_WAKE_PRIVATE,
      FUTEX_WAIT_BITSET,
      FUTEX_WAIT_BITSET_PRIVATE,
      FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME,
      FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME,
      FUTEX_WAKE_BITSET,
      FUTEX_WAKE_BITSET_PRIVATE,
      FUTEX_LOCK_PI_PRIVATE,
      FUTEX_UNLOCK_PI_PRIVATE,
      FUTEX_TRYLOCK_PI_PRIVATE,
  };
  allow_values(SYS_futex, 1, operations, sizeof operations / sizeof *operations, attempt);
}

// Advice about pages of its own. Pages are shared with no other process for being alike (KSM), which would tell what others
// have; other advice is answered as a system does that does not know it.
static void put_advice(void) {
  const uint32_t advice[] = {
      MADV_NORMAL, MADV_RANDOM,   MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED, MADV_FREE,
      MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP,   MADV_DODUMP,
  };
  allow_values(SYS_madvise, 2, advice, sizeof advice / sizeof *advice, SECCOMP_RET_ERRNO | EINVAL);
}

// Files that are read: which ones, another layer says. An answer stands before those of all workers, and so counts.
static void put_reading(void) {
  const uint32_t of_descriptors[] = {F_GETFD, F_SETFD, F_GETFL};
  put(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)SYS_openat, 0, 4);
  load_argument(2, 0);
  put(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0, 1);
  answer(SECCOMP_RET_ERRNO | EPERM);
  answer(SECCOMP_RET_ALLOW);
  allow_values(SYS_fcntl, 1, of_descriptors, sizeof of_descriptors / sizeof *of_descriptors,
               SECCOMP_RET_ERRNO | EPERM);
  allow(SYS_newfstatat);
  allow(SYS_fstat);
  allow(SYS_faccessat);
  allow(SYS_read);
  allow(SYS_pread64);
  allow(SYS_lseek);
  allow(SYS_getdents64);
#ifdef SYS_access
  allow(SYS_access);
#endif
}

// What libraries ask of the machine, of signals and of the network, and do without.
static void put_questions(void) {
  const long questions[] = {
      SYS_statx,          SYS_statfs,         SYS_fstatfs,        SYS_getdents64,   SYS_fadvise64,  SYS_fcntl,
      SYS_rt_sigaction,   SYS_socket,         SYS_connect,        SYS_getpeername,  SYS_getsockname, SYS_getsockopt,
      SYS_prctl,          SYS_sched_setaffinity, SYS_sched_setparam, SYS_sched_setscheduler, SYS_sched_getparam,
      SYS_sched_getscheduler, SYS_setpriority, SYS_mbind,         SYS_get_mempolicy, SYS_pipe2,     SYS_inotify_init1,
  };
  for (size_t index = 0; index < sizeof questions / sizeof *questions; index++) refuse(questions[index], EPERM);
  allow(SYS_getuid);
  allow(SYS_geteuid);
  allow(SYS_getgid);
  allow(SYS_getegid);
  allow(SYS_sigaltstack);
  allow(SYS_eventfd2);
  // Without a new limit.
  allow_only(SYS_prlimit64, 2, 0);
}

// Memory, locks, time, and questions that harm nobody.
static void put_common(void) {
  put_questions();
  allow(SYS_recvmsg);
  put_locks();
  allow(SYS_brk);
  allow_without(SYS_mmap, 2, PROT_EXEC);
  allow_without(SYS_mprotect, 2, PROT_EXEC);
  allow(SYS_munmap);
  allow(SYS_mremap);
  put_advice();
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
  answer(attempt);
  struct sock_fprog filter = {count, program};
  if (count >= sizeof program / sizeof *program) return 0;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

int filter_worker(int reads_files) {
  begin();
  if (reads_files) put_reading();
  // A message goes to the other end of the socket, and nowhere else.
  allow_only(SYS_sendto, 4, 0);
  allow(SYS_recvfrom);
  allow_only(SYS_write, 0, STDERR_FILENO);
  // What the C library says before it aborts.
  allow_only(SYS_writev, 0, STDERR_FILENO);
  // abort() sends itself SIGABRT.
  put(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 6);
  load_argument(0, 0);
  put(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 0, 3);
  load_argument(2, 0);
  put(BPF_JMP | BPF_JEQ | BPF_K, SIGABRT, 0, 1);
  answer(SECCOMP_RET_ALLOW);
  answer(attempt);
  // Threads are there already. A signal could not name this call, since the C library blocks all of them around it.
  refuse(SYS_clone, EAGAIN);
  put_common();
  return install();
}

// Namespaces are made before; none is made later.
static const uint32_t namespace_flags = 0x7E020000U;

int filter_server(int reads_files) {
  const long calls[] = {
      SYS_sendto,       SYS_sendmsg,      SYS_recvfrom,      SYS_write,   SYS_ppoll,  SYS_wait4,     SYS_waitid,
      SYS_close_range,  SYS_dup3,         SYS_fcntl,         SYS_prctl,   SYS_seccomp, SYS_prlimit64, SYS_getrlimit,
      SYS_setrlimit,    SYS_rt_sigaction, SYS_sigaltstack, SYS_getppid,       SYS_pidfd_open, SYS_kill, SYS_tgkill,  SYS_set_robust_list,
      SYS_set_tid_address, SYS_rseq,
#ifdef SYS_poll
      SYS_poll,         SYS_dup2,
#endif
  };
  begin();
  for (size_t index = 0; index < sizeof calls / sizeof *calls; index++) allow(calls[index]);
  allow_without(SYS_clone, 0, namespace_flags);
  if (reads_files) put_reading();
#ifdef SYS_fork
  allow(SYS_fork);
#endif
  put_common();
  return install();
}
