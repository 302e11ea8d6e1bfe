// SPDX-License-Identifier: Apache-2.0

#include "CFuzzing.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

void fuzzing_fill_memory(uint8_t byte) {
#ifdef __GLIBC__
  // Memory gets the complement; 0 would mean that it is left as it is.
  mallopt(M_PERTURB, (uint8_t)~byte);
#else
  (void)byte;
#endif
}
