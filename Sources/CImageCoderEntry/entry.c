// SPDX-License-Identifier: Apache-2.0

#include "CImageCoderEntry.h"

IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
    sizeof(imgcoder_entry),    IMGCODER_ABI_MAJOR,       IMGCODER_ABI_MINOR, 0,
    IMGCODER_ENTRY_MAGIC,      imgcoder_plugin_describe,
};
