// SPDX-License-Identifier: Apache-2.0

// The interface is headers only; compiling them here checks every size and offset with the compiler of the build.
#include "imgcoder/imgcoder.h"
