// SPDX-License-Identifier: Apache-2.0
//
// The manifests of the coders that come with this library, as the files in `Registry` have them, for coders that are built
// into a program: no file is read at run time.

#ifndef CMANIFESTS_H
#define CMANIFESTS_H

#include <stdint.h>

typedef struct cmanifests_text {
  const uint8_t *bytes;
  uint64_t count;
} cmanifests_text;

// The manifest that a file in `Registry` has: "qoi" of qoi.imgcoder.json. None that is not there: no bytes.
cmanifests_text cmanifests_named(const char *name);

#endif
