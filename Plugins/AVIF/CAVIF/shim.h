// SPDX-License-Identifier: Apache-2.0
//
// libavif: AV1 items and tracks, decoded by dav1d and encoded by aom.

#ifndef CAVIF_SHIM_H
#define CAVIF_SHIM_H

#include <avif/avif.h>

#endif
