// SPDX-License-Identifier: Apache-2.0
//
// Structs of the plugin interface that begin with their size, for hosts and plugins in Swift.
//
// Swift programs that share one runtime also share the metadata of imported C types: asked in Swift, the size of a struct
// may be the one that another library was built with. `sizeof` in C is always this library's own. All that depends on a
// size is therefore here, and is compiled into each library that includes this header.

#ifndef CIMAGECODERSTRUCTS_H
#define CIMAGECODERSTRUCTS_H

#include <imgcoder/imgcoder.h>
#include <stdlib.h>
#include <string.h>

// For a struct `type`:
//   type_sized()           a zero struct with this side's size, to be filled
//   type_read(other)       what both sides know of the other side's struct; the rest is zero
//   type_write(own, other) copies what both sides know into the other side's struct, whose size stays as it is
//   type_keep(own)         a copy that lives as long as the process, or null
#define CIMAGECODER_SIZED(type)                                            \
  static inline type type##_sized(void) {                                  \
    type own;                                                              \
    memset(&own, 0, sizeof own);                                           \
    own.struct_size = (uint32_t)sizeof own;                                \
    return own;                                                            \
  }                                                                        \
  static inline type type##_read(const type *other) {                      \
    type own;                                                              \
    size_t known = other->struct_size;                                     \
    memset(&own, 0, sizeof own);                                           \
    memcpy(&own, other, known < sizeof own ? known : sizeof own);          \
    return own;                                                            \
  }                                                                        \
  static inline void type##_write(const type *own, type *other) {          \
    uint32_t theirs = other->struct_size;                                  \
    memcpy(other, own, theirs < sizeof *own ? theirs : sizeof *own);       \
    other->struct_size = theirs;                                           \
  }                                                                        \
  static inline type *type##_keep(type own) {                              \
    type *kept = (type *)malloc(sizeof own);                               \
    if (kept != NULL) memcpy(kept, &own, sizeof own);                      \
    return kept;                                                           \
  }

CIMAGECODER_SIZED(imgcoder_limits)
CIMAGECODER_SIZED(imgcoder_look_table)
CIMAGECODER_SIZED(imgcoder_siblings_table)
CIMAGECODER_SIZED(imgcoder_color)
CIMAGECODER_SIZED(imgcoder_failure)
CIMAGECODER_SIZED(imgcoder_host)
CIMAGECODER_SIZED(imgcoder_source)
CIMAGECODER_SIZED(imgcoder_sink)
CIMAGECODER_SIZED(imgcoder_output)
CIMAGECODER_SIZED(imgcoder_properties)
CIMAGECODER_SIZED(imgcoder_info)
CIMAGECODER_SIZED(imgcoder_frame_info)
CIMAGECODER_SIZED(imgcoder_open_options)
CIMAGECODER_SIZED(imgcoder_request)
CIMAGECODER_SIZED(imgcoder_offer)
CIMAGECODER_SIZED(imgcoder_option)
CIMAGECODER_SIZED(imgcoder_option_value)
CIMAGECODER_SIZED(imgcoder_write_options)
CIMAGECODER_SIZED(imgcoder_pixels)
CIMAGECODER_SIZED(imgcoder_container)
CIMAGECODER_SIZED(imgcoder_coder)
CIMAGECODER_SIZED(imgcoder_reader_table)
CIMAGECODER_SIZED(imgcoder_writer_table)
CIMAGECODER_SIZED(imgcoder_transcode_table)
CIMAGECODER_SIZED(imgcoder_block)
CIMAGECODER_SIZED(imgcoder_operation)
CIMAGECODER_SIZED(imgcoder_operation_kind)
CIMAGECODER_SIZED(imgcoder_file_operations_table)
CIMAGECODER_SIZED(imgcoder_entry)
CIMAGECODER_SIZED(imgcoder_frame_rows_table)

#undef CIMAGECODER_SIZED

// What version 1.0 has of a struct; the rest is zero.
static inline imgcoder_info imgcoder_info_first(imgcoder_info info) {
  info.struct_size = offsetof(imgcoder_info, natural_width);
  return imgcoder_info_read(&info);
}

#endif
