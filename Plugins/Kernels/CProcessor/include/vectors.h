// SPDX-License-Identifier: Apache-2.0
//
// Vectors of 16 bytes under the names that Intel gives its instructions. On x86-64 these are the compiler's own; on AArch64
// those that our loops use are written with NEON, and give the same bits. So a loop with vectors is written once.
//
//   VECTORS        defined where there are vectors; elsewhere loops are plain C
//   VECTORS_SSE41  before each function that uses more than SSE2, or inlines one that does. It is called only if
//                  `processor_has_sse41`

#ifndef CPROCESSOR_VECTORS_H
#define CPROCESSOR_VECTORS_H

#if defined(__SSE2__)

#define VECTORS
#define VECTORS_SSE41 __attribute__((target("sse4.1")))
#include <immintrin.h>

#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

#define VECTORS
#define VECTORS_SSE41
#include "neon.h"

#endif

#endif
