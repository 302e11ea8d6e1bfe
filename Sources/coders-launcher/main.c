// SPDX-License-Identifier: Apache-2.0
//
// The command `coders` as it is installed: becomes the program that has the verb. Both are in libexec beside the folder of
// this one. To load the whole command takes several milliseconds, which is most of the time of some verbs.

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_ENVIRONMENT = 5 };

// What coders-quick may do by itself; it leaves to the whole command what it does not understand.
static const char *const quick_verbs[] = {"--version", "list", "probe", "thumbnail", "convert"};

static int is_quick(const char *verb) {
  for (size_t i = 0; i < sizeof quick_verbs / sizeof *quick_verbs; i++)
    if (strcmp(verb, quick_verbs[i]) == 0) return 1;
  return 0;
}

int main(int count, char **arguments) {
  char path[PATH_MAX + sizeof "/libexec/coders-command"];
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
  path[length < 0 ? 0 : length] = 0;
  for (int level = 0; level < 2; level++) {
    char *slash = strrchr(path, '/');
    if (slash) *slash = 0;
  }
  strcat(path, count > 1 && is_quick(arguments[1]) ? "/libexec/coders-quick" : "/libexec/coders-command");
  execv(path, arguments);
  fprintf(stderr, "coders: %s: %s\n", path, strerror(errno));
  return STATUS_ENVIRONMENT;
}
