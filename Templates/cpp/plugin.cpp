// The coder, as its manifest describes it, and the one symbol that the library exports.

#include "format.hpp"

namespace coder {
namespace {

// Fields by name: what is not named is zero, and a later version may have more.
constexpr imgcoder_option runs = [] {
  imgcoder_option option = {};
  option.struct_size = sizeof option;
  option.type = IMGCODER_OPTION_BOOLEAN;
  option.name = IMGCODER_TEXT("runs");
  option.text = IMGCODER_TEXT("Store equal pixels once.");
  option.maximum = 1;
  option.default_value = 1;
  return option;
}();

constexpr const imgcoder_option *options[] = {&runs};

constexpr imgcoder_container container = [] {
  imgcoder_container names = {};
  names.struct_size = sizeof names;
  names.default_plays = 1;
  names.dictionary = dictionary;
  names.unclamped_delay = unclamped_delay;
  names.delay = IMGCODER_TEXT("DelayTime");
  names.loop_count = loop_count;
  return names;
}();

constexpr imgcoder_coder description = [] {
  imgcoder_coder coder = {};
  coder.struct_size = sizeof coder;
  coder.flags = IMGCODER_CODER_READS_INCREMENTALLY;
  coder.id = IMGCODER_TEXT("org.example.flipbook");
  coder.version = IMGCODER_TEXT("1.0.0");
  coder.container = &container;
  coder.reader = &reader_table;
  coder.writer = &writer_table;
  coder.options = options;
  coder.option_count = 1;
  return coder;
}();

// Nothing can fail here. A library that has to be set up first is set up here, under `guard`; return null if it fails.
const imgcoder_coder *describe(const imgcoder_host *) noexcept { return &description; }

}  // namespace
}  // namespace coder

const imgcoder_entry imgcoder_entry_v1 = {
    sizeof(imgcoder_entry), IMGCODER_ABI_MAJOR, IMGCODER_ABI_MINOR, 0, IMGCODER_ENTRY_MAGIC, coder::describe};
