// SPDX-License-Identifier: Apache-2.0

#ifndef CJPEG_EIGHTHS_H
#define CJPEG_EIGHTHS_H

#include "decoder.h"

// Decodes and delivers a picture at 1/8 without libjpeg, which is asked if the answer is 0.
int eighths_deliver(decoder *decoder);

#endif
