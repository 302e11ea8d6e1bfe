// SPDX-License-Identifier: Apache-2.0

#include "CPNGRows.h"
#include "unfilter_plain.h"
#include "unfilter_sse41.h"

const cpng_kernels *cpng_best_kernels(void) {
  const cpng_kernels *kernels = cpng_sse41_kernels();
  return kernels ? kernels : &cpng_plain_kernels;
}
