// SPDX-License-Identifier: Apache-2.0

#ifndef CDEFLATE_PROCESSOR_H
#define CDEFLATE_PROCESSOR_H

#if defined(__x86_64__)
// Whether shifts take their count from any register.
int processor_has_bmi2(void);
#endif

#endif
