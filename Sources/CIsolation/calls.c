// SPDX-License-Identifier: Apache-2.0

#include <sys/syscall.h>

#include "CIsolation.h"

// Numbers of calls that are younger than some systems' headers; they are the same for all processors.
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

const char *isolation_call_name(uint32_t number) {
#define NAME(call) case SYS_##call: return #call
  switch (number) {
    NAME(accept4);
    NAME(bind);
    NAME(bpf);
    NAME(chdir);
    NAME(epoll_create1);
    NAME(execve);
    NAME(execveat);
    NAME(fallocate);
    NAME(ftruncate);
    case SYS_futex: return "futex with an operation that no lock needs";
    NAME(io_uring_setup);
    NAME(keyctl);
    NAME(kill);
    NAME(listen);
    NAME(lseek);
    NAME(memfd_create);
    NAME(mkdirat);
    NAME(mlock);
    case SYS_mmap: return "mmap of executable memory";
    NAME(mount);
    case SYS_mprotect: return "mprotect to executable memory";
    NAME(open_by_handle_at);
    NAME(openat2);
    NAME(perf_event_open);
    NAME(pidfd_open);
    NAME(ppoll);
    NAME(pread64);
    case SYS_prlimit64: return "prlimit64 with a new limit";
    NAME(process_vm_readv);
    NAME(process_vm_writev);
    NAME(ptrace);
    NAME(pwrite64);
    NAME(read);
    NAME(renameat2);
    NAME(seccomp);
    NAME(sendmsg);
    case SYS_sendto: return "sendto with an address";
    NAME(setns);
    NAME(shmget);
    NAME(socketpair);
    case SYS_tgkill: return "tgkill of another process or with another signal than SIGABRT";
    NAME(timer_create);
    NAME(timerfd_create);
    NAME(unlinkat);
    NAME(unshare);
    NAME(userfaultfd);
    NAME(wait4);
    case SYS_write: return "write to another file than the standard error";
    case SYS_writev: return "writev to another file than the standard error";
#ifdef SYS_fork
    NAME(fork);
    NAME(vfork);
    NAME(poll);
    NAME(pipe);
    NAME(mkdir);
    NAME(unlink);
    NAME(rename);
#endif
  }
#undef NAME
  return 0;
}
