// SPDX-License-Identifier: Apache-2.0
//
// librsvg and what it draws with. Only the lines of C beside it include this: GLib's headers are much for Swift.

#ifndef CLIBRSVG_SHIM_H
#define CLIBRSVG_SHIM_H

#include <librsvg/rsvg.h>

#endif
