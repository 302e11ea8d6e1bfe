// SPDX-License-Identifier: Apache-2.0
//
// Coded samples, one by one. Private to the shim.

#ifndef CTIFF_SAMPLES_H
#define CTIFF_SAMPLES_H

#include "plan.h"

// One row of samples at the depth of the plan.
void samples_unpack(const rows_plan *plan, const uint8_t *bytes, uint64_t count, void *samples);

#endif
