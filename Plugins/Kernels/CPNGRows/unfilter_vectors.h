// SPDX-License-Identifier: Apache-2.0

#ifndef CPNGROWS_UNFILTER_VECTORS_H
#define CPNGROWS_UNFILTER_VECTORS_H

#include "CPNGRows.h"

// The loops with vectors; null where there are none, or the processor lacks SSE4.1.
const cpng_kernels *cpng_vector_kernels(void);

#endif
