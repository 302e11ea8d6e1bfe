// SPDX-License-Identifier: Apache-2.0

#ifndef CDEFLATE_INFLATE_LANES_H
#define CDEFLATE_INFLATE_LANES_H

#include "inflate_state.h"

// Makes the tables for decoding in several places, `lane_symbols`, from those of a block, whose literals are not joined.
void inflate_make_lane_tables(inflater *inflater);

// Decodes symbols of a block in several places at once, if there is input for it.
//   returns  whether it is worth while to go on like this
int inflate_run_lanes(inflater *s, edges *edge);

#endif
