// SPDX-License-Identifier: Apache-2.0
//
// OpenEXRCore decompresses chunks. Headers and tables of chunks are read in Swift.

#ifndef COPENEXR_SHIM_H
#define COPENEXR_SHIM_H

#include <openexr.h>

#endif
