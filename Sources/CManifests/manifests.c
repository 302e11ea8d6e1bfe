// SPDX-License-Identifier: Apache-2.0

#include "CManifests.h"

// Swift's own compiler, which builds this, has #embed.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define MANIFEST(name) \
  cmanifests_text cmanifests_##name(void) { return (cmanifests_text){name, sizeof name}; }

static const uint8_t avif[] = {
#embed "../../Registry/avif.imgcoder.json"
};
static const uint8_t bmp[] = {
#embed "../../Registry/bmp.imgcoder.json"
};
static const uint8_t gif[] = {
#embed "../../Registry/gif.imgcoder.json"
};
static const uint8_t giflib[] = {
#embed "../../Registry/giflib.imgcoder.json"
};
static const uint8_t heif[] = {
#embed "../../Registry/heif.imgcoder.json"
};
static const uint8_t icns[] = {
#embed "../../Registry/icns.imgcoder.json"
};
static const uint8_t ico[] = {
#embed "../../Registry/ico.imgcoder.json"
};
static const uint8_t jpeg[] = {
#embed "../../Registry/jpeg.imgcoder.json"
};
static const uint8_t jpeg2000[] = {
#embed "../../Registry/jpeg2000.imgcoder.json"
};
static const uint8_t jxl[] = {
#embed "../../Registry/jxl.imgcoder.json"
};
static const uint8_t libheif[] = {
#embed "../../Registry/libheif.imgcoder.json"
};
static const uint8_t png[] = {
#embed "../../Registry/png.imgcoder.json"
};
static const uint8_t pnm[] = {
#embed "../../Registry/pnm.imgcoder.json"
};
static const uint8_t qoi[] = {
#embed "../../Registry/qoi.imgcoder.json"
};
static const uint8_t tiff[] = {
#embed "../../Registry/tiff.imgcoder.json"
};
static const uint8_t webp[] = {
#embed "../../Registry/webp.imgcoder.json"
};

MANIFEST(avif)
MANIFEST(bmp)
MANIFEST(gif)
MANIFEST(giflib)
MANIFEST(heif)
MANIFEST(icns)
MANIFEST(ico)
MANIFEST(jpeg)
MANIFEST(jpeg2000)
MANIFEST(jxl)
MANIFEST(libheif)
MANIFEST(png)
MANIFEST(pnm)
MANIFEST(qoi)
MANIFEST(tiff)
MANIFEST(webp)
