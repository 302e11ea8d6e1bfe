// SPDX-License-Identifier: Apache-2.0
//
// libwebp's decoder and encoder. Chunks are read and written in Swift, so libwebpdemux and libwebpmux are not needed.

#ifndef CWEBP_SHIM_H
#define CWEBP_SHIM_H

#include <webp/decode.h>
#include <webp/encode.h>

#endif
