// SPDX-License-Identifier: Apache-2.0

#ifndef CPNG_PARTS_H
#define CPNG_PARTS_H

#include "writer.h"

// Takes rows from `first` on, until they have at least `most` bytes or there are no more.
cpng_part cpng_plan_part(const cpng_writer *writer, uint64_t first, size_t most);

// Gives a part the rows before it whose bytes its matches may refer to.
void cpng_plan_history(const cpng_writer *writer, cpng_part *part);

// Allocates what parts of up to `length` filtered bytes need, with `history` bytes before them, and `rooms` rooms for their
// results.
//   returns  whether there is as much memory
int cpng_open_workshop(const cpng_writer *writer, cpng_workshop *workshop, size_t history, size_t length, unsigned rooms);
void cpng_close_workshop(const cpng_writer *writer, cpng_workshop *workshop);

// Filters and compresses the rows of a part into `part->bytes`.
//   returns  OK; OUT_OF_MEMORY; LIBRARY when libdeflate makes no stream
imgcoder_status cpng_compress_part(const cpng_writer *writer, const cpng_strategy *strategy, cpng_workshop *workshop,
                                   cpng_part *part);

// Chooses the strategy: what makes some bands of rows smallest.
imgcoder_status cpng_choose_strategy(cpng_writer *writer);

#endif
