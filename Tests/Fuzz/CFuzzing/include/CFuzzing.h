// SPDX-License-Identifier: Apache-2.0
//
// What Swift cannot declare: the calls of libFuzzer, a coder that lies, and decoders of C beside others.

#ifndef CFUZZING_H
#define CFUZZING_H

#include <stddef.h>
#include <stdint.h>

#include "imgcoder/imgcoder.h"

// libFuzzer's: runs `body` on input after input until its time is over, and returns the exit status. There in a build
// with libFuzzer alone.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*body)(const uint8_t *bytes, size_t size));

// libFuzzer's: changes bytes in place, `most` at the most, and returns how many there are.
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

// A coder whose answers are taken from a script: sizes, counts, offsets, flags and statuses may be anything. What it
// says of memory is true, since a plugin in the process could write anywhere anyhow.
const imgcoder_coder *fuzzing_liar(const imgcoder_host *host);

// Whether there is a zlib to compare with.
int fuzzing_has_zlib(void);

// Whether the inflate of the PNG coder makes of a stream what zlib does: the same bytes, and the same verdict.
//   seed  of the sizes of pieces and windows
int fuzzing_inflates_as_zlib(const uint8_t *stream, size_t length, uint64_t seed);

// A zlib stream of codes that no encoder chooses; each number is another one.
//   stream   room for 2^20 bytes
//   returns  its length; 0 without zlib
size_t fuzzing_any_stream(uint64_t number, uint8_t *stream);

// Whether there is a libwebp to compare with.
int fuzzing_has_libwebp(void);

// Whether the lossless decoder of the WebP coder makes of a VP8L bitstream what libwebp does: the same rows, as far as both come, and
// all of them only if libwebp has all.
//   at_once  rows that are asked for in one call, from 1 on
int fuzzing_decodes_as_libwebp(const uint8_t *bitstream, size_t length, uint32_t at_once);

// From now on, memory of malloc is full of these bytes when it is given out. AddressSanitizer has its own bytes, and this
// does nothing then.
void fuzzing_fill_memory(uint8_t byte);

#endif
