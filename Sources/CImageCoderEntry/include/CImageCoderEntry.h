// SPDX-License-Identifier: Apache-2.0
//
// Makes the entry symbol of a plugin that is written in Swift, which cannot emit constant data under a C name.

#ifndef CIMAGECODERENTRY_H
#define CIMAGECODERENTRY_H

#include "imgcoder/imgcoder.h"

// The function that the plugin's Swift code defines: @c(imgcoder_plugin_describe).
extern const imgcoder_coder *imgcoder_plugin_describe(const imgcoder_host *host);

#endif
