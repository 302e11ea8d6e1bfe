// SPDX-License-Identifier: Apache-2.0
//
// What the filters of coders-worker make of calls, by running their programs here as the kernel does. Calls have other numbers
// on other processors, so this is built and run for each. The real thing, with real calls, is in Tests/HostilePlugin.

#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

// Instead of the kernel, the test gets the program.
static long take_program(long number, ...);
#define syscall take_program
#include "../../Sources/coders-worker/filter.c"
#undef syscall

static struct sock_fprog taken;

static long take_program(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  if (number == SYS_seccomp) {
    va_arg(arguments, int);
    va_arg(arguments, int);
    taken = *va_arg(arguments, struct sock_fprog *);
  }
  va_end(arguments);
  return 0;
}

// The instructions that a filter may have (linux/bpf_common.h), of those that ours use.
static uint32_t run(const struct seccomp_data *data) {
  uint32_t value = 0;
  for (unsigned at = 0; at < taken.len; at++) {
    const struct sock_filter *step = &taken.filter[at];
    switch (step->code) {
      case BPF_LD | BPF_W | BPF_ABS: memcpy(&value, (const char *)data + step->k, sizeof value); break;
      case BPF_JMP | BPF_JEQ | BPF_K: at += value == step->k ? step->jt : step->jf; break;
      case BPF_JMP | BPF_JGE | BPF_K: at += value >= step->k ? step->jt : step->jf; break;
      case BPF_JMP | BPF_JSET | BPF_K: at += value & step->k ? step->jt : step->jf; break;
      case BPF_RET | BPF_K: return step->k;
      default: printf("instruction %u: code %#x\n", at, step->code); exit(1);
    }
  }
  printf("the program ends without an answer\n");
  exit(1);
}

static unsigned failures;

static void expect(const char *who, const char *name, uint32_t answer, struct seccomp_data call) {
  const uint32_t found = run(&call);
  if (found == answer) return;
  printf("%s: %s (%d) is answered %#x, not %#x\n", who, name, call.nr, found, answer);
  failures++;
}

