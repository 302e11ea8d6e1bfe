// SPDX-License-Identifier: Apache-2.0

#include "failure.h"

#include <jerror.h>
#include <string.h>

#if JMSG_LENGTH_MAX > 256
#error "cjpeg_report.message is shorter than the library's messages"
#endif

// Every error code of the library that is not plainly the file's fault while decoding.
static imgcoder_status status_of(int code, int is_decoding) {
  switch (code) {
    case JERR_OUT_OF_MEMORY:
      return IMGCODER_STATUS_OUT_OF_MEMORY;
    case JERR_NO_BACKING_STORE:  // max_memory_to_use was reached
      return IMGCODER_STATUS_LIMIT_EXCEEDED;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_IMAGE_TOO_BIG:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
    case JERR_WIDTH_OVERFLOW:
      return IMGCODER_STATUS_UNSUPPORTED;
    case JERR_BAD_ALIGN_TYPE:
    case JERR_BAD_ALLOC_CHUNK:
    case JERR_BAD_BUFFER_MODE:
    case JERR_BAD_LIB_VERSION:
    case JERR_BAD_POOL_ID:
    case JERR_BAD_STATE:
    case JERR_BAD_STRUCT_SIZE:
    case JERR_BAD_VIRTUAL_ACCESS:
    case JERR_BUFFER_SIZE:
    case JERR_CANT_SUSPEND:
    case JERR_VIRTUAL_BUG:
      return IMGCODER_STATUS_LIBRARY;
    default:
      return is_decoding ? IMGCODER_STATUS_MALFORMED : IMGCODER_STATUS_LIBRARY;
  }
}

static failure *failure_of(j_common_ptr cinfo) { return (failure *)cinfo->err; }

void failure_describe(j_common_ptr cinfo) { cinfo->err->format_message(cinfo, failure_of(cinfo)->report->message); }

void failure_escape(j_common_ptr cinfo, imgcoder_status status) {
  failure *failure = failure_of(cinfo);
  failure->report->status = status;
  longjmp(failure->escape, 1);
}

static void on_decode_error(j_common_ptr cinfo) {
  failure_describe(cinfo);
  failure_escape(cinfo, status_of(cinfo->err->msg_code, 1));
}

static void on_encode_error(j_common_ptr cinfo) {
  failure_describe(cinfo);
  failure_escape(cinfo, status_of(cinfo->err->msg_code, 0));
}

// The library's own versions of these two write to stderr.
static void on_message(j_common_ptr cinfo, int level) {
  (void)cinfo;
  (void)level;
}
static void on_output(j_common_ptr cinfo) { (void)cinfo; }

struct jpeg_error_mgr *failure_begin(failure *failure, cjpeg_report *report, int is_decoding) {
  memset(report, 0, sizeof *report);
  report->offset = -1;
  failure->report = report;
  jpeg_std_error(&failure->errors);
  failure->errors.error_exit = is_decoding ? on_decode_error : on_encode_error;
  failure->errors.emit_message = on_message;
  failure->errors.output_message = on_output;
  return &failure->errors;
}

#define TEXT_OF(token) #token
#define TEXT(token) TEXT_OF(token)

const char *cjpeg_library(void) { return "libjpeg-turbo " TEXT(LIBJPEG_TURBO_VERSION); }
