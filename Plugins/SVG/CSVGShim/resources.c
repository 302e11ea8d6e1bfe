// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CSVGShim.h"

#include <fcntl.h>
#include <fontconfig/fontconfig.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Of pictures inside a drawing, those whose loaders are a part of gdk-pixbuf. In a worker others could not be loaded, since
// they are libraries of their own, and should not: they are code for formats that no drawing has.
static void keep_common_pictures(void) {
  GSList *formats = gdk_pixbuf_get_formats();
  for (GSList *next = formats; next; next = next->next) {
    gchar *name = gdk_pixbuf_format_get_name(next->data);
    if (name && strcmp(name, "png") != 0 && strcmp(name, "jpeg") != 0) gdk_pixbuf_format_set_disabled(next->data, TRUE);
    g_free(name);
  }
  g_slist_free(formats);
}

void csvg_load_if_asked(void) {
  if (!getenv("IMGCODER_LOAD_ALL")) return;
  FcInit();
  keep_common_pictures();
}

static int can_open(const FcPattern *font) {
  FcChar8 *path = NULL;
  if (FcPatternGetString(font, FC_FILE, 0, &path) != FcResultMatch) return 0;
  int file = open((const char *)path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  close(file);
  return 1;
}

int csvg_has_fonts(void) {
  const FcFontSet *fonts = FcInit() ? FcConfigGetFonts(NULL, FcSetSystem) : NULL;
  for (int index = 0; fonts && index < fonts->nfont; index++) {
    if (can_open(fonts->fonts[index])) return 1;
    // A list whose first files are all gone is old.
    if (index == 16) break;
  }
  return 0;
}
