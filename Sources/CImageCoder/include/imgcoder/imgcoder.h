// SPDX-License-Identifier: Apache-2.0
//
// The ImageCoders plugin interface, version 1. Including this file includes all of it.
//
// A plugin is one shared library that holds one coder: a container's reader, its writer, or both. It needs only these
// headers, and they need only <stdint.h> and <stddef.h>.
//
//   version.h      the version of the interface, and its history
//   types.h        numbers, strings, status codes, pixel formats, limits
//   host.h         what the host provides to a plugin: source of bytes, sink for rows, output, memory, errors
//   reader.h       reading: open, info, negotiate, frame_info, decode, metadata, properties, close
//   writer.h       writing: open, negotiate, set_info, add_metadata, add_thumbnail, add_frame, finish, close
//   transcode.h    an extension: conversion from one format to another without decoding pixels, of version 1.0
//   file_operations.h  an extension: work on whole files without decoding pixels
//   frame_rows.h   an extension: writing a frame whose rows come a few at a time
//   look.h         an extension: drawing coarse passes when somebody looks
//   siblings.h     an extension: files beside the file that is read
//   plugin.h       the one symbol that a plugin exports
//   layout.h       static assertions for every size and offset
//
// Terms in the comment of each function:
//
//   order      when it may be called
//   ownership  who owns what a pointer points at, and until when
//   null       which pointers may be null; a pointer that is not named here is never null
//   thread     [session] any thread, but only one at a time; [any] any thread at any time
//
// The rules R1 to R16 for plugins are in plugin.h.

#ifndef IMGCODER_IMGCODER_H
#define IMGCODER_IMGCODER_H

#include "version.h"
#include "types.h"
#include "host.h"
#include "reader.h"
#include "writer.h"
#include "transcode.h"
#include "file_operations.h"
#include "frame_rows.h"
#include "look.h"
#include "siblings.h"
#include "plugin.h"
#include "layout.h"

#endif
