// SPDX-License-Identifier: Apache-2.0
//
// Gives a baseline file the Huffman tables that fit it best. libjpeg keeps all coefficients for that, 2 or 6 bytes for a
// pixel; here, what it has written by plain codes is kept, and these are replaced. Of a large file, the first part is kept and
// has its say, and the rest is written by the same tables as it comes. Private to the shim.

#ifndef CJPEG_RECODE_H
#define CJPEG_RECODE_H

#include "recoder.h"

// Keeps what libjpeg writes, from its quantization tables on; all segments come with the first call.
//   output  gets what is too much to be kept
imgcoder_status recode_keep(recoder *recoder, const uint8_t *bytes, uint64_t length, const imgcoder_output *output);

// Writes what is kept with codes of its own, after jpeg_finish_compress().
imgcoder_status recode_write(recoder *recoder, const imgcoder_output *output);

void recode_free(recoder *recoder);

#endif
