// SPDX-License-Identifier: Apache-2.0

// The toolchain imports a module of this name where a file imports Testing and CoreGraphics, and brings it for a Mac alone.
// Without it, no test of such a file would compile.
