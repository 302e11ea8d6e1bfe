// SPDX-License-Identifier: Apache-2.0
//
// OpenJPEG decodes and encodes codestreams. Boxes are read and written in Swift.

#ifndef COPENJPEG_SHIM_H
#define COPENJPEG_SHIM_H

#include <openjpeg.h>

#endif
