// SPDX-License-Identifier: Apache-2.0
//
// The version of this interface. A plugin and a host work together if their major versions are equal. A minor version
// only adds: fields at the ends of structs, statuses, flags, extensions.
//
//   1.0  2026  first
//   1.1  2026  any size and parts (imgcoder_request.part_width, imgcoder_offer.covered_width); kinds of pages and hidden
//              pages; frames that are not counted; options of readers; colors (imgcoder_reader_table.color); RGB16, floats
//              and inks; limits of work (imgcoder_host.spend); siblings, file-operations, frame-rows, look; IMGCODER_SET
//
// The headers of each version as it was published are kept under docs/abi/.

#ifndef IMGCODER_VERSION_H
#define IMGCODER_VERSION_H

#include <stdint.h>

#define IMGCODER_ABI_MAJOR 1
#define IMGCODER_ABI_MINOR 1

#endif
