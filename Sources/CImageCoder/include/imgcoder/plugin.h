// SPDX-License-Identifier: Apache-2.0
//
// The one symbol that a plugin exports, and the rules that it has to follow.
//
// R1   No code runs before `describe` is called: no constructors, no static initializers with effects.
// R2   No exit, abort, signal, longjmp, exception or trap crosses the boundary, whatever the input bytes are.
// R3   The plugin does not change the working directory, the locale, the environment, signal handlers or the umask, and
//      writes nothing to standard output or standard error.
// R4   The plugin uses no threads except through parallel_for, whose bodies call only functions marked [any].
// R5   The plugin exports one symbol, imgcoder_entry_v1. Everything else is local to the library.
// R6   The library works with all its symbols bound at load time (RTLD_NOW), and is never unloaded.
// R7   Limits are checked before memory is allocated; before the first row a session holds at most 16 MiB plus 8 times
//      the size of the source plus the `memory` that its offer stated.
// R8   Every byte of a row is defined before the row is done, and no byte outside it is written.
// R9   A truncated file delivers its complete rows and then reports TRUNCATED.
// R10  The same bytes give the same pixels, every time, on every thread.
// R11  The plugin reads only its source, files beside it that the host opens for it (siblings.h), and the resources that
//      its manifest names: no other file, no network.
// R12  Sessions are independent; sessions on different threads may run at the same time.
// R13  Memory is freed by the side that allocated it; ownership of memory is never passed across the boundary.
// R14  Every failure says, through host->fail, what was found and what was allowed.
// R15  The library is what its manifest says: identifier, formats, capabilities, options.
// R16  Every callback that is not marked `null` is there; what is not known (a struct's later fields, an unknown kind,
//      format or extension) is answered with a status or null, never with a crash.
//
// Extensions have names with a revision, "org.imagecoders.transcode/1": a changed extension has a new revision. Those of
// this interface begin with "org.imagecoders."; others begin with their author's domain. The header of a draft lives in
// a folder of its own, imgcoder/draft; it has the name already that it keeps, and a change raises its revision.

#ifndef IMGCODER_PLUGIN_H
#define IMGCODER_PLUGIN_H

#include "reader.h"
#include "transcode.h"
#include "version.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

// Names of the properties of an animated container, as in ImageIO.
typedef struct imgcoder_container {
  uint32_t struct_size;
  uint32_t default_plays;           // total number of plays if the file does not state it; 0: endless
  imgcoder_string dictionary;       // "{GIF}"
  imgcoder_string unclamped_delay;  // "UnclampedDelayTime"
  imgcoder_string delay;            // "DelayTime"
  imgcoder_string loop_count;       // "LoopCount"
} imgcoder_container;

enum {
  IMGCODER_CODER_WRITES_PAGES = 1,  // the writer takes more than one page; other writers get only one

  // The reader supports IMGCODER_OPEN_INCREMENTAL. Opened with it, the reader asks for no byte before it needs it:
  // `open` and `info` only for those of the header, `decode` for those of the next rows, through view_available. It
  // does not count frames in advance: `info` has the flag IMGCODER_INFO_INCOMPLETE and says what is known so far;
  // `frame_info` of the next frame waits for that frame's header, and returns INVALID_ARGUMENT after the last frame.
  // Sending coarse passes is useful. When all bytes have arrived, `info` says exactly what it would say about the
  // complete file. For other readers the host buffers the bytes until all have arrived.
  IMGCODER_CODER_READS_INCREMENTALLY = 2
};

// One coder. It is static in the plugin: it and everything that it points at never change and are never freed.
typedef struct imgcoder_coder {
  uint32_t struct_size;
  uint32_t flags;                           // IMGCODER_CODER_*
  void *plugin_data;                        // the plugin's own; the host does not touch it
  imgcoder_string id;                       // reverse-DNS, as in the manifest: "org.imagecoders.png"
  imgcoder_string version;                  // of the plugin, "1.0.0"
  imgcoder_string library;                  // the wrapped library as found at run time, "libpng 1.6.39"; empty: none
  const imgcoder_container *container;      // null: the container holds stills only
  const imgcoder_reader_table *reader;      // null: does not read
  const imgcoder_writer_table *writer;      // null: does not write
  const imgcoder_option *const *options;    // all options that the writer has
  uint64_t option_count;

  // Returns the extension of this coder with this id, or null if it has none.
  //   ownership  static in the plugin
  //   null       the function itself
  // [any]
  const void *(IMGCODER_ABI *get_extension)(const struct imgcoder_coder *coder, imgcoder_string id);

  // Says whether a file may be of one of the coder's formats, for formats that no signature tells apart. The host asks
  // only if the manifest's capabilities have "recognize" and no coder's signature agrees with the file.
  //   prefix     the first bytes of the file: 4096, or all of a smaller file; twice as many, up to 1 MiB, each time that
  //              the answer is NEED_MORE
  //   file_size  in bytes; UINT64_MAX if it is not known yet
  //   null       the function itself
  //   returns    OK; WRONG_FORMAT; NEED_MORE: more bytes are needed, if the file has more
  // [any]
  imgcoder_status(IMGCODER_ABI *recognize)(const struct imgcoder_coder *coder, const uint8_t *prefix, uint64_t length,
                                           uint64_t file_size);

  // Version 1.1.
  const imgcoder_option *const *read_options;  // all options that the reader has; the manifest's `decode_options`
  uint64_t read_option_count;
} imgcoder_coder;

// What a plugin exports, as constant data, so that a host can check it before any code of the plugin runs:
//
//   IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
//       sizeof(imgcoder_entry), IMGCODER_ABI_MAJOR, IMGCODER_ABI_MINOR, 0, IMGCODER_ENTRY_MAGIC, describe};
typedef struct imgcoder_entry {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;  // of the headers that the plugin was built with. A host never refuses a plugin for it: a newer
                       // plugin works in an older host unless its manifest asks for more with abi.min_minor. The host
                       // shows it, and may work around the faults of a version by it.
  uint32_t reserved;   // 0
  uint8_t magic[8];    // IMGCODER_ENTRY_MAGIC

  // Returns the coder. Called once per process, before anything else. Null: the plugin cannot work here, and has
  // reported the reason through `host->fail`.
  //   ownership  `host` lives during the call
  // [any]
  const imgcoder_coder *(IMGCODER_ABI *describe)(const imgcoder_host *host);
} imgcoder_entry;

#define IMGCODER_ENTRY_MAGIC {'I', 'M', 'G', 'C', 'O', 'D', 'E', 'R'}

#define IMGCODER_ENTRY_SYMBOL "imgcoder_entry_v1"

extern IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1;

#ifdef __cplusplus
}
#endif

#endif
