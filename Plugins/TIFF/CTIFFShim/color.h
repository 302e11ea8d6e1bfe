// SPDX-License-Identifier: Apache-2.0
//
// Samples as red, green and blue. Private to the shim.

#ifndef CTIFF_COLOR_H
#define CTIFF_COLOR_H

#include "plan.h"

// One row of blocks of CTIFF_YCBCR: row `line` of it as RGB.
void color_ycbcr(const rows_plan *plan, const uint8_t *blocks, uint32_t line, uint32_t columns, uint8_t *rgb);

// One row of channels as RGB; `steps` samples from one pixel to the next.
void color_palette(const rows_plan *plan, const void *index, uint32_t step, uint32_t columns, uint8_t *rgb);
void color_cmyk(const rows_plan *plan, const void *const *inks, uint32_t step, uint32_t columns, void *rgb);
void color_lab(const rows_plan *plan, const void *const *lab, uint32_t step, uint32_t columns, void *rgb);

#endif
