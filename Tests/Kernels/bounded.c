// SPDX-License-Identifier: Apache-2.0
//
// Feeds inflate with libFuzzer, beside zlib's, in a build whose bounds the compiler checks: scripts/check-bounds.

#include <ptrcheck.h>

#define MOST (1 << 20)
#include "beside_zlib.h"

int LLVMFuzzerTestOneInput(const uint8_t *__unsafe_indexable bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *__unsafe_indexable bytes, size_t size) {
  static uint8_t *out[2];
  for (int i = 0; i < 2; i++) {
    if (!out[i]) out[i] = malloc(MOST);
    if (!out[i]) return 0;
  }
  const uint8_t *stream = __unsafe_forge_bidi_indexable(const uint8_t *, bytes, size);
  outcome expected, found;
  seed = size ? stream[size - 1] : 0;
  if (!inflates_as_zlib(stream, size, out, below(4) == 0, &expected, &found)) abort();
  return 0;
}
