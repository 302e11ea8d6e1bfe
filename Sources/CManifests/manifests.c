// SPDX-License-Identifier: Apache-2.0
//
// Written by scripts/make-tables from the manifests in Registry.

#include "CManifests.h"

// Swift's own compiler, which builds this, has #embed.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t avif[] = {
#embed "../../Registry/avif.imgcoder.json"
};
cmanifests_text cmanifests_avif(void) { return (cmanifests_text){avif, sizeof avif}; }

static const uint8_t bmp[] = {
#embed "../../Registry/bmp.imgcoder.json"
};
cmanifests_text cmanifests_bmp(void) { return (cmanifests_text){bmp, sizeof bmp}; }

static const uint8_t exr[] = {
#embed "../../Registry/exr.imgcoder.json"
};
cmanifests_text cmanifests_exr(void) { return (cmanifests_text){exr, sizeof exr}; }

static const uint8_t gif[] = {
#embed "../../Registry/gif.imgcoder.json"
};
cmanifests_text cmanifests_gif(void) { return (cmanifests_text){gif, sizeof gif}; }

static const uint8_t giflib[] = {
#embed "../../Registry/giflib.imgcoder.json"
};
cmanifests_text cmanifests_giflib(void) { return (cmanifests_text){giflib, sizeof giflib}; }

static const uint8_t hdr[] = {
#embed "../../Registry/hdr.imgcoder.json"
};
cmanifests_text cmanifests_hdr(void) { return (cmanifests_text){hdr, sizeof hdr}; }

static const uint8_t heif[] = {
#embed "../../Registry/heif.imgcoder.json"
};
cmanifests_text cmanifests_heif(void) { return (cmanifests_text){heif, sizeof heif}; }

static const uint8_t icns[] = {
#embed "../../Registry/icns.imgcoder.json"
};
cmanifests_text cmanifests_icns(void) { return (cmanifests_text){icns, sizeof icns}; }

static const uint8_t ico[] = {
#embed "../../Registry/ico.imgcoder.json"
};
cmanifests_text cmanifests_ico(void) { return (cmanifests_text){ico, sizeof ico}; }

static const uint8_t jpeg[] = {
#embed "../../Registry/jpeg.imgcoder.json"
};
cmanifests_text cmanifests_jpeg(void) { return (cmanifests_text){jpeg, sizeof jpeg}; }

static const uint8_t jpeg2000[] = {
#embed "../../Registry/jpeg2000.imgcoder.json"
};
cmanifests_text cmanifests_jpeg2000(void) { return (cmanifests_text){jpeg2000, sizeof jpeg2000}; }

static const uint8_t jxl[] = {
#embed "../../Registry/jxl.imgcoder.json"
};
cmanifests_text cmanifests_jxl(void) { return (cmanifests_text){jxl, sizeof jxl}; }

static const uint8_t libheif[] = {
#embed "../../Registry/libheif.imgcoder.json"
};
cmanifests_text cmanifests_libheif(void) { return (cmanifests_text){libheif, sizeof libheif}; }

static const uint8_t png[] = {
#embed "../../Registry/png.imgcoder.json"
};
cmanifests_text cmanifests_png(void) { return (cmanifests_text){png, sizeof png}; }

static const uint8_t pnm[] = {
#embed "../../Registry/pnm.imgcoder.json"
};
cmanifests_text cmanifests_pnm(void) { return (cmanifests_text){pnm, sizeof pnm}; }

static const uint8_t psd[] = {
#embed "../../Registry/psd.imgcoder.json"
};
cmanifests_text cmanifests_psd(void) { return (cmanifests_text){psd, sizeof psd}; }

static const uint8_t qoi[] = {
#embed "../../Registry/qoi.imgcoder.json"
};
cmanifests_text cmanifests_qoi(void) { return (cmanifests_text){qoi, sizeof qoi}; }

static const uint8_t raw[] = {
#embed "../../Registry/raw.imgcoder.json"
};
cmanifests_text cmanifests_raw(void) { return (cmanifests_text){raw, sizeof raw}; }

static const uint8_t svg[] = {
#embed "../../Registry/svg.imgcoder.json"
};
cmanifests_text cmanifests_svg(void) { return (cmanifests_text){svg, sizeof svg}; }

static const uint8_t tiff[] = {
#embed "../../Registry/tiff.imgcoder.json"
};
cmanifests_text cmanifests_tiff(void) { return (cmanifests_text){tiff, sizeof tiff}; }

static const uint8_t webp[] = {
#embed "../../Registry/webp.imgcoder.json"
};
cmanifests_text cmanifests_webp(void) { return (cmanifests_text){webp, sizeof webp}; }
