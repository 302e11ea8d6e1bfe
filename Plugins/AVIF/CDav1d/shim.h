// SPDX-License-Identifier: Apache-2.0
//
// dav1d: AV1 data of stills, without libavif in between.

#ifndef CDAV1D_SHIM_H
#define CDAV1D_SHIM_H

#include <dav1d/dav1d.h>

#endif
