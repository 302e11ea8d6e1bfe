// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

// Closes all descriptors from one on.
static int close_from(int first) {
  if (syscall(SYS_close_range, (unsigned)first, ~0u, 0) == 0) return 1;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max > 1 << 20) return 0;
  for (rlim_t number = (rlim_t)first; number < limit.rlim_max; number++) close((int)number);
  return 1;
}

// Whether the system lists no descriptor from one on.
static int has_none_from(int first) {
  DIR *list = opendir("/proc/self/fd");
  if (!list) return fcntl(first, F_GETFD) < 0;
  int own = dirfd(list), found = 0;
  struct dirent *entry;
  while ((entry = readdir(list))) {
    int number = atoi(entry->d_name);
    if (entry->d_name[0] != '.' && number >= first && number != own) found = 1;
  }
  closedir(list);
  return !found;
}

uint32_t layers_of_process(uint32_t without) {
  uint32_t made = 0;
  if (!(without & ISOLATION_DESCRIPTORS) && close_from(ISOLATION_SOCKET + 1) && has_none_from(ISOLATION_SOCKET + 1)) {
    made |= ISOLATION_DESCRIPTORS;
  }
  if (!(without & ISOLATION_NO_NEW_PRIVILEGES) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
      prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) {
    made |= ISOLATION_NO_NEW_PRIVILEGES;
  }
  return made;
}

static int write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t written = write(file, text, strlen(text));
  close(file);
  return written == (ssize_t)strlen(text);
}

// Of a namespace of this process, to see whether it is another one.
static void read_namespace(const char *name, char found[64]) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/ns/%s", name);
  ssize_t length = readlink(path, found, 63);
  found[length > 0 ? length : 0] = 0;
}

uint32_t layers_of_namespaces(uint32_t without) {
  uint32_t wanted = ~without & (ISOLATION_ROOT | ISOLATION_NETWORK | ISOLATION_IPC | ISOLATION_PID);
  if (wanted == 0) return 0;
  int flags = (wanted & ISOLATION_ROOT ? CLONE_NEWNS : 0) | (wanted & ISOLATION_NETWORK ? CLONE_NEWNET : 0) |
              (wanted & ISOLATION_IPC ? CLONE_NEWIPC | CLONE_NEWUTS : 0) | (wanted & ISOLATION_PID ? CLONE_NEWPID : 0);
  char user[48], group[48], before[64], after[64];
  snprintf(user, sizeof user, "%u %u 1", (unsigned)getuid(), (unsigned)getuid());
  snprintf(group, sizeof group, "%u %u 1", (unsigned)getgid(), (unsigned)getgid());
  read_namespace("ipc", before);
  if (unshare(CLONE_NEWUSER | flags) != 0) return 0;
  write_file("/proc/self/setgroups", "deny");
  if (!write_file("/proc/self/uid_map", user) || !write_file("/proc/self/gid_map", group)) wanted &= ~ISOLATION_ROOT;
  read_namespace("ipc", after);
  if (after[0] != 0 && strcmp(before, after) == 0) wanted &= ~ISOLATION_IPC;
  return wanted;
}

