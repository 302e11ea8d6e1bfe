// SPDX-License-Identifier: Apache-2.0

#ifndef CJPEG_SOURCE_H
#define CJPEG_SOURCE_H

#include "decoder.h"

// Attaches the source to cinfo.
void source_begin(decoder *decoder);

// Waits for more bytes after libjpeg was told that there are none now.
void source_resume(decoder *decoder);

// The offset of the next byte that libjpeg will take.
uint64_t source_position(const decoder *decoder);

// Hides the scans that a picture at 1/8 has no use for.
void source_skip_unused_scans(decoder *decoder);

// Shows libjpeg the bytes from an offset on again.
void source_return(decoder *decoder, uint64_t offset);

// More bytes from an offset on, none at the end; or why there are none.
imgcoder_status source_look(const decoder *decoder, uint64_t offset, const uint8_t **bytes, uint64_t *length);

#endif
