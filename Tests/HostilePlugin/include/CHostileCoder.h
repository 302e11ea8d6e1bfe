// SPDX-License-Identifier: Apache-2.0

#ifndef CHOSTILECODER_H
#define CHOSTILECODER_H

#include <imgcoder/imgcoder.h>

// As a plugin exports it.
extern const imgcoder_entry imgcoder_entry_v1;

#endif
