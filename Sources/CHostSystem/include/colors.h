// SPDX-License-Identifier: Apache-2.0
//
// Little CMS, if the machine has it: a library that is looked for when a profile first needs it. Nothing of its headers
// is needed to build.

#ifndef CHOSTSYSTEM_COLORS_H
#define CHOSTSYSTEM_COLORS_H

#include <stddef.h>
#include <stdint.h>

// A conversion of pixels: four floats each, red, green and blue from 0 to 1, and alpha, which is copied.
typedef struct chostsystem_colors chostsystem_colors;

// Whether the library is there and has all functions that are needed. It is looked for once.
int chostsystem_colors_available(void);

// Makes a conversion from one profile to another.
//   intent   0 perceptual, 1 relative, 2 saturation, 3 absolute
//   takes_inks  whether the source's pixels are cyan, magenta, yellow and black, 0 to 100; nothing is copied then
//   limit    bytes of memory that the library may use for it
//   message  what the library says is wrong, terminated; at least 1 byte
//   returns  null if the library is not there or refuses a profile
// [any]
chostsystem_colors *chostsystem_colors_open(const void *source, size_t source_size, const void *target,
                                            size_t target_size, uint32_t intent, int compensates_black, int takes_inks,
                                            size_t limit, char *message, size_t message_size);

// Converts pixels. `source` may be `target`. Several threads may use one conversion. [any]
void chostsystem_colors_convert(const chostsystem_colors *colors, const float *source, float *target, size_t count);

void chostsystem_colors_close(chostsystem_colors *colors);

#endif
