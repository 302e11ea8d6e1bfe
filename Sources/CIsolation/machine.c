// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CIsolation.h"

// A number that a file begins with, or 0: "max" of control groups is none.
static uint64_t number_in(const char *path) {
  FILE *file = fopen(path, "re");
  unsigned long long number = 0;
  if (!file) return 0;
  if (fscanf(file, "%llu", &number) != 1) number = 0;
  fclose(file);
  return number;
}

uint64_t isolation_group_memory(void) {
  char line[512], path[1024];
  uint64_t least = 0;
  FILE *file = fopen("/proc/self/cgroup", "re");
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    // "0::/user.slice/a" of version 2; "4:memory:/docker/a" of version 1.
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) continue;
    *group++ = 0;
    int is_second = controllers[1] == 0;
    if (!is_second && strcmp(controllers + 1, "memory") != 0) continue;
    // Each group is inside those above it. In a container the root of the tree is often the container's own group.
    while (1) {
      snprintf(path, sizeof path, is_second ? "/sys/fs/cgroup%s/memory.max" : "/sys/fs/cgroup/memory%s/memory.limit_in_bytes",
               group);
      uint64_t limit = number_in(path);
      // A huge number means no limit.
      if (limit > 0 && limit < (uint64_t)1 << 60 && (least == 0 || limit < least)) least = limit;
      char *parent = strrchr(group, '/');
      if (!parent) break;
      *parent = 0;
    }
  }
  if (file) fclose(file);
  return least;
}

uint64_t isolation_machine_memory(void) {
  return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t isolation_own_memory(pid_t process) {
  char path[64];
  unsigned long long all = 0, resident = 0, shared = 0;
  snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
  FILE *file = process > 0 ? fopen(path, "re") : NULL;
  int found = file ? fscanf(file, "%llu %llu %llu", &all, &resident, &shared) : 0;
  if (file) fclose(file);
  return found == 3 && resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
