// SPDX-License-Identifier: Apache-2.0

#ifndef CLAIMS_H
#define CLAIMS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imagecoders.h"

#define HOLDS(claim) \
  do { \
    if (!(claim)) fail(__FILE__, __LINE__, #claim); \
  } while (0)
#define IS(call, status) HOLDS((call) == (int32_t)(status))

extern ic_registry *registry;
extern const char *fixtures;
extern int is_slow;

void fail(const char *file, int line, const char *text);
ic_source bytes_of(const void *bytes, size_t count);
// A fixture; the path is good until eight others were asked for.
ic_source path_of(const char *name);
// A fixture's bytes, which the caller frees.
uint8_t *contents(const char *name, size_t *count);
// A picture of the caller's: 32×24 of IC_RGB8, with slow changes, in rows of 100 bytes.
ic_pixels gradient(uint8_t *memory, uint32_t phase);
int same_pixels(const ic_pixels *one, const ic_pixels *other, uint32_t bytes_per_pixel);

void encodes(void);
void opens(void);
void batches(void);
void streams(void);
void sinks(void);
void writers(void);
void conversions(void);
void parts(void);

#endif
