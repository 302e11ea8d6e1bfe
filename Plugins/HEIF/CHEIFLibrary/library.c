// SPDX-License-Identifier: Apache-2.0

#include "CHEIFLibrary.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(char *problem, size_t length) {
  const char *said = dlerror();
  snprintf(problem, length, "%s", said ? said : "no reason is given");
  return 0;
}

void heif_library_load_if_asked(void) {
  if (getenv("IMGCODER_LOAD_ALL")) dlopen(HEIF_LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL);
}

int heif_library_load(heif_library *library, char *problem, size_t length) {
  // Never closed: libheif and x265 keep tables and threads of their own.
  void *handle = dlopen(HEIF_LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return fail(problem, length);
#define HEIF_LIBRARY_FIND(name)                                             \
  library->name = (__typeof__(&heif_##name))dlsym(handle, "heif_" #name);   \
  if (!library->name) return fail(problem, length);
  HEIF_LIBRARY_CALLS(HEIF_LIBRARY_FIND)
#undef HEIF_LIBRARY_FIND
  return 1;
}
