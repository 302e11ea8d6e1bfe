// SPDX-License-Identifier: Apache-2.0

#ifndef CPNG_PACK_H
#define CPNG_PACK_H

#include "writer.h"

// Finds the passes.
void cpng_find_passes(cpng_writer *writer);

// Bytes of a row of a pass in the file, without its filter type.
size_t cpng_written_row(const cpng_writer *writer, const cpng_written_pass *pass);

// The pass of a row, and the row's number in it.
const cpng_written_pass *cpng_pass_of_row(const cpng_writer *writer, uint64_t row, uint32_t *y);

// Makes a row of a pass of the pixels.
//   out  the length of the row and CPNG_ROW_MARGIN more bytes, which may be written
void cpng_pack_row(const cpng_writer *writer, const cpng_written_pass *pass, uint32_t y, uint8_t *out);

#endif
