// SPDX-License-Identifier: Apache-2.0
//
// Written by scripts/make-tables from the manifests in Registry.

// The manifests of the coders that come with this library, as the files in `Registry` have them, for coders that are built
// into a program: no file is read at run time.

#ifndef CMANIFESTS_H
#define CMANIFESTS_H

#include <stdint.h>

typedef struct cmanifests_text {
  const uint8_t *bytes;
  uint64_t count;
} cmanifests_text;

cmanifests_text cmanifests_avif(void);
cmanifests_text cmanifests_bmp(void);
cmanifests_text cmanifests_exr(void);
cmanifests_text cmanifests_gif(void);
cmanifests_text cmanifests_giflib(void);
cmanifests_text cmanifests_hdr(void);
cmanifests_text cmanifests_heif(void);
cmanifests_text cmanifests_icns(void);
cmanifests_text cmanifests_ico(void);
cmanifests_text cmanifests_jpeg(void);
cmanifests_text cmanifests_jpeg2000(void);
cmanifests_text cmanifests_jxl(void);
cmanifests_text cmanifests_libheif(void);
cmanifests_text cmanifests_png(void);
cmanifests_text cmanifests_pnm(void);
cmanifests_text cmanifests_psd(void);
cmanifests_text cmanifests_qoi(void);
cmanifests_text cmanifests_raw(void);
cmanifests_text cmanifests_svg(void);
cmanifests_text cmanifests_tiff(void);
cmanifests_text cmanifests_webp(void);

#endif