// Makes a folder and those that it is in, below another one.
static void make_folders(const char *place, const char *path, char *made, size_t size) {
  snprintf(made, size, "%s%s", place, path);
  for (char *slash = strchr(made + strlen(place) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(made, 0755);
    *slash = '/';
  }
  mkdir(made, 0755);
}

// Shows the folders of fonts in a root that is being made, to be read.
static void bind_folders(const char *place, const int *descriptors) {
  const unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
  for (unsigned index = 0; index < fonts_folders(); index++) {
    char path[PATH_MAX + 64], source[64];
    make_folders(place, fonts_folder(index), path, sizeof path);
    snprintf(source, sizeof source, "/proc/self/fd/%d", descriptors[index]);
    if (mount(source, path, NULL, MS_BIND | MS_REC, NULL) != 0) continue;
    if (mount(NULL, path, NULL, flags, NULL) != 0) umount2(path, MNT_DETACH);
  }
}

// Whether a name in the new root is one that a folder of fonts needs.
static int is_of_fonts(const char *name) {
  size_t length = strlen(name);
  for (unsigned index = 0; index < fonts_folders(); index++) {
    const char *path = fonts_folder(index);
    if (strncmp(path + 1, name, length) == 0 && path[1 + length] == '/') return 1;
  }
  return 0;
}

// A root without anything in it but the folders of fonts, that nothing can be written to.
static int make_root_at(const char *place, const int *descriptors) {
  const char *size = fonts_folders() > 0 ? "size=1m,nr_inodes=1024,mode=755" : "size=4k,nr_inodes=1,mode=500";
  if (mount("none", place, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, size) != 0) return 0;
  bind_folders(place, descriptors);
  return 1;
}

static int make_empty_root(const int *descriptors) {
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return 0;
  const char *places[] = {"/tmp", "/var/tmp", "/proc", "/usr"};
  for (size_t index = 0; index < sizeof places / sizeof *places; index++) {
    if (!make_root_at(places[index], descriptors)) continue;
    if (chdir(places[index]) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) return 0;
    if (umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) return 0;
    if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) return 0;
    DIR *list = opendir("/");
    if (!list) return 0;
    struct dirent *entry;
    int count = 0;
    while ((entry = readdir(list))) {
      count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && !is_of_fonts(entry->d_name);
    }
    closedir(list);
    return count == 0 && mkdir("/probe", 0700) != 0;
  }
  return 0;
}

// The folders are opened first: a new root may hide them.
static int make_root(void) {
  unsigned count = fonts_folders();
  int *descriptors = calloc(count + 1, sizeof *descriptors);
  if (!descriptors) return 0;
  for (unsigned index = 0; index < count; index++) {
    descriptors[index] = open(fonts_folder(index), O_PATH | O_DIRECTORY | O_CLOEXEC);
  }
  int made = make_empty_root(descriptors);
  for (unsigned index = 0; index < count; index++) {
    if (descriptors[index] >= 0) close(descriptors[index]);
  }
  free(descriptors);
  return made;
}

// Whether there is no way out: a loopback that is down, and no address.
static int has_no_network(void) {
  int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return errno == EAFNOSUPPORT;
  struct ifreq list[4], loopback = {.ifr_name = "lo"};
  struct ifconf found = {.ifc_len = sizeof list, .ifc_ifcu = {.ifcu_req = list}};
  int is_empty = ioctl(probe, SIOCGIFCONF, &found) == 0 && found.ifc_len == 0;
  int is_down = ioctl(probe, SIOCGIFFLAGS, &loopback) != 0 || !(loopback.ifr_flags & IFF_UP);
  close(probe);
  return is_empty && is_down;
}

// What a rule of Landlock has.
#define READ_FILE_AND_FOLDER 12

// Lets the folders of fonts be read.
static void allow_folders(int set) {
  for (unsigned index = 0; index < fonts_folders(); index++) {
    struct {
      uint64_t allowed;
      int32_t folder;
    } __attribute__((packed)) rule = {READ_FILE_AND_FOLDER, open(fonts_folder(index), O_PATH | O_CLOEXEC)};
    if (rule.folder < 0) continue;
    syscall(SYS_landlock_add_rule, set, 1, &rule, 0);
    close(rule.folder);
  }
}

