// SPDX-License-Identifier: Apache-2.0

#ifndef CRAW_LIBRARY_HPP
#define CRAW_LIBRARY_HPP

#include <libraw/libraw.h>

#include <exception>
#include <memory>
#include <new>

#include "CRAWShim.h"

namespace craw {

// What the library calls with a place of damage: it got 64 bits in 0.22.
template <typename Callback>
struct PlaceOf;
template <typename Place>
struct PlaceOf<void (*)(void *, const char *, Place)> {
  using Type = Place;
};
using Offset = PlaceOf<data_callback>::Type;

/// The bytes of a file. What it ends before is 0: some readers of LibRaw take what memory held for samples.
class FileBytes : public LibRaw_buffer_datastream {
 public:
  FileBytes(const uint8_t *bytes, size_t length);
  int read(void *target, size_t size, size_t count) override;

  /// Whether a read began at the end of the file, since this was last set.
  bool ended = false;
};

/// A file that LibRaw has open. LibRaw is larger than what a stack of a thread should hold.
class OpenFile {
 public:
  OpenFile(const imgcoder_host *host);

  /// Returns a code of LibRaw.
  int open(const uint8_t *bytes, size_t length);

  /// Unpacks the samples, and notes where the file ends before them. Returns a code of LibRaw.
  int unpack();

  LibRaw &library() { return *library_; }
  libraw_data_t &data() { return library_->imgdata; }

  /// Whether the library met damaged data, and whether it met the end of the file.
  bool is_damaged() const { return is_damaged_; }
  bool is_truncated() const { return is_truncated_; }
  int64_t damage() const { return damage_; }

 private:
  static int progress(void *context, enum LibRaw_progress, int, int);
  static void damaged(void *context, const char *, Offset offset);

  const imgcoder_host *host_;
  // The library reads it as long as it lives.
  std::unique_ptr<FileBytes> bytes_;
  std::unique_ptr<LibRaw> library_;
  bool is_damaged_ = false;
  bool is_truncated_ = false;
  int64_t damage_ = -1;
};

/// One thread for all that the library does as long as this lives: builds with OpenMP would start their own.
class SingleThread {
 public:
  SingleThread();
  ~SingleThread();
  SingleThread(const SingleThread &) = delete;
  SingleThread &operator=(const SingleThread &) = delete;

 private:
  int earlier_ = 0;
};

/// Records why a call failed.
imgcoder_status fail(craw_failure *failure, imgcoder_status status, const char *message, int64_t offset = -1);

/// Records what a code of LibRaw means. No overload of `fail`: to the compiler, its statuses are whole numbers, too.
imgcoder_status library_failed(craw_failure *failure, int code, const char *step);

/// Calls a function, and makes failures of its exceptions.
template <typename Body>
imgcoder_status guarded(craw_failure *failure, Body body) {
  try {
    SingleThread thread;
    return body();
  } catch (const std::bad_alloc &) {
    return fail(failure, IMGCODER_STATUS_OUT_OF_MEMORY, "no memory for LibRaw");
  } catch (const std::exception &error) {
    return fail(failure, IMGCODER_STATUS_LIBRARY, error.what());
  } catch (...) {
    // LibRaw throws numbers, which it means to catch itself.
    return fail(failure, IMGCODER_STATUS_LIBRARY, "LibRaw failed and did not say why");
  }
}

}  // namespace craw

#endif
