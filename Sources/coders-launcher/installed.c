// SPDX-License-Identifier: Apache-2.0
//
// What pip puts into the folder bin of an environment of Python: it becomes the command that is in the package imagecoders of that
// environment, without starting Python. With several versions of Python in one place, the last one's package that there is.

#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Where packages are, seen from the folder bin.
static const char *const folders[] = {
    "../lib/python3*/site-packages", "../lib64/python3*/site-packages", "../lib/python3*/dist-packages",
    "../local/lib/python3*/dist-packages", "..",
};

// The folder of this file, without links.
static int find_folder(char *folder, size_t room) {
  ssize_t length = readlink("/proc/self/exe", folder, room - 1);
  if (length <= 0 || (size_t)length >= room - 1) return 0;
  folder[length] = 0;
  char *end = strrchr(folder, '/');
  if (!end) return 0;
  *end = 0;
  // A folder of such a name would be a pattern.
  return !strpbrk(folder, "*?[\\");
}

int main(int count, char **arguments) {
  char folder[PATH_MAX], pattern[PATH_MAX + 64];
  (void)count;
  for (size_t index = 0; find_folder(folder, sizeof folder) && index < sizeof folders / sizeof *folders; index++) {
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/%s/imagecoders/bin/coders", folder, folders[index]);
    if (glob(pattern, 0, NULL, &found) != 0) continue;
    for (size_t place = found.gl_pathc; place > 0; place--) execv(found.gl_pathv[place - 1], arguments);
    globfree(&found);
  }
  fprintf(stderr, "coders: the Python package imagecoders is not where this command is installed: %s\n", strerror(errno));
  return 5;
}
