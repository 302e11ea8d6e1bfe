// SPDX-License-Identifier: Apache-2.0
//
// Loops that are compiled twice: for every processor, and for those that have vectors of 32 bytes, which are asked for when
// the program runs.

#ifndef CPROCESSING_WIDE_H
#define CPROCESSING_WIDE_H

#include "CProcessor.h"

#define INLINE static inline __attribute__((always_inline, unused))

#if defined(__x86_64__)
#define HAS_WIDE
#define WIDE __attribute__((target("avx2")))
#define CHOSEN(name, ...) (processor_has_avx2() ? name##_wide(__VA_ARGS__) : name##_narrow(__VA_ARGS__))
#else
#define CHOSEN(name, ...) name##_narrow(__VA_ARGS__)
#endif

// All that takes vectors is inlined: it does not matter how they would be passed.
#pragma GCC diagnostic ignored "-Wpsabi"

#endif
