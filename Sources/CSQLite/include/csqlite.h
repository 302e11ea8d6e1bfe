// SPDX-License-Identifier: Apache-2.0
#ifndef CSQLITE_H
#define CSQLITE_H

#include <stdint.h>

/// Loads the system's SQLite when it is first needed. Returns 1, or 0 if there is none.
int csqlite_load(void);

#endif
