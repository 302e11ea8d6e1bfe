// SPDX-License-Identifier: Apache-2.0
//
// libavif: AV1 items and tracks, decoded by dav1d and encoded by aom.

#ifndef CAVIF_SHIM_H
#define CAVIF_SHIM_H

#include <avif/avif.h>

// The direction of a mirror, 0 or 1: ISO/IEC 23008-12 §6.5.12. Its name changed in version 1.0.
#if AVIF_VERSION_MAJOR < 1
#define AVIF_MIRROR_DIRECTION mode
#else
#define AVIF_MIRROR_DIRECTION axis
#endif
static inline uint8_t avif_mirror_direction(avifImageMirror mirror) { return mirror.AVIF_MIRROR_DIRECTION; }
static inline avifImageMirror avif_mirror(uint8_t direction) {
  avifImageMirror mirror = {.AVIF_MIRROR_DIRECTION = direction};
  return mirror;
}
#undef AVIF_MIRROR_DIRECTION

#endif
