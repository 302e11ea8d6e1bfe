// SPDX-License-Identifier: Apache-2.0

#ifndef CJPEG_INKS_H
#define CJPEG_INKS_H

#include "CJPEGShim.h"

// Converts a row of four inks, as libjpeg delivers them, to RGB.
void inks_to_rgb(const uint8_t *inks, uint8_t *pixels, uint32_t count, imgcoder_pixel_format format);

// Turns a row of what four inks leave of the light into how much of each ink there is.
void inks_to_amounts(const uint8_t *inks, uint8_t *pixels, uint32_t count);

#endif
