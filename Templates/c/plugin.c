// The coder, as its manifest describes it, and the one symbol that the library exports.

#include <stdarg.h>
#include <stdio.h>

#include "format.h"

imgcoder_status fail(const imgcoder_host *host, imgcoder_status status, uint64_t offset, const char *format, ...) {
  char text[160];
  imgcoder_string message = {text, 0};
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length > 0) message.length = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
  return host->fail(host, status, offset == UINT64_MAX ? -1 : (int64_t)offset, message);
}

imgcoder_status fail_limit(const imgcoder_host *host, uint32_t limit, uint64_t found, uint64_t allowed, uint64_t offset,
                           const char *what) {
  char text[160];
  int length = snprintf(text, sizeof text, "%s %llu, %llu is allowed", what, (unsigned long long)found,
                        (unsigned long long)allowed);
  imgcoder_string message = {text, length < 0 ? 0 : (uint64_t)length < sizeof text ? (uint64_t)length : sizeof text - 1};
  return imgcoder_fail_limit(host, limit, found, allowed, offset == UINT64_MAX ? -1 : (int64_t)offset, message);
}

// Fields by name: what is not named is zero, and a later version may have more.
static const imgcoder_option runs = {
    .struct_size = sizeof(imgcoder_option),
    .type = IMGCODER_OPTION_BOOLEAN,
    .name = IMGCODER_TEXT("runs"),
    .text = IMGCODER_TEXT("Store equal pixels once."),
    .maximum = 1,
    .default_value = 1};

static const imgcoder_option *const options[] = {&runs};

static const imgcoder_container container = {
    .struct_size = sizeof(imgcoder_container),
    .default_plays = 1,
    .dictionary = IMGCODER_TEXT("{Flipbook}"),
    .unclamped_delay = IMGCODER_TEXT("UnclampedDelayTime"),
    .delay = IMGCODER_TEXT("DelayTime"),
    .loop_count = IMGCODER_TEXT("LoopCount")};

static const imgcoder_coder coder = {
    .struct_size = sizeof(imgcoder_coder),
    .flags = IMGCODER_CODER_READS_INCREMENTALLY,
    .id = IMGCODER_TEXT("org.example.flipbook"),
    .version = IMGCODER_TEXT("1.0.0"),
    .container = &container,
    .reader = &reader_table,
    .writer = &writer_table,
    .options = options,
    .option_count = 1};

static const imgcoder_coder *describe(const imgcoder_host *host) { return host ? &coder : NULL; }

IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
    .struct_size = sizeof(imgcoder_entry),
    .abi_major = IMGCODER_ABI_MAJOR,
    .abi_minor = IMGCODER_ABI_MINOR,
    .magic = IMGCODER_ENTRY_MAGIC,
    .describe = describe};
