// SPDX-License-Identifier: Apache-2.0
//
// What a program and the worker of a plugin say to each other: messages of a fixed head and at most
// ISOLATION_MAX_PAYLOAD bytes after it, on sequenced sockets, and pixels in shared memory.
//
// Both sides come from one build. What a worker sends after it has seen a file may be anything: the program reads each
// message once into its own memory, and checks each field there.

#ifndef CISOLATION_PROTOCOL_H
#define CISOLATION_PROTOCOL_H

#include <stdint.h>

#define ISOLATION_PROTOCOL 9

#define ISOLATION_MAX_PAYLOAD 32768
// Bytes of a page's name.
#define ISOLATION_MAX_NAME 1024
// Bytes of a reason or a log line.
#define ISOLATION_MAX_SENTENCE 500
// Bytes of a name of a file that a worker asks for; the longest names of Linux have 255.
#define ISOLATION_MAX_NAME 1024
#define ISOLATION_MOST_LIMITS 65536  // numbers of limits
// Descriptors that come with SPAWN.
#define ISOLATION_SPAWN_FILES 3
// Frames that one answer describes.
#define ISOLATION_MAX_FRAMES 256

typedef struct isolation_message {
  uint32_t kind;    // ISOLATION_*
  uint32_t call;    // the number of the call that it belongs to
  uint32_t length;  // bytes of the payload
  uint32_t words[5];
  uint64_t longs[4];
  uint64_t inflated;  // of a call: bytes that it may inflate; of REPLY: those that it has inflated
} isolation_message;

// Layers. Each counts when its probe ran in that worker or in its server.
enum {
  ISOLATION_NO_NEW_PRIVILEGES = 1,
  ISOLATION_SECCOMP = 2,
  ISOLATION_LANDLOCK = 4,
  ISOLATION_ROOT = 8,  // own user and mount namespaces, with an empty root that is read only
  ISOLATION_NETWORK = 16,
  ISOLATION_IPC = 32,  // IPC and UTS namespaces
  ISOLATION_PID = 64,
  ISOLATION_MEMORY = 128,
  ISOLATION_LIMITS = 256,  // of CPU time, processes, files, descriptors, locked memory, core dumps
  ISOLATION_UNDUMPABLE = 512,
  ISOLATION_DESCRIPTORS = 1024,  // no inherited descriptors, no environment
  ISOLATION_CAPABILITIES = 2048,  // none of the rights of root
  ISOLATION_ALL_LAYERS = 4095
};

// What a plugin needs beyond what all have, as its manifest says: an argument of its server.
enum {
  ISOLATION_NEEDS_FONTS = 1,   // the files of fonts that fontconfig names
  ISOLATION_NEEDS_THREADS = 2  // threads that its library makes
};

// From the program to a server, and back.
enum {
  ISOLATION_HELLO = 1,    // back: longs[0] layers; the description of the coder as payload
  ISOLATION_FAILED = 2,   // back: the plugin cannot be loaded: words[0] ISOLATION_FAILED_*, the reason as payload
  ISOLATION_SPAWN = 3,    // words[0] the worker's number, longs[0] bytes of memory, longs[1] seconds of processor time;
                          // descriptors: its socket, its shared memory, where it prints errors
  ISOLATION_SPAWNED = 4,  // back: words[0] the number, words[1] 0 or errno; descriptor: the process
  ISOLATION_EXITED = 5    // back: words[0] the number, words[1] the signal or 0, words[2] the status
};