static int restrict_by_landlock(void) {
  struct {
    uint64_t files, network, scopes;
  } rules = {0x1FFF, 0, 0};
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
  if (version < 1) return 0;
  size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  if (version >= 2) rules.files |= 1 << 13;
  if (version >= 3) rules.files |= 1 << 14;
  if (version >= 5) rules.files |= 1 << 15;
  if (version >= 4) rules.network = 3;
  if (version >= 6) rules.scopes = 3;
  long set = syscall(SYS_landlock_create_ruleset, &rules, size, 0);
  if (set < 0) return 0;
  allow_folders((int)set);
  long result = syscall(SYS_landlock_restrict_self, (int)set, 0);
  close((int)set);
  if (result != 0) return 0;
  int probe = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (probe >= 0) close(probe);
  return probe < 0 && errno == EACCES;
}

// Root has rights over the machine, and in a namespace of users the process has every right over what is in it; none is needed
// any more.
//   returns  whether there are none, which the system says
static int drop_rights(void) {
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct left[2] = {{0}};
  for (unsigned long right = 0; right < 64; right++) prctl(PR_CAPBSET_DROP, right, 0, 0, 0);
  syscall(SYS_capset, &head, left);
  memset(left, 0xFF, sizeof left);
  if (syscall(SYS_capget, &head, left) != 0) return 0;
  uint32_t rights = 0;
  for (int part = 0; part < 2; part++) rights |= left[part].effective | left[part].permitted | left[part].inheritable;
  return rights == 0;
}

uint32_t layers_of_server(uint32_t namespaces, uint32_t without) {
  uint32_t made = 0;
  if (namespaces & ISOLATION_PID && getpid() == 1) made |= ISOLATION_PID;
  if (namespaces & ISOLATION_NETWORK && has_no_network()) made |= ISOLATION_NETWORK;
  if (namespaces & ISOLATION_IPC) made |= ISOLATION_IPC;
  if (namespaces & ISOLATION_ROOT && make_root()) made |= ISOLATION_ROOT;
  if (!(without & ISOLATION_CAPABILITIES) && drop_rights()) made |= ISOLATION_CAPABILITIES;
  if (!(without & ISOLATION_LANDLOCK) && restrict_by_landlock()) made |= ISOLATION_LANDLOCK;
  if (!(without & ISOLATION_UNDUMPABLE) && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
      prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0) {
    made |= ISOLATION_UNDUMPABLE;
  }
  return made;
}

int layers_give_fonts(uint32_t made) {
  return fonts_folders() > 0 && (made & (ISOLATION_LANDLOCK | ISOLATION_ROOT)) != 0;
}

static int set_limit(int resource, rlim_t value) {
  struct rlimit limit = {value, value}, found;
  return setrlimit(resource, &limit) == 0 && getrlimit(resource, &found) == 0 && found.rlim_cur == value &&
         found.rlim_max == value;
}

uint32_t layers_of_worker(uint32_t server, uint32_t without, uint64_t memory, uint64_t seconds) {
  uint32_t made = server;
  if (!(without & ISOLATION_DESCRIPTORS) && !close_from(ISOLATION_SOCKET + 1)) made &= ~(uint32_t)ISOLATION_DESCRIPTORS;
  if (!(without & ISOLATION_LIMITS) && set_limit(RLIMIT_CPU, seconds) && set_limit(RLIMIT_NPROC, 0) &&
      set_limit(RLIMIT_FSIZE, 0) && set_limit(RLIMIT_CORE, 0) && set_limit(RLIMIT_MEMLOCK, 0) &&
      set_limit(RLIMIT_MSGQUEUE, 0) && set_limit(RLIMIT_NOFILE, ISOLATION_SOCKET + 5)) {
    made |= ISOLATION_LIMITS;
  }
  if (!(without & ISOLATION_MEMORY) && set_limit(RLIMIT_AS, memory)) {
    void *probe = mmap(NULL, memory, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe == MAP_FAILED) made |= ISOLATION_MEMORY;
    else munmap(probe, memory);
  }
  // The server has seen the filter stop its probes; here it is installed, or not.
  if (without & ISOLATION_SECCOMP || !filter_worker(layers_give_fonts(server))) made &= ~(uint32_t)ISOLATION_SECCOMP;
  return made;
}
