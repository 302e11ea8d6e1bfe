// SPDX-License-Identifier: Apache-2.0
//
// How a call into libjpeg ends early. Private to the shim.

#ifndef CJPEG_FAILURE_H
#define CJPEG_FAILURE_H

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "CJPEGShim.h"

// libjpeg's error manager with the place that its errors jump to.
typedef struct failure {
  struct jpeg_error_mgr errors;  // first: libjpeg hands back a pointer to it
  jmp_buf escape;
  cjpeg_report *report;
} failure;

// Sets the error manager up; `is_decoding` decides whose fault an error of the library is.
struct jpeg_error_mgr *failure_begin(failure *failure, cjpeg_report *report, int is_decoding);

// Writes the message that the library has at hand into the report.
void failure_describe(j_common_ptr cinfo);

// Leaves the call with a status.
_Noreturn void failure_escape(j_common_ptr cinfo, imgcoder_status status);

#endif
