// SPDX-License-Identifier: Apache-2.0

#ifndef CJPEG_OPENING_H
#define CJPEG_OPENING_H

#include "decoder.h"

// Makes cinfo, whose error manager is set, and reads the file up to its first scan.
void decoder_begin(decoder *decoder);

#endif
