// SPDX-License-Identifier: Apache-2.0
//
// The one symbol that a plugin exports, and the rules that it keeps.
//
// R1   Nothing runs before `describe` is called: no constructors, no static initializers with effects.
// R2   No exit, no abort, no signal, no longjmp, exception or trap crosses the boundary, whatever the bytes are.
// R3   The working directory, the locale, the environment, signal handlers and the umask are left alone.
// R4   No threads but through parallel_for.
// R5   One exported symbol: imgcoder_entry_v1. Everything else is local to the library.
// R6   The library works when all its symbols are bound at load time (RTLD_NOW), and is never unloaded.
// R7   Limits are checked before memory is taken; before the first row a session holds at most 16 MiB plus 8 times the
//      size of the source plus what its offer announced as `memory`.
// R8   Every byte of a row is defined before the row is done, and no byte outside it is written.
// R9   A cut file delivers the rows that it has and then says TRUNCATED.
// R10  The same bytes give the same pixels, every time, on every thread.
// R11  Nothing but the source is read: no other file, no network.
// R12  Each session stands alone; sessions on different threads run at the same time.
// R13  Memory is given back to whom it came from; no allocation changes hands.
// R14  Every failure says, through host->fail, what was found and what was allowed.

#ifndef IMGCODER_PLUGIN_H
#define IMGCODER_PLUGIN_H

#include "reader.h"
#include "transcode.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IMGCODER_ABI_MAJOR 1
#define IMGCODER_ABI_MINOR 0

// Names of the container's own properties, as ImageIO gives them to an animated container.
typedef struct imgcoder_container {
  uint32_t struct_size;
  uint32_t default_plays;           // plays in all when the file says nothing; 0: without end
  imgcoder_string dictionary;       // "{GIF}"
  imgcoder_string unclamped_delay;  // "UnclampedDelayTime"
  imgcoder_string delay;            // "DelayTime"
  imgcoder_string loop_count;       // "LoopCount"
} imgcoder_container;

enum {
  IMGCODER_CODER_WRITES_PAGES = 1,  // the writer takes more than one page; to others the host gives one

  // The reader knows IMGCODER_OPEN_INCREMENTAL. Opened so, it asks for no byte before it needs it: `open` and `info` for
  // those of the header alone, `decode` for rows as it goes, through view_available. It does not count frames ahead: `info`
  // says IMGCODER_INFO_INCOMPLETE and what is known, `frame_info` of the next frame waits for that frame's header and
  // returns INVALID_ARGUMENT behind the last. Coarse passes are worth sending. When all bytes are there, `info` says
  // exactly what it would have said of the whole file. Of other readers the host keeps the bytes until all are there.
  IMGCODER_CODER_READS_INCREMENTALLY = 2
};

// One coder. Static in the plugin: it and all that it points at never change and are never freed.
typedef struct imgcoder_coder {
  uint32_t struct_size;
  uint32_t flags;                           // IMGCODER_CODER_*
  void *plugin_data;                        // the plugin's own; the host does not touch it
  imgcoder_string id;                       // reverse-DNS, as in the manifest: "org.imagecoders.png"
  imgcoder_string version;                  // of the plugin, "1.0.0"
  imgcoder_string library;                  // the wrapped library as it was found at run time, "libpng 1.6.39"; empty: none
  const imgcoder_container *container;      // null: the container holds stills only
  const imgcoder_reader_table *reader;      // null: does not read
  const imgcoder_writer_table *writer;      // null: does not write
  const imgcoder_option *const *options;    // what the writer understands beyond the common options
  uint64_t option_count;

  // An extension of this coder by its id, or null when it has none of that name.
  //   ownership  static in the plugin
  //   null       the function itself
  // [any]
  const void *(IMGCODER_ABI *get_extension)(const struct imgcoder_coder *coder, imgcoder_string id);
} imgcoder_coder;

// What a plugin exports, as constant data, so that a host can check it before any code of the plugin runs:
//
//   IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
//       sizeof(imgcoder_entry), IMGCODER_ABI_MAJOR, IMGCODER_ABI_MINOR, 0, IMGCODER_ENTRY_MAGIC, describe};
typedef struct imgcoder_entry {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;  // of the headers that the plugin was built with
  uint32_t reserved;   // 0
  uint8_t magic[8];    // IMGCODER_ENTRY_MAGIC

  // Gives the coder. Called once per process, before anything else. Null: the plugin cannot work here and has told the
  // host why through `host->fail`.
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
