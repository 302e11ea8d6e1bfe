// SPDX-License-Identifier: Apache-2.0
//
// The folders of fonts, as fontconfig names them in a server whose plugin has set it up: asked before the lock, and through
// the library that the plugin has loaded, so that a worker of another plugin has nothing of it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "worker.h"

enum { MOST_FOLDERS = 128, MOST_FONTS = 65536 };

// fontconfig's own set of fonts, as its header has it.
typedef struct font_set {
  int count, size;
  void **fonts;
} font_set;

static const int system_fonts = 0;

static char *folders[MOST_FOLDERS];
static unsigned folder_count;

unsigned fonts_folders(void) { return folder_count; }
const char *fonts_folder(unsigned index) { return index < folder_count ? folders[index] : NULL; }

static int is_inside(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

int fonts_hold(const char *path) {
  for (unsigned index = 0; index < folder_count; index++) {
    if (is_inside(path, folders[index])) return 1;
  }
  return 0;
}

// A configuration may name any folder. One directly below the root, or one that the user's home is in, has more than fonts.
static int may_be_read(const char *path) {
  const char *home = getenv("HOME");
  if (path[0] != '/' || !strchr(path + 1, '/') || strstr(path, "/../") || strlen(path) >= PATH_MAX - 64) return 0;
  if (home && home[0] == '/' && is_inside(home, path)) return 0;
  return !is_inside(path, "/proc") && !is_inside(path, "/sys") && !is_inside(path, "/dev");
}

static void add_path(const char *path) {
  struct stat found;
  if (!may_be_read(path) || fonts_hold(path) || folder_count == MOST_FOLDERS) return;
  if (stat(path, &found) != 0 || !S_ISDIR(found.st_mode)) return;
  folders[folder_count] = strdup(path);
  if (folders[folder_count]) folder_count += 1;
}

// A folder by the name that fontconfig knows, and by the name without links: each layer goes by one of them.
static void add(const char *path) {
  char real[PATH_MAX];
  if (!realpath(path, real) || !may_be_read(real)) return;
  add_path(real);
  add_path(path);
}

static void add_list(void *library, const char *call) {
  void *(*list)(void *) = (void *(*)(void *))dlsym(library, call);
  const char *(*next)(void *) = (const char *(*)(void *))dlsym(library, "FcStrListNext");
  void (*done)(void *) = (void (*)(void *))dlsym(library, "FcStrListDone");
  void *paths = list && next && done ? list(NULL) : NULL;
  if (!paths) return;
  const char *path;
  while ((path = next(paths))) add(path);
  done(paths);
}

// Folders of fonts that are links to files elsewhere.
static void add_files(void *library) {
  const font_set *(*get)(void *, int) = (const font_set *(*)(void *, int))dlsym(library, "FcConfigGetFonts");
  int (*text)(void *, const char *, int, const char **) =
      (int (*)(void *, const char *, int, const char **))dlsym(library, "FcPatternGetString");
  const font_set *fonts = get && text ? get(NULL, system_fonts) : NULL;
  for (int index = 0; fonts && index < fonts->count && index < MOST_FONTS; index++) {
    const char *path = NULL;
    char real[PATH_MAX];
    if (text(fonts->fonts[index], "file", 0, &path) != 0 || !path || !realpath(path, real) || fonts_hold(real)) continue;
    char *name = strrchr(real, '/');
    if (name && name != real) *name = 0, add(real);
  }
}

void fonts_find(void) {
  void *library = dlopen("libfontconfig.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!library) return;
  add_list(library, "FcConfigGetFontDirs");
  add_files(library);
  add_list(library, "FcConfigGetCacheDirs");
}
