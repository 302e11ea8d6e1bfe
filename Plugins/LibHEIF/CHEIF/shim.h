// SPDX-License-Identifier: Apache-2.0
//
// libheif encodes pictures with x265. The boxes around them are read and written in Swift.

#ifndef CHEIF_SHIM_H
#define CHEIF_SHIM_H

#include <libheif/heif.h>
#include <libheif/heif_plugin.h>

// Later versions have a macro of this name in place of the enumerator, which Swift does not see.
static inline enum heif_chroma heif_chroma_gray(void) { return heif_chroma_monochrome; }

#endif
