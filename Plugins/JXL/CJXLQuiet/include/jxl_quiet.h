// SPDX-License-Identifier: Apache-2.0
//
// Keeps the lines of libjxl to itself: Debian's build of 0.7 writes one to standard error for each error in a file.

#ifndef CJXLQUIET_H
#define CJXLQUIET_H

// Called once, before anything else of libjxl. What the library writes to standard error after that goes nowhere.
//
// function: any function of libjxl, by which it is found among all libraries.
void jxl_make_quiet(const void *function);

#endif