#define ALLOWED SECCOMP_RET_ALLOW
#define ENDED SECCOMP_RET_TRAP
#define ERROR(number) (SECCOMP_RET_ERRNO | (uint32_t)(number))
#define CALL(name, answer, ...) \
  expect(who, #name, answer, (struct seccomp_data){.nr = SYS_##name, .arch = ARCHITECTURE, .args = {__VA_ARGS__}})

// What neither a worker nor its server may try.
static void expect_attempts(const char *who) {
  CALL(execve, ENDED, 0);
  CALL(execveat, ENDED, 0);
  CALL(ptrace, ENDED, 0);
  CALL(process_vm_readv, ENDED, 0);
  CALL(process_vm_writev, ENDED, 0);
  CALL(memfd_create, ENDED, 0);
  CALL(mount, ENDED, 0);
  CALL(umount2, ENDED, 0);
  CALL(unshare, ENDED, 0);
  CALL(setns, ENDED, 0);
  CALL(bpf, ENDED, 0);
  CALL(perf_event_open, ENDED, 0);
  CALL(userfaultfd, ENDED, 0);
  CALL(keyctl, ENDED, 0);
  CALL(add_key, ENDED, 0);
  CALL(open_by_handle_at, ENDED, 0);
  CALL(io_uring_setup, ENDED, 0);
  CALL(pivot_root, ENDED, 0);
  CALL(chroot, ENDED, 0);
  CALL(init_module, ENDED, 0);
  CALL(finit_module, ENDED, 0);
  CALL(kexec_load, ENDED, 0);
  CALL(unlinkat, ENDED, 0);
  CALL(renameat2, ENDED, 0);
  CALL(mkdirat, ENDED, 0);
  CALL(linkat, ENDED, 0);
  CALL(symlinkat, ENDED, 0);
  CALL(fchmodat, ENDED, 0);
  CALL(truncate, ENDED, 0);
  CALL(setuid, ENDED, 0);
  CALL(mmap, ENDED, 0, 4096, PROT_READ | PROT_EXEC, 0, 0, 0);
  CALL(mprotect, ENDED, 0, 4096, PROT_WRITE | PROT_EXEC);
  CALL(mmap, ALLOWED, 0, 4096, PROT_READ | PROT_WRITE, 0, 0, 0);
  CALL(munmap, ALLOWED, 0, 4096);
  CALL(futex, ALLOWED, 0, FUTEX_WAIT);
  CALL(futex, ALLOWED, 0, FUTEX_WAKE_PRIVATE);
  CALL(futex, ALLOWED, 0, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME);
  CALL(futex, ALLOWED, 0, FUTEX_LOCK_PI_PRIVATE);
  CALL(futex, ALLOWED, 0, FUTEX_UNLOCK_PI_PRIVATE);
  CALL(futex, ENDED, 0, FUTEX_LOCK_PI);
  CALL(futex, ENDED, 0, FUTEX_UNLOCK_PI);
  CALL(futex, ENDED, 0, FUTEX_FD);
  CALL(futex, ENDED, 0, FUTEX_REQUEUE);
  CALL(futex, ENDED, 0, FUTEX_CMP_REQUEUE_PRIVATE);
  CALL(futex, ENDED, 0, FUTEX_WAKE_OP_PRIVATE);
  CALL(futex, ENDED, 0, FUTEX_WAIT_REQUEUE_PI_PRIVATE);
  CALL(futex, ENDED, 0, FUTEX_CMP_REQUEUE_PI_PRIVATE);
  CALL(madvise, ALLOWED, 0, 4096, MADV_DONTNEED);
  CALL(madvise, ALLOWED, 0, 4096, MADV_HUGEPAGE);
  CALL(madvise, ERROR(EINVAL), 0, 4096, MADV_MERGEABLE);
  CALL(madvise, ERROR(EINVAL), 0, 4096, MADV_UNMERGEABLE);
  CALL(madvise, ERROR(EINVAL), 0, 4096, MADV_REMOVE);
  CALL(madvise, ERROR(EINVAL), 0, 4096, MADV_HWPOISON);
  CALL(madvise, ERROR(EINVAL), 0, 4096, MADV_DOFORK);
  CALL(madvise, ERROR(EINVAL), 0, 4096, 21);  // MADV_PAGEOUT
  CALL(exit_group, ALLOWED, 0);
  CALL(socket, ERROR(EPERM), 1, 1, 0);
  CALL(connect, ERROR(EPERM), 0);
  CALL(clone3, ERROR(ENOSYS), 0);
  CALL(ioctl, ERROR(EPERM), 0);
#ifdef SYS_open
  CALL(open, ERROR(EPERM), 0);
  CALL(readlink, ERROR(EPERM), 0);
#endif
}

static void expect_of_worker(int reads_files) {
  const char *who = reads_files ? "a worker that reads fonts" : "a worker";
  if (!filter_worker(reads_files)) failures++;
  expect_attempts(who);
  CALL(sendto, ALLOWED, 3, 0, 1, 0, 0, 0);
  CALL(sendto, ENDED, 3, 0, 1, 0, 0x7fff0000, 0);
  CALL(sendto, ENDED, 3, 0, 1, 0, 0x100000000, 0);
  CALL(write, ALLOWED, STDERR_FILENO, 0, 1);
  CALL(write, ENDED, 3, 0, 1);
  CALL(write, ENDED, 0x100000000 | STDERR_FILENO, 0, 1);
  CALL(tgkill, ALLOWED, (uint64_t)getpid(), 7, SIGABRT);
  CALL(tgkill, ENDED, (uint64_t)getpid(), 7, SIGKILL);
  CALL(tgkill, ENDED, 1, 1, SIGABRT);
  CALL(kill, ENDED, 1, SIGKILL);
  CALL(clone, ERROR(EAGAIN), SIGCHLD);
  CALL(prlimit64, ALLOWED, 0, 7, 0, 0);
  CALL(prlimit64, ENDED, 0, 7, 4096, 0);
#ifdef SYS_fork
  CALL(fork, ENDED, 0);
  CALL(vfork, ENDED, 0);
#endif
  CALL(openat, reads_files ? ALLOWED : ERROR(EPERM), 0, 0, O_RDONLY | O_CLOEXEC);
  CALL(openat, ERROR(EPERM), 0, 0, O_WRONLY);
  CALL(openat, ERROR(EPERM), 0, 0, O_RDWR | O_CREAT);
  CALL(read, reads_files ? ALLOWED : ENDED, 3, 0, 1);
  CALL(fcntl, reads_files ? ALLOWED : ERROR(EPERM), 3, F_GETFL);
  CALL(fcntl, ERROR(EPERM), 3, F_SETOWN);
}

static void expect_of_server(void) {
  const char *who = "a server";
  if (!filter_server(0)) failures++;
  expect_attempts(who);
  CALL(clone, ALLOWED, SIGCHLD);
  CALL(clone, ENDED, CLONE_NEWUSER);
  CALL(clone, ENDED, CLONE_NEWNET);
  CALL(openat, ERROR(EPERM), 0, 0, O_RDONLY);
}

int main(void) {
  expect_of_worker(0);
  const char *who = "a worker";
  const uint32_t other = ARCHITECTURE == AUDIT_ARCH_X86_64 ? AUDIT_ARCH_AARCH64 : AUDIT_ARCH_X86_64;
  expect(who, "a call of another processor", SECCOMP_RET_KILL_PROCESS, (struct seccomp_data){.nr = SYS_exit_group, .arch = other});
  expect(who, "a call of x32", SECCOMP_RET_KILL_PROCESS, (struct seccomp_data){.nr = 0x40000000, .arch = ARCHITECTURE});
  expect(who, "a call that is none", ENDED, (struct seccomp_data){.nr = 9999, .arch = ARCHITECTURE});
  expect_of_worker(1);
  expect_of_server();
  return failures > 0;
}
