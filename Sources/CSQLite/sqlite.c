// SPDX-License-Identifier: Apache-2.0
#include "csqlite.h"

#include <dlfcn.h>
#include <stddef.h>

int csqlite_load(void) { return dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL) != NULL; }
