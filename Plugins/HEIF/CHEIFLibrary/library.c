// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CHEIFLibrary.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// Null: nothing is loaded.
static char by_name[] = HEIF_LIBRARY_NAME;
static char *place = by_name;

void heif_library_set_folder(const char *folder) {
  char *path = NULL;
  // Earlier ones stay: another thread may be reading them.
  if (folder && asprintf(&path, "%s/" HEIF_LIBRARY_NAME, folder) < 0) path = NULL;
  __atomic_store_n(&place, path, __ATOMIC_RELEASE);
}

static int fail(char *problem, size_t length) {
  const char *said = dlerror();
  snprintf(problem, length, "%s", said ? said : "no reason is given");
  return 0;
}

void heif_library_load_if_asked(void) {
  const char *path = __atomic_load_n(&place, __ATOMIC_ACQUIRE);
  if (path && getenv("IMGCODER_LOAD_ALL")) dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

int heif_library_load(heif_library *library, char *problem, size_t length) {
  const char *path = __atomic_load_n(&place, __ATOMIC_ACQUIRE);
  if (!path) {
    snprintf(problem, length, "%s", "no folder is named to load it from: ic_registry_options.library_folder, CODERS_LIBRARY_FOLDER");
    return 0;
  }
  // Never closed: libheif and x265 keep tables and threads of their own.
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return fail(problem, length);
#define HEIF_LIBRARY_FIND(name)                                             \
  library->name = (__typeof__(&heif_##name))dlsym(handle, "heif_" #name);   \
  if (!library->name) return fail(problem, length);
  HEIF_LIBRARY_CALLS(HEIF_LIBRARY_FIND)
#undef HEIF_LIBRARY_FIND
  return 1;
}
