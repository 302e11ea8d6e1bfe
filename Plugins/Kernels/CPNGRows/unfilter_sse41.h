// SPDX-License-Identifier: Apache-2.0

#ifndef CPNGROWS_UNFILTER_SSE41_H
#define CPNGROWS_UNFILTER_SSE41_H

#include "CPNGRows.h"

// The loops with SSE4.1; null where the compiler makes no x86 code or the processor has none.
const cpng_kernels *cpng_sse41_kernels(void);

#endif
