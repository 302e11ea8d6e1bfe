// SPDX-License-Identifier: Apache-2.0
//
// libjxl, loaded when the first file that needs it is opened: no other camera's file does.

#include "jxl.hpp"

#include <cstdlib>

#include "CRAWShim.h"

#if __has_include(<jxl/decode.h>)

#include <dlfcn.h>
#include <jxl/decode.h>
#include <jxl/version.h>

#include <memory>

namespace {

#define TEXT_OF(number) #number
#define NAME_OF(major, minor) "libjxl.so." TEXT_OF(major) "." TEXT_OF(minor)
// The file that belongs to the headers: before 1.0, each minor version is another interface.
constexpr const char *kName = NAME_OF(JPEGXL_MAJOR_VERSION, JPEGXL_MINOR_VERSION);

#define JXL_CALLS(call)  \
  call(Create)           \
  call(Destroy)          \
  call(GetBasicInfo)     \
  call(ImageOutBufferSize) \
  call(ProcessInput)     \
  call(SetImageOutBuffer) \
  call(SetInput)         \
  call(SetKeepOrientation) \
  call(SubscribeEvents)

struct Library {
#define JXL_MEMBER(name) decltype(&JxlDecoder##name) name = nullptr;
  JXL_CALLS(JXL_MEMBER)
#undef JXL_MEMBER
  bool is_here = false;

  Library() {
    // Never closed, as other threads may be in it.
    void *handle = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    is_here = true;
#define JXL_FIND(name)                                                                  \
  name = reinterpret_cast<decltype(&JxlDecoder##name)>(dlsym(handle, "JxlDecoder" #name)); \
  if (!name) is_here = false;
    JXL_CALLS(JXL_FIND)
#undef JXL_FIND
  }

  static const Library &shared() {
    static const Library library;
    return library;
  }
};

/// Memory for libjxl, counted against a limit: a few bytes may state frames of any size.
class Budget {
 public:
  explicit Budget(uint64_t most) : left_(most) {}
  JxlMemoryManager manager() { return {this, allocate, release}; }

 private:
  // Before each block, its size, in as many bytes as malloc aligns to.
  static constexpr size_t kPrefix = 16;

  static void *allocate(void *opaque, size_t size) {
    auto *budget = static_cast<Budget *>(opaque);
    if (size > budget->left_) return nullptr;
    auto *block = static_cast<char *>(std::malloc(size + kPrefix));
    if (!block) return nullptr;
    *reinterpret_cast<size_t *>(block) = size;
    budget->left_ -= size;
    return block + kPrefix;
  }

  static void release(void *opaque, void *address) {
    if (!address) return;
    char *block = static_cast<char *>(address) - kPrefix;
    static_cast<Budget *>(opaque)->left_ += *reinterpret_cast<size_t *>(block);
    std::free(block);
  }

  uint64_t left_;
};

JxlDataType type_of(size_t sample_size) {
  return sample_size == 4 ? JXL_TYPE_FLOAT : sample_size == 2 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8;
}

const char *problem(const JxlBasicInfo &info, const craw::JXLTile &tile) {
  if (info.xsize > tile.width || info.ysize > tile.height) return "a JPEG XL tile is larger than the directory says";
  if (info.num_color_channels != tile.samples || info.num_extra_channels != 0)
    return "a JPEG XL tile has other channels than the directory says";
  return nullptr;
}

}  // namespace

const char *craw::decode(const JXLTile &tile, JXLSamples *samples) {
  const Library &library = Library::shared();
  if (!library.is_here) return "the library of JPEG XL is not there";
  Budget budget(tile.most_memory);
  JxlMemoryManager manager = budget.manager();
  std::unique_ptr<JxlDecoder, decltype(library.Destroy)> owner(library.Create(&manager), library.Destroy);
  JxlDecoder *decoder = owner.get();
  if (!decoder) return "no memory for a JPEG XL tile";
  library.SubscribeEvents(decoder, JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE);
  library.SetKeepOrientation(decoder, JXL_TRUE);
  library.SetInput(decoder, tile.bytes, tile.length);
  // Values fill 8 or 16 bits whatever depth the tile states, as in Adobe's own reader.
  const JxlPixelFormat format = {tile.samples, type_of(tile.sample_size), JXL_NATIVE_ENDIAN, 0};
  for (;;) {
    switch (library.ProcessInput(decoder)) {
      case JXL_DEC_BASIC_INFO: {
        JxlBasicInfo info;
        if (library.GetBasicInfo(decoder, &info) != JXL_DEC_SUCCESS) return "a JPEG XL tile has no header";
        if (const char *wrong = problem(info, tile)) return wrong;
        samples->width = info.xsize;
        samples->height = info.ysize;
        break;
      }
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER: {
        size_t size = 0;
        samples->bytes.assign(size_t{samples->width} * samples->height * tile.samples * tile.sample_size, 0);
        if (library.ImageOutBufferSize(decoder, &format, &size) != JXL_DEC_SUCCESS || size != samples->bytes.size() ||
            library.SetImageOutBuffer(decoder, &format, samples->bytes.data(), size) != JXL_DEC_SUCCESS)
          return "a JPEG XL tile has samples of another kind";
        break;
      }
      case JXL_DEC_FULL_IMAGE:
        return nullptr;
      case JXL_DEC_NEED_MORE_INPUT:
        return "a JPEG XL tile ends early";
      default:
        return "a JPEG XL tile is damaged";
    }
  }
}

int craw_has_jxl(void) { return Library::shared().is_here; }

void craw_load_if_asked(void) {
  if (std::getenv("IMGCODER_LOAD_ALL")) Library::shared();
}

#else

const char *craw::decode(const JXLTile &, JXLSamples *) { return "this coder is built without JPEG XL"; }

int craw_has_jxl(void) { return 0; }

void craw_load_if_asked(void) {}

#endif
