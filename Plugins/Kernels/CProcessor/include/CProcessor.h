// SPDX-License-Identifier: Apache-2.0
//
// What this processor has. The answers are kept: asking takes microseconds in a virtual machine. Any thread may ask.

#ifndef CPROCESSOR_H
#define CPROCESSOR_H

// Shuffles of bytes.
int processor_has_ssse3(void);
// What the functions in `vectors.h` use that begin with VECTORS_SSE41.
int processor_has_sse41(void);
// Vectors of 32 bytes, which loops in plain C become where they may. Only x86-64 has something to gain.
int processor_has_avx2(void);
// Shifts that take their count from any register. Only x86-64 has something to gain.
int processor_has_bmi2(void);

#endif
