// SPDX-License-Identifier: Apache-2.0

#ifndef CDEFLATE_INFLATE_HEADER_H
#define CDEFLATE_INFLATE_HEADER_H

#include "inflate_state.h"

// Reads what stands before the symbols of a block, or after the last block.
//   returns  whether the state is another one; otherwise bits are missing, or the stream is damaged
int inflate_around_blocks(inflater *s, edges *edge);

#endif
