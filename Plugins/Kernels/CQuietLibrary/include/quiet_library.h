// SPDX-License-Identifier: Apache-2.0
//
// Keeps the lines of a library to itself: of what is wrong with a file, libjxl 0.7 and dav1d write lines to standard error.

#ifndef CQUIETLIBRARY_H
#define CQUIETLIBRARY_H

// Called once, before anything else of the library. What the library writes to standard error after that goes nowhere.
//
// function: any function of the library, by which it is found among all libraries.
void quiet_library(const void *function);

#endif
