// SPDX-License-Identifier: Apache-2.0
//
//   refuse CALL[,CALL...] COMMAND [ARGUMENT...]
//   refuse @FILTER COMMAND [ARGUMENT...]
//
// Runs a program under a filter that refuses some calls, as an outer sandbox, a container or an older system does: capset, unshare,
// landlock (all of it, which the system does not know then), seccomp (further filters). FILTER is a file with the compiled filter of
// somebody else.

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif

static const struct {
  const char *name;
  unsigned call;
  int error;
} known[] = {
    {"capset", SYS_capset, EPERM},
    {"unshare", SYS_unshare, EPERM},
    {"landlock", SYS_landlock_create_ruleset, ENOSYS},
    {"seccomp", SYS_seccomp, EPERM},
};
enum { KNOWN = sizeof known / sizeof *known };

static struct sock_filter steps[BPF_MAXINSNS];

static unsigned short of_file(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, steps, sizeof steps);
  return length <= 0 || length % sizeof *steps != 0 ? 0 : (unsigned short)(length / sizeof *steps);
}

static unsigned short of_names(char *names) {
  unsigned short length = 0;
  steps[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
    int index = 0;
    while (index < KNOWN && strcmp(known[index].name, name) != 0) index += 1;
    if (index == KNOWN || length > 2 * KNOWN) return 0;
    steps[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, known[index].call, 0, 1);
    steps[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | known[index].error);
  }
  steps[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  return length;
}

int main(int count, char **arguments) {
  if (count < 3) return 125;
  unsigned short length = arguments[1][0] == '@' ? of_file(arguments[1] + 1) : of_names(arguments[1]);
  struct sock_fprog filter = {length, steps};
  if (length < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    perror("refuse");
    return 125;
  }
  execvp(arguments[2], arguments + 2);
  perror(arguments[2]);
  return 126;
}
