// SPDX-License-Identifier: Apache-2.0

#ifndef CPNG_STORED_H
#define CPNG_STORED_H

#include <CPNGRows.h>

// Reads signature, IHDR, PLTE and tRNS.
//   stored   points into `lead`
//   returns  whether there is an IHDR of a picture
int cpng_read_lead(const uint8_t *lead, uint64_t length, cpng_stored *stored);

#endif
