// SPDX-License-Identifier: Apache-2.0
//
// The version of this interface. A plugin and a host work together if their major versions are equal. A minor version
// only adds: fields at the ends of structs, statuses, flags, extensions.
//
//   1.0  2026  first
//   1.1  2026  how far an offered picture reaches (imgcoder_offer.covered_width); IMGCODER_SET
//
// The headers of each version as it was published are kept under docs/abi/.

#ifndef IMGCODER_VERSION_H
#define IMGCODER_VERSION_H

#include <stdint.h>

#define IMGCODER_ABI_MAJOR 1
#define IMGCODER_ABI_MINOR 1

#endif
