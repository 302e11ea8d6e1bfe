// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "colors.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is used of lcms2.h and lcms2_plugin.h, whose layout has been the same since version 2.0 (2.8 for COPY_ALPHA).
enum {
  FLAG_NO_CACHE = 0x0040,
  FLAG_NO_OPTIMIZATION = 0x0100,  // of which some are wrong by thousands of 65,535
  FLAG_BLACK_POINT = 0x2000,
  FLAG_COPY_ALPHA = 0x04000000,
  CMYK_FLOAT = 1 << 22 | 6 << 16 | 4 << 3 | 4,
  RGBA_FLOAT = 1 << 22 | 4 << 16 | 1 << 7 | 3 << 3 | 4,
  MINIMUM_VERSION = 2080
};

typedef struct {
  uint32_t magic, expected_version, type;
  void *next;
  void *(*allocate)(void *, uint32_t);
  void (*release)(void *, void *);
  void *(*reallocate)(void *, void *, uint32_t);
  void *others[3];
} memory_plugin;

static struct {
  void *(*create_context)(void *, void *);
  void (*delete_context)(void *);
  void (*set_log)(void *, void (*)(void *, uint32_t, const char *));
  void *(*open)(void *, const void *, uint32_t);
  int (*close)(void *);
  void *(*create)(void *, void *, uint32_t, void *, uint32_t, uint32_t, uint32_t);
  void (*delete)(void *);
  void (*run)(void *, const void *, void *, uint32_t);
  int (*version)(void);
  int available;
} library;

// What the calling thread works for: where memory is counted and messages go. The library's own contexts say it too late.
typedef struct {
  size_t used, limit;
  char *message;
  size_t message_size;
} account;

static _Thread_local account *current;

struct chostsystem_colors {
  void *context, *transform;
  account account;
};

// Before every block: its size.
#define LEAD (sizeof(size_t) > alignof(max_align_t) ? sizeof(size_t) : alignof(max_align_t))

static void *resize(void *block, size_t size) {
  size_t old = block ? *(size_t *)((char *)block - LEAD) : 0;
  if (size > old && current && size - old > current->limit - current->used) return NULL;
  char *memory = realloc(block ? (char *)block - LEAD : NULL, LEAD + size);
  if (!memory) return NULL;
  if (current) current->used = current->used - old + size;
  *(size_t *)memory = size;
  return memory + LEAD;
}

static void *allocate(void *context, uint32_t size) {
  (void)context;
  return resize(NULL, size);
}

static void *reallocate(void *context, void *block, uint32_t size) {
  (void)context;
  return resize(block, size);
}

static void release(void *context, void *block) {
  (void)context;
  if (!block) return;
  size_t size = *(size_t *)((char *)block - LEAD);
  if (current && current->used >= size) current->used -= size;
  free((char *)block - LEAD);
}

static void note(void *context, uint32_t code, const char *text) {
  (void)context;
  (void)code;
  // The first message names the cause.
  if (current && current->message && !current->message[0]) {
    snprintf(current->message, current->message_size, "%s", text);
  }
}

static int find(void *handle, const char *name, void *place) {
  void *symbol = dlsym(handle, name);
  memcpy(place, &symbol, sizeof symbol);
  return symbol != NULL;
}

static void load(void) {
  void *handle = dlopen("liblcms2.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
  library.available = find(handle, "cmsCreateContext", &library.create_context) &&
                      find(handle, "cmsDeleteContext", &library.delete_context) &&
                      find(handle, "cmsSetLogErrorHandlerTHR", &library.set_log) &&
                      find(handle, "cmsOpenProfileFromMemTHR", &library.open) &&
                      find(handle, "cmsCloseProfile", &library.close) &&
                      find(handle, "cmsCreateTransformTHR", &library.create) &&
                      find(handle, "cmsDeleteTransform", &library.delete) &&
                      find(handle, "cmsDoTransform", &library.run) &&
                      find(handle, "cmsGetEncodedCMMversion", &library.version) &&
                      library.version() >= MINIMUM_VERSION;
}

int chostsystem_colors_available(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return library.available;
}

static void open_transform(chostsystem_colors *colors, const void *source, uint32_t source_size, const void *target,
                           uint32_t target_size, uint32_t intent, int compensates_black, int takes_inks) {
  memory_plugin plugin = {0x61637070, MINIMUM_VERSION, 0x6D656D48, NULL, allocate, release, reallocate, {0}};
  colors->context = library.create_context(&plugin, NULL);
  if (!colors->context) return;
  library.set_log(colors->context, note);
  void *first = library.open(colors->context, source, source_size);
  void *second = first ? library.open(colors->context, target, target_size) : NULL;
  if (second) {
    // No cache: threads may share the conversion, and floats are rarely the same twice.
    uint32_t flags = FLAG_NO_CACHE | FLAG_NO_OPTIMIZATION | (takes_inks ? 0 : FLAG_COPY_ALPHA) |
                     (compensates_black ? FLAG_BLACK_POINT : 0);
    uint32_t format = takes_inks ? CMYK_FLOAT : RGBA_FLOAT;
    colors->transform = library.create(colors->context, first, format, second, RGBA_FLOAT, intent, flags);
    library.close(second);
  }
  if (first) library.close(first);
}

chostsystem_colors *chostsystem_colors_open(const void *source, size_t source_size, const void *target,
                                            size_t target_size, uint32_t intent, int compensates_black, int takes_inks,
                                            size_t limit, char *message, size_t message_size) {
  message[0] = 0;
  if (!chostsystem_colors_available()) {
    snprintf(message, message_size, "liblcms2.so.2, version 2.8 or later, is not there");
    return NULL;
  }
  if (source_size > UINT32_MAX || target_size > UINT32_MAX) return NULL;
  chostsystem_colors *colors = calloc(1, sizeof *colors);
  if (!colors) return NULL;
  colors->account = (account){0, limit, message, message_size};
  account *before = current;
  current = &colors->account;
  open_transform(colors, source, (uint32_t)source_size, target, (uint32_t)target_size, intent, compensates_black,
                 takes_inks);
  current = before;
  colors->account.message = NULL;
  if (colors->transform) return colors;
  chostsystem_colors_close(colors);
  if (!message[0]) snprintf(message, message_size, "Little CMS refuses a profile, or needs more memory than it may use");
  return NULL;
}

void chostsystem_colors_convert(const chostsystem_colors *colors, const float *source, float *target, size_t count) {
  library.run(colors->transform, source, target, (uint32_t)count);
}

void chostsystem_colors_close(chostsystem_colors *colors) {
  if (!colors) return;
  account *before = current;
  current = &colors->account;
  if (colors->transform) library.delete(colors->transform);
  if (colors->context) library.delete_context(colors->context);
  current = before;
  free(colors);
}
