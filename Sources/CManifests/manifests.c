// SPDX-License-Identifier: Apache-2.0
//
// Written by scripts/make-tables from the manifests in Registry.

#include "CManifests.h"

#include <string.h>

// Swift's own compiler, which builds this, has #embed.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t avif[] = {
#embed "../../Registry/avif.imgcoder.json"
};

static const uint8_t bmp[] = {
#embed "../../Registry/bmp.imgcoder.json"
};

static const uint8_t exr[] = {
#embed "../../Registry/exr.imgcoder.json"
};

static const uint8_t gif[] = {
#embed "../../Registry/gif.imgcoder.json"
};

static const uint8_t giflib[] = {
#embed "../../Registry/giflib.imgcoder.json"
};

static const uint8_t hdr[] = {
#embed "../../Registry/hdr.imgcoder.json"
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

static const uint8_t psd[] = {
#embed "../../Registry/psd.imgcoder.json"
};

static const uint8_t qoi[] = {
#embed "../../Registry/qoi.imgcoder.json"
};

static const uint8_t raw[] = {
#embed "../../Registry/raw.imgcoder.json"
};

static const uint8_t svg[] = {
#embed "../../Registry/svg.imgcoder.json"
};

static const uint8_t tiff[] = {
#embed "../../Registry/tiff.imgcoder.json"
};

static const uint8_t webp[] = {
#embed "../../Registry/webp.imgcoder.json"
};

static const struct {
  const char *name;
  cmanifests_text text;
} manifests[] = {
    {"avif", {avif, sizeof avif}},
    {"bmp", {bmp, sizeof bmp}},
    {"exr", {exr, sizeof exr}},
    {"gif", {gif, sizeof gif}},
    {"giflib", {giflib, sizeof giflib}},
    {"hdr", {hdr, sizeof hdr}},
    {"heif", {heif, sizeof heif}},
    {"icns", {icns, sizeof icns}},
    {"ico", {ico, sizeof ico}},
    {"jpeg", {jpeg, sizeof jpeg}},
    {"jpeg2000", {jpeg2000, sizeof jpeg2000}},
    {"jxl", {jxl, sizeof jxl}},
    {"libheif", {libheif, sizeof libheif}},
    {"png", {png, sizeof png}},
    {"pnm", {pnm, sizeof pnm}},
    {"psd", {psd, sizeof psd}},
    {"qoi", {qoi, sizeof qoi}},
    {"raw", {raw, sizeof raw}},
    {"svg", {svg, sizeof svg}},
    {"tiff", {tiff, sizeof tiff}},
    {"webp", {webp, sizeof webp}},
};

cmanifests_text cmanifests_named(const char *name) {
  for (size_t i = 0; i < sizeof manifests / sizeof *manifests; i++) {
    if (strcmp(manifests[i].name, name) == 0) return manifests[i].text;
  }
  return (cmanifests_text){0, 0};
}
