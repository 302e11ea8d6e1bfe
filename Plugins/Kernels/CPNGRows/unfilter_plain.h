// SPDX-License-Identifier: Apache-2.0

#ifndef CPNGROWS_UNFILTER_PLAIN_H
#define CPNGROWS_UNFILTER_PLAIN_H

#include "CPNGRows.h"

// The loops in plain C.
extern const cpng_kernels cpng_plain_kernels;

#endif
