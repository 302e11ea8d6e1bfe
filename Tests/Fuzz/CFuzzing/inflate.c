// SPDX-License-Identifier: Apache-2.0
//
// The inflate of the PNG coder beside zlib's, for streams of a fuzzer. The coder is not linked, since it
// needs libraries that may be missing: its sources are compiled once more, under other names.

#include <dlfcn.h>

#include "CFuzzing.h"

#if __has_include(<zlib.h>) && __has_include(<libdeflate.h>)
#define inflate_begin fuzzing_inflate_begin
#define inflate_piece fuzzing_inflate_piece
#define inflate_around_blocks fuzzing_inflate_around_blocks
#define inflate_make_code_table fuzzing_make_code_table
#define inflate_make_lane_tables fuzzing_make_lane_tables
#define inflate_make_tables fuzzing_make_tables
#define inflate_run_lanes fuzzing_run_lanes
#define processor_has_avx2 fuzzing_has_avx2
#define processor_has_bmi2 fuzzing_has_bmi2
#define processor_has_sse41 fuzzing_has_sse41
#define processor_has_ssse3 fuzzing_has_ssse3
#define libdeflate_adler32 fuzzing_adler32
#include "../../../Plugins/Kernels/CDeflate/inflate.c"
#include "../../../Plugins/Kernels/CDeflate/inflate_header.c"
#include "../../../Plugins/Kernels/CDeflate/inflate_lanes.c"
#include "../../../Plugins/Kernels/CDeflate/inflate_tables.c"
#include "../../../Plugins/Kernels/CProcessor/processor.c"

#include <zlib.h>

// RFC 1950, section 9, where the coder takes libdeflate's.
uint32_t fuzzing_adler32(uint32_t sum, const void *bytes, size_t length) {
  const uint8_t *next = bytes;
  uint32_t low = sum & 0xFFFF, high = sum >> 16;
  for (size_t i = 0; i < length; i++) {
    low = (low + next[i]) % 65521;
    high = (high + low) % 65521;
  }
  return high << 16 | low;
}

// Output that is looked at.
#define MOST (1u << 20)

static int (*zlib_begin)(z_streamp, const char *, int);
static int (*zlib_inflate)(z_streamp, int);
static int (*zlib_end)(z_streamp);

// zlib is loaded, so that the program links without it.
#define inflateInit_ zlib_begin
#define inflate zlib_inflate
#define inflateEnd zlib_end
#include "../../Kernels/any_codes.h"

int fuzzing_has_zlib(void) {
  if (zlib_end) return 1;
  void *library = dlopen("libz.so.1", RTLD_NOW);
  if (!library) return 0;
  zlib_begin = (int (*)(z_streamp, const char *, int))dlsym(library, "inflateInit_");
  zlib_inflate = (int (*)(z_streamp, int))dlsym(library, "inflate");
  zlib_end = (int (*)(z_streamp))dlsym(library, "inflateEnd");
  return zlib_begin && zlib_inflate && zlib_end;
}

int fuzzing_inflates_as_zlib(const uint8_t *stream, size_t length, uint64_t chosen) {
  static uint8_t *out[2];
  for (int i = 0; i < 2; i++) {
    if (!out[i]) out[i] = malloc(MOST);
    if (!out[i]) return 1;
  }
  outcome expected, found;
  seed = chosen;
  return inflates_as_zlib(stream, length, out, below(4) == 0, &expected, &found);
}

size_t fuzzing_any_stream(uint64_t number, uint8_t *stream) {
  seed = number;
  return make_any_stream(stream);
}
#else
int fuzzing_has_zlib(void) { return 0; }
size_t fuzzing_any_stream(uint64_t number, uint8_t *stream) { return 0; }
int fuzzing_inflates_as_zlib(const uint8_t *stream, size_t length, uint64_t seed) { return 1; }
#endif