// From the program to a worker. Every call is answered by ISOLATION_REPLY.
enum {
  ISOLATION_OPEN = 16,       // words[0] flags, words[1] frames to describe, longs[0] size, longs[1] bytes that are there,
                             // words[2] bytes of a small file after the limits as payload, or descriptor: the source; after
                             // these, if options are given, their values as of WRITER_OPEN. If
                             // words[3] is 1 and the file is one still picture, the worker goes on as if NEGOTIATE came
                             // next, for all of it, in the pixel format longs[2] (0: its own) and the alpha mode longs[3],
                             // with words[4] for its words[2]: back in words[4] 1, or 0 if it does not
  ISOLATION_INFO = 17,       // words[0] page, words[1] frames to describe; back, as of OPEN: an imgcoder_info, the names of the
                             // format and of the page, each after its length in 4 bytes, and frames
  ISOLATION_FRAME = 18,      // words[0] page, words[1] frame, words[2] frames to describe
  ISOLATION_NEGOTIATE = 19,  // the request as payload. If words[1] is 1, the worker goes on with the rows of
                             // what it offers as if DECODE came next, with words[2] for its words[1]: back in words[4] the
                             // rows of a band, or 0 if it does not
  ISOLATION_DECODE = 20,     // words[0] rows of a band, words[1] 1: clear them before, longs[0] bytes of a row, longs[1] of the picture;
                             // the offer as payload; descriptor for the row order ANY: memory for the picture
  ISOLATION_METADATA = 21,   // words[0] page, words[1] kind
  ISOLATION_PROPERTIES = 22, // words[0] page, words[1] frame
  ISOLATION_CLOSE = 23,
  ISOLATION_RECOGNIZE = 24,  // longs[0] bytes of the prefix, longs[1] size of the file; descriptor: the prefix
  ISOLATION_COLOR = 26,      // words[0] page; back: an imgcoder_color and its curves as chunks

  // Writing. A parcel is texts and blocks, each after its length in 8 bytes, and numbers; it is the payload, or if words[4]
  // is 1 in the memory of the descriptor, longs[0] bytes.
  ISOLATION_WRITER_OPEN = 27,       // parcel: imgcoder_limits, flags (4 bytes), format; values: their number (4 bytes), for
                                    // each its type (4 bytes), number (8 bytes), name and text
  ISOLATION_WRITER_LAYOUT = 28,     // words[0] pixel format, words[1] alpha mode; back: those that are accepted
  ISOLATION_WRITER_HEADER = 29,     // an imgcoder_info as payload
  ISOLATION_WRITER_METADATA = 30,   // words[0] kind; parcel: the block
  ISOLATION_WRITER_THUMBNAIL = 31,  // as FRAME
  ISOLATION_WRITER_FRAME = 32,      // words[0] 1: all rows are in the bands already, words[1] rows of a band; an
                                    // imgcoder_frame_info and an imgcoder_pixels as payload
  ISOLATION_WRITER_FINISH = 33,
  // Working on a whole file: first SOURCE, as OPEN, which only takes the file; then OPERATE.
  ISOLATION_SOURCE = 34,
  ISOLATION_OPERATE = 35,     // parcel: 1 or 0, whether it is only asked (4 bytes), name, format of the file and of the new
                              // one; values as of WRITER_OPEN; the number of blocks (4 bytes), and for each name and block;
                              // back: facts as chunks of properties
  ISOLATION_WRITER_COLOR = 36,  // an imgcoder_color without curves as payload
  // Answers.
  ISOLATION_AVAILABLE = 48,  // to NEED: words[0] status, longs[0] bytes that are there, longs[1] size
  ISOLATION_TAKEN = 49,      // to BAND and OUTPUT: words[0] status
  ISOLATION_FILLED = 50,     // to WANT
  ISOLATION_OPENED = 51      // to SIBLING: words[0] status, longs[0] size; descriptor if the status is 0: a copy of the file
};

// From a worker.
enum {
  ISOLATION_READY = 64,     // longs[0] layers
  ISOLATION_REPLY = 65,     // words[0] status, words[1] bytes of the reason and, times 65,536, the limit that was exceeded,
                            // words[2] results, words[3] the status of the reason, longs[0] the offset in the file, longs[2]
                            // what was found and longs[3] allowed of the limit; the reason and the results as payload. Of a
                            // file that is written also longs[1] the next bytes, words[4] the slot that they are in
  ISOLATION_NEED = 66,      // longs[0] offset, longs[1] least, longs[2] most
  ISOLATION_BAND = 67,      // words[0] the first row, words[1] rows, words[2] pass, words[3] slot, words[4] the first row in
                            // it, longs[0] 1: the worker waits for an answer before it writes there again
  ISOLATION_ROWS = 68,      // isolation_rows as payload: rows of the picture's memory that are done
  ISOLATION_CHUNK = 69,     // bytes of a metadata block, of properties, facts or colors
  ISOLATION_LOG = 70,       // words[0] severity; the line as payload
  ISOLATION_PROGRESS = 71,  // longs[0] the bits of a double
  ISOLATION_WANT = 72,      // of a picture to be written: words[0] the first row, words[1] rows, words[2] the band for them
  ISOLATION_OUTPUT = 73,    // words[0] the slot, words[1] 1: replace bytes at longs[1], longs[0] bytes
  ISOLATION_SIBLING = 74    // the name of a file beside the source as payload, or its first ISOLATION_MAX_NAME bytes
};

