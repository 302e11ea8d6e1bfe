// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "processors.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int within_affinity(void) {
  // More processors than a fixed set has room for are asked for with a larger one.
  for (int count = 1024; count <= 1 << 20; count *= 4) {
    cpu_set_t *set = CPU_ALLOC(count);
    if (!set) break;
    size_t size = CPU_ALLOC_SIZE(count);
    int found = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (found > 0) return found;
  }
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (int)online : 1;
}

// The share of a control group: its microseconds in each period, as processors, rounded up.
//   returns  0 for no limit, or none that can be read
static int within_quota(const char *path, const char *period_path) {
  char quota[32] = "";
  long long period = 0;
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  // Version 2 has both in one line, "max 100000"; version 1 a file for each, "-1" for no limit.
  int read = fscanf(file, "%31s %lld", quota, &period);
  fclose(file);
  if (read < 1) return 0;
  if (period_path) {
    file = fopen(period_path, "re");
    if (!file) return 0;
    read = fscanf(file, "%lld", &period);
    fclose(file);
    if (read != 1) return 0;
  }
  long long allowed = strtoll(quota, NULL, 10);
  if (allowed <= 0 || period <= 0) return 0;
  long long processors = (allowed + period - 1) / period;
  return processors > 1 << 20 ? 1 << 20 : (int)processors;
}

static int smaller(int a, int b) { return b > 0 && b < a ? b : a; }

int chostsystem_processors(void) {
  int processors = within_affinity();
  FILE *file = fopen("/proc/self/cgroup", "re");
  if (!file) return processors;
  char line[512];
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    // "0::/user.slice/a" of version 2; "4:cpu,cpuacct:/docker/a" of version 1.
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) continue;
    *controllers++ = 0;
    *group++ = 0;
    int is_second = *controllers == 0;
    int has_cpu = 0;
    for (char *name = strtok(controllers, ","); name; name = strtok(NULL, ",")) has_cpu |= strcmp(name, "cpu") == 0;
    if (!is_second && !has_cpu) continue;
    // Each group is inside those above it. In a container the root of the tree is often the container's own group.
    while (1) {
      char quota[1024], period[1024];
      if (is_second) {
        snprintf(quota, sizeof quota, "/sys/fs/cgroup%s/cpu.max", group);
        processors = smaller(processors, within_quota(quota, NULL));
      } else {
        snprintf(quota, sizeof quota, "/sys/fs/cgroup/cpu%s/cpu.cfs_quota_us", group);
        snprintf(period, sizeof period, "/sys/fs/cgroup/cpu%s/cpu.cfs_period_us", group);
        processors = smaller(processors, within_quota(quota, period));
      }
      char *parent = strrchr(group, '/');
      if (!parent || !*group) break;
      *parent = 0;
    }
  }
  fclose(file);
  return processors;
}
