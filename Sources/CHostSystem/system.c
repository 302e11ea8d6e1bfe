// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CHostSystem.h"

#include <stdlib.h>

const char *chostsystem_secure_getenv(const char *name) { return secure_getenv(name); }