// What stands in a struct where the plugin has a pointer to a block.
enum {
  ISOLATION_BLOCK_NONE = 0,
  ISOLATION_BLOCK_FOLLOWS = 1,   // after the struct, in the order of its fields
  ISOLATION_BLOCK_TOO_LARGE = 2  // for the limits
};

typedef struct isolation_rows {
  uint32_t y, count, pass;
} isolation_rows;

// Properties as bytes: a kind, then name and value. A text is its length in 4 bytes and its bytes; numbers have 8.
enum {
  ISOLATION_PROPERTY_BEGIN = 1,       // name
  ISOLATION_PROPERTY_BEGIN_LIST = 2,  // name
  ISOLATION_PROPERTY_END = 3,
  ISOLATION_PROPERTY_INTEGER = 4,  // name, value
  ISOLATION_PROPERTY_NUMBER = 5,   // name, value
  ISOLATION_PROPERTY_TEXT = 6      // name, text
};

enum {
  ISOLATION_FAILED_LOAD = 1,
  ISOLATION_FAILED_ENTRY_MISSING = 2,
  ISOLATION_FAILED_ENTRY = 3,
  ISOLATION_FAILED_ABI = 4,
  ISOLATION_FAILED_REFUSED = 5,
  ISOLATION_FAILED_CODER = 6,
  ISOLATION_FAILED_PROGRAM = 7  // the program that started itself cannot be a worker
};

// What a server says of its coder, before it forks a worker.
typedef struct isolation_description {
  uint32_t protocol, size;  // ISOLATION_PROTOCOL, sizeof(isolation_description)
  uint32_t flags, features;
  uint32_t reads, writes, recognizes, adds_thumbnails;
  uint32_t default_plays, has_container;
  uint32_t adds_metadata, takes_rgb16;
  // Bytes of the texts after this struct, in this order.
  uint32_t id, version, library, dictionary, unclamped_delay, delay, loop_count;
} isolation_description;

// Memory that a program and its worker share for the life of the worker: one page of control, then two bands of rows, then
// two slots for bytes of a file that is written.
enum {
  ISOLATION_CONTROL_BYTES = 4096,
  ISOLATION_BAND_BYTES = 2097152,
  ISOLATION_OUTPUT_BYTES = 524288,
  // What is copied while more is made: few enough for the processor's cache, enough to be worth a message.
  ISOLATION_COPIED_BYTES = 524288,
  ISOLATION_FEWEST_ROWS = 64,
  ISOLATION_OUTPUT_START = ISOLATION_CONTROL_BYTES + 2 * ISOLATION_BAND_BYTES,
  ISOLATION_SHARED_BYTES = ISOLATION_OUTPUT_START + 2 * ISOLATION_OUTPUT_BYTES
};

// The control page. The worker can write it too, which harms nobody but itself.
typedef struct isolation_control {
  uint32_t is_cancelled;
  uint32_t refused_call;  // the number of a system call that the filter refused, plus 1; 0: none
} isolation_control;

// With which a worker ends after such a call.
#define ISOLATION_STATUS_REFUSED_CALL 159

// Arguments of a worker: its name, the library, the coder's id, layers to leave out, and what the plugin needs. A program that
// is its own worker gets this name, and in place of the library the number of one of its coders. The command of a library that
// has the coders inside gets the library's build and folder after that, each after a space.
#define ISOLATION_ARGUMENTS 5
#define ISOLATION_OWN_NAME "coders-worker (built in)"
#define ISOLATION_OWN_PROGRAM "/proc/self/exe"

// Where the program's end, and after the fork the worker's, is found.
#define ISOLATION_SOCKET 3

#endif
