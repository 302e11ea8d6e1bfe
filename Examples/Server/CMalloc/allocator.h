// SPDX-License-Identifier: Apache-2.0

// The options of the C library's allocator, which the module of Glibc leaves out.
#include <malloc.h>
