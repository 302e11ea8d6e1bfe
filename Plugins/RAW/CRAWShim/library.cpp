// SPDX-License-Identifier: Apache-2.0

#include "library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace craw {

namespace {

// In 0.21 the processing of raw data got parameters of its own.
#if LIBRAW_VERSION >= LIBRAW_MAKE_VERSION(0, 21, 0)
libraw_raw_unpack_params_t &raw_parameters(libraw_data_t &data) { return data.rawparams; }
constexpr unsigned kQuiet = LIBRAW_OPTIONS_NO_DATAERR_CALLBACK;
#else
libraw_output_params_t &raw_parameters(libraw_data_t &data) { return data.params; }
constexpr unsigned kQuiet = LIBRAW_OPIONS_NO_MEMERR_CALLBACK | LIBRAW_OPIONS_NO_DATAERR_CALLBACK;
#endif

// The library's own default is this much, whatever the machine.
constexpr uint64_t kMostMegabytes = 2048;

using ThreadCount = int (*)();
using SetThreadCount = void (*)(int);

// A library without OpenMP brings no such functions.
template <typename Function>
Function open_mp(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

#if LIBRAW_VERSION < LIBRAW_MAKE_VERSION(0, 21, 0)
// A mosaic of six by six colors whose size no tag has stated before is copied into the first row of a table by 0.20. gcc makes an
// endless loop of that, which overwrites memory. The library asks here before it looks at a tag of a directory.
void refuse_pattern(void *context, int tag, int, int length, unsigned, void *, INT64) {
  constexpr int kPlace = 0xF0000, kPanasonic = 0x30000, kPattern = 0x828E, kPatternOfKodak = 0xFD09;
  const int place = tag & kPlace, number = tag & 0xFFFF;
  if ((place != 0 && place != kPanasonic) || length != 36) return;
  const bool has_size = static_cast<OpenFile *>(context)->data().idata.filters == 9;
  if (number == kPatternOfKodak || (number == kPattern && !has_size)) throw LIBRAW_EXCEPTION_DECODE_RAW;
}
#endif

}  // namespace

OpenFile::OpenFile(const imgcoder_host *host) : host_(host), library_(new LibRaw(kQuiet)) {
#if LIBRAW_VERSION < LIBRAW_MAKE_VERSION(0, 21, 0)
  library_->set_exifparser_handler(refuse_pattern, this);
#endif
  library_->set_progress_handler(progress, this);
  library_->set_dataerror_handler(damaged, this);
  uint64_t megabytes = host->limits->max_memory >> 20;
  raw_parameters(data()).max_raw_memory_mb = static_cast<unsigned>(std::clamp<uint64_t>(megabytes, 1, kMostMegabytes));
  libraw_output_params_t &parameters = data().params;
  parameters.output_color = 1;  // the primaries of sRGB
  parameters.output_bps = 16;
  // IEC 61966-2-1: an exponent of 1/2.4 over a line of 12.92.
  parameters.gamm[0] = 1 / 2.4;
  parameters.gamm[1] = 12.92;
}

// The library takes a pointer to bytes that it may change, and only reads them.
FileBytes::FileBytes(const uint8_t *bytes, size_t length)
    : LibRaw_buffer_datastream(const_cast<uint8_t *>(bytes), length) {}

int FileBytes::read(void *target, size_t size, size_t count) {
  size_t wanted = 0;
  if (__builtin_mul_overflow(size, count, &wanted)) return 0;
  const INT64 left = std::max<INT64>(this->size() - tell(), 0);
  const size_t there = std::min(wanted, static_cast<size_t>(left));
  if (there < wanted) std::memset(static_cast<uint8_t *>(target) + there, 0, wanted - there);
  if (wanted > 0 && there == 0) ended = true;
  return LibRaw_buffer_datastream::read(target, size, count);
}

int OpenFile::open(const uint8_t *bytes, size_t length) {
  bytes_ = std::make_unique<FileBytes>(bytes, length);
  return library_->open_datastream(bytes_.get());
}

int OpenFile::unpack() {
  bytes_->ended = false;
  const int code = library_->unpack();
  if (bytes_->ended) is_truncated_ = true;
  return code;
}

int OpenFile::progress(void *context, enum LibRaw_progress, int, int) {
  const imgcoder_host *host = static_cast<OpenFile *>(context)->host_;
  return host->is_cancelled(host) != 0;
}

void OpenFile::damaged(void *context, const char *, Offset offset) {
  OpenFile *file = static_cast<OpenFile *>(context);
  if (file->is_damaged_ || file->is_truncated_) return;
  // The library says -1 at the end of the file.
  (offset < 0 ? file->is_truncated_ : file->is_damaged_) = true;
  file->damage_ = offset;
}

SingleThread::SingleThread() {
  auto count = open_mp<ThreadCount>("omp_get_max_threads");
  auto set = open_mp<SetThreadCount>("omp_set_num_threads");
  if (!count || !set) return;
  earlier_ = count();
  set(1);
}

SingleThread::~SingleThread() {
  if (earlier_ < 1) return;
  if (auto set = open_mp<SetThreadCount>("omp_set_num_threads")) set(earlier_);
}

imgcoder_status fail(craw_failure *failure, imgcoder_status status, const char *message, int64_t offset) {
  failure->status = status;
  failure->offset = offset;
  std::snprintf(failure->message, sizeof failure->message, "%s", message);
  return status;
}

imgcoder_status library_failed(craw_failure *failure, int code, const char *step) {
  imgcoder_status status = IMGCODER_STATUS_LIBRARY;
  switch (code) {
    case LIBRAW_FILE_UNSUPPORTED:
    case LIBRAW_NOT_IMPLEMENTED:
    case LIBRAW_REQUEST_FOR_NONEXISTENT_IMAGE:
      status = IMGCODER_STATUS_UNSUPPORTED;
      break;
    case LIBRAW_UNSUFFICIENT_MEMORY:
    case LIBRAW_MEMPOOL_OVERFLOW:
      status = IMGCODER_STATUS_OUT_OF_MEMORY;
      break;
    case LIBRAW_DATA_ERROR:
    case LIBRAW_BAD_CROP:
      status = IMGCODER_STATUS_MALFORMED;
      break;
    case LIBRAW_IO_ERROR:
      status = IMGCODER_STATUS_TRUNCATED;
      break;
    case LIBRAW_CANCELLED_BY_CALLBACK:
      status = IMGCODER_STATUS_CANCELLED;
      break;
    case LIBRAW_TOO_BIG:
      status = IMGCODER_STATUS_LIMIT_EXCEEDED;
      break;
    default:
      break;
  }
  char message[sizeof failure->message];
  std::snprintf(message, sizeof message, "LibRaw cannot %s: %s (%d)", step, libraw_strerror(code), code);
  return fail(failure, status, message);
}

}  // namespace craw
