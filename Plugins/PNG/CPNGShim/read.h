// SPDX-License-Identifier: Apache-2.0

#ifndef CPNG_READ_H
#define CPNG_READ_H

#include "CPNGShim.h"

// As `cpng_decode`, with libpng and zlib.
imgcoder_status cpng_decode_by_libpng(const cpng_picture *picture, const imgcoder_sink *sink, cpng_failure *failure);

#endif
