// SPDX-License-Identifier: Apache-2.0
//
// libjxl's decoder and encoder. Threads come from the host, so libjxl_threads is not needed.

#ifndef CJXL_SHIM_H
#define CJXL_SHIM_H

#include <jxl/decode.h>
#include <jxl/encode.h>

#endif
