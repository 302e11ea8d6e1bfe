// SPDX-License-Identifier: Apache-2.0

#include "imagecoders.h"

const char *ic_status_name(uint32_t status) {
  switch (status) {
    case IC_OK: return "ok";
    case IC_WRONG_FORMAT: return "wrongFormat";
    case IC_TRUNCATED: return "truncated";
    case IC_MALFORMED: return "malformed";
    case IC_CHECKSUM_MISMATCH: return "checksumMismatch";
    case IC_UNSUPPORTED: return "unsupported";
    case IC_NO_CODER: return "noCoder";
    case IC_LIMIT_EXCEEDED: return "limitExceeded";
    case IC_INVALID_ARGUMENT: return "invalidArgument";
    case IC_OUT_OF_ORDER: return "outOfOrder";
    case IC_IO: return "io";
    case IC_OUT_OF_MEMORY: return "outOfMemory";
    case IC_LIBRARY_FAILURE: return "library";
    case IC_PLUGIN_REJECTED: return "pluginRejected";
    case IC_CANCELLED: return "cancelled";
    case IC_CODER_CRASHED: return "coderCrashed";
    case IC_OVERLOADED: return "overloaded";
    default: return "unknown";
  }
}
