// SPDX-License-Identifier: Apache-2.0
//
// What the loader knows of the library that this code is part of. It is not of the library's interface.

#ifndef IMAGECODERS_LIBRARY_H
#define IMAGECODERS_LIBRARY_H

// The file that the library was loaded from, without links; null if it cannot be found. It lives as long as the process.
const char *library_path(void);

// Which build it is: the number in hexadecimal that the linker made of all that is inside. Empty if it was told not to.
const char *library_build(void);

#endif
