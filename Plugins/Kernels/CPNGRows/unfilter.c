// SPDX-License-Identifier: Apache-2.0

#include "CPNGRows.h"
#include "unfilter_plain.h"
#include "unfilter_vectors.h"

const cpng_kernels *cpng_best_kernels(void) {
  const cpng_kernels *kernels = cpng_vector_kernels();
  return kernels ? kernels : &cpng_plain_kernels;
}
