// SPDX-License-Identifier: Apache-2.0
//
// A plugin that breaks one rule of the interface: the one that the check named by -DACT="decode.cut" tests. Without an
// act it breaks none. Its format holds raw rows:
//
//   "MISB", width, height (16 bits, little-endian), frames, pages, channels (3 or 4), a tag, the length of XMP (16 bits),
//   two zero bytes; the XMP; then the rows of each frame of each page

#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "imgcoder/file_operations.h"
#include "imgcoder/imgcoder.h"

#ifndef ACT
#define ACT "none"
#endif

enum { HEADER = 16 };

static int acts(const char *name) { return strcmp(ACT, name) == 0; }

static imgcoder_status fail(const imgcoder_host *host, imgcoder_status status, const char *text) {
  imgcoder_string message = {text, strlen(text)};
  return acts("decode.messages") || acts("writing.messages") ? status : host->fail(host, status, -1, message);
}

static const imgcoder_string uti = IMGCODER_TEXT("org.example.misb");

struct imgcoder_reader {
  const imgcoder_host *host;
  const imgcoder_source *source;
  uint32_t width, height, frames, pages, channels, xmp_length, flags;
  uint32_t decodes, is_poisoned;
  uint8_t *xmp;
  void *held;
};

static int sessions, active, counter;
static char changing[] = "1.0.0";

static uint32_t little(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }

// What no worker may see.
static int sees_files(void) {
  int file = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
  if (file >= 0) close(file);
  return file >= 0;
}

static void *work(void *argument) { return sleep(1), argument; }

static void leave_traces(void) {
  if (acts("process.descriptors")) open("/dev/null", O_RDONLY);
  if (acts("process.directory") && chdir("/")) abort();
  if (acts("process.environment")) setenv("MISBEHAVING", "1", 1);
  if (acts("process.locale")) setlocale(LC_ALL, "C.UTF-8");
  if (acts("process.umask")) umask(0);
  if (acts("process.signals")) signal(SIGUSR1, SIG_IGN);
  if (acts("process.signal-mask")) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
  }
  if (acts("process.limits")) setrlimit(RLIMIT_NOFILE, &(struct rlimit){64, 64});
  if (acts("process.silence")) puts("hello");
  if (acts("process.growth") && !malloc(100)) abort();
  if (acts("process.exit")) atexit(abort);
  if (acts("process.threads")) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
  }
}

static imgcoder_status reader_open(const imgcoder_coder *coder, const imgcoder_host *host,
                                   const imgcoder_source *source, const imgcoder_open_options *options,
                                   imgcoder_reader **result) {
  const uint8_t *bytes;
  uint64_t size;
  (void)coder;
  if (acts("interface.constant")) changing[4] = '1';
  if (acts("interface.no-options") && options->flags == 99) return IMGCODER_STATUS_LIBRARY;
  uint32_t flags = options ? options->flags : 0;
  int has_value = options && IMGCODER_HAS(options, imgcoder_open_options, value_count) && options->value_count > 0;
  if (acts("decode.options") && has_value) return fail(host, IMGCODER_STATUS_UNSUPPORTED, "no mood");
  if (acts("decode.options-beyond") && has_value && options->values[0]->number > 1) return 77;
  if (acts("interface.unknown-flags") && flags >= 16) return fail(host, IMGCODER_STATUS_INVALID_ARGUMENT, "flags");
  if (acts("interface.exact") && ((const char *)host)[host->struct_size] == 1) return IMGCODER_STATUS_LIBRARY;
  if (acts("interface.grown") && host->struct_size != sizeof *host) return fail(host, IMGCODER_STATUS_LIBRARY, "host");
  uint64_t wanted = acts("incremental.header") ? UINT64_MAX : HEADER;
  imgcoder_status status = source->view(source, 0, wanted, &bytes, &size);
  if (status)
    return acts("decode.source-fails") || acts("incremental.cancel") ? fail(host, IMGCODER_STATUS_MALFORMED, "no bytes")
                                                                     : status;
  if (size < 4 || memcmp(bytes, "MISB", 4)) {
    if (acts("decode.foreign")) return fail(host, IMGCODER_STATUS_MALFORMED, "another format");
    while (acts("decode.short") && size == HEADER) {
    }
    return fail(host, IMGCODER_STATUS_WRONG_FORMAT, "the file does not begin with MISB");
  }
  if (size < HEADER) return fail(host, IMGCODER_STATUS_TRUNCATED, "the header has 16 bytes");
  uint32_t width = little(bytes + 4), height = little(bytes + 6);
  uint32_t frames = bytes[8], pages = bytes[9], channels = bytes[10], xmp_length = little(bytes + 12);
  if (acts("decode.flips") && channels != 3 && channels != 4) abort();
  if (acts("decode.bytes") && bytes[15] != 0) exit(0);
  if (acts("decode.lies")) {
    volatile uint8_t *early = calloc(width, (size_t)height * 4);
    if (early == NULL) return fail(host, IMGCODER_STATUS_OUT_OF_MEMORY, "no memory for the canvas");
    free((void *)early);
    if (width > 4096 || height > 4096) return fail(host, IMGCODER_STATUS_OUT_OF_MEMORY, "no memory for the canvas");
  }
  if (!width || !height || !frames || !pages || (channels != 3 && channels != 4) || bytes[14] || bytes[15])
    return fail(host, IMGCODER_STATUS_MALFORMED, "a header that is not valid");
  if (acts("decode.samples")) return fail(host, IMGCODER_STATUS_MALFORMED, "no mood");
  const imgcoder_limits *limits = host->limits;
  int is_large = width > limits->max_side || height > limits->max_side ||
                 (uint64_t)width * height > limits->max_pixels || frames > limits->max_frames;
  if (is_large && !acts("decode.limits")) return fail(host, IMGCODER_STATUS_LIMIT_EXCEEDED, "maxSide or maxPixels");
  imgcoder_reader *reader = host->allocate(host, sizeof *reader, 0);
  if (!reader && !acts("decode.allocations") && !acts("decode.budget"))
    return fail(host, IMGCODER_STATUS_OUT_OF_MEMORY, "no memory for a reader");
  memset(reader, 0, sizeof *reader);
  *reader = (imgcoder_reader){host, source, width, height, frames, pages, channels, xmp_length, flags, 0, 0, NULL, NULL};
  if (acts("process.leaks") && !host->allocate(host, 10, 0)) return IMGCODER_STATUS_OUT_OF_MEMORY;
  if (acts("decode.memory")) reader->held = malloc(64 << 20);
  leave_traces();
  __atomic_add_fetch(&sessions, 1, __ATOMIC_SEQ_CST);
  *result = reader;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status no_such(imgcoder_reader *reader) {
  return fail(reader->host, IMGCODER_STATUS_INVALID_ARGUMENT, "no such page or frame");
}

static imgcoder_status reader_info(imgcoder_reader *reader, uint32_t page, imgcoder_info *info) {
  uint32_t hidden = acts("pages.hidden") ? 1 : 0;
  if (page >= reader->pages + hidden && !acts("interface.unknown-page")) return no_such(reader);
  IMGCODER_SET(info, imgcoder_info, hidden_page_count, hidden);
  if (acts("pages.count") && page == 1) return fail(reader->host, IMGCODER_STATUS_MALFORMED, "no page 1");
  info->flags = IMGCODER_INFO_LOSSLESS;
  if (reader->frames > 1) info->flags |= IMGCODER_INFO_ANIMATED | IMGCODER_INFO_PLAYS_STATED;
  if (reader->xmp_length && !acts("metadata.flags")) info->flags |= IMGCODER_INFO_HAS_XMP;
  if (acts("incremental.complete") && reader->flags & IMGCODER_OPEN_INCREMENTAL)
    info->flags |= IMGCODER_INFO_INCOMPLETE;
  if (acts("decode.any-size")) info->flags |= IMGCODER_INFO_ANY_SIZE;
  info->width = acts("decode.hints") && reader->flags & IMGCODER_OPEN_HEADER_ONLY ? 1 : reader->width;
  info->height = reader->height;
  info->pixel_format = reader->channels == 4 ? IMGCODER_PIXEL_RGBA8 : IMGCODER_PIXEL_RGB8;
  if (acts("interface.first-formats")) info->pixel_format = IMGCODER_PIXEL_RGB16;
  info->bits_per_channel = 8;
  info->alpha = reader->channels == 4 ? IMGCODER_ALPHA_STRAIGHT : IMGCODER_ALPHA_OPAQUE;
  info->orientation = acts("decode.info") ? 200 : 1;
#ifdef LATER
  info->flags |= 1u << 20;
  info->pixel_format = 17;
#endif
  info->frame_count = reader->frames;
  info->page_count = reader->pages;
  info->plays = 2;
  info->format = uti;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_frame_info(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                         imgcoder_frame_info *info) {
  if (page >= reader->pages || frame >= reader->frames) return no_such(reader);
  info->flags = reader->channels == 4 && !acts("animation.alpha") ? IMGCODER_FRAME_HAS_ALPHA : 0;
  info->width = reader->width;
  info->height = reader->height;
  if (acts("animation.frames") && frame == 1) info->x = 1;
  info->delay_numerator = 1;
  info->delay_denominator = acts("animation.delays") ? 0 : 10;
  info->depends_on = UINT32_MAX;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_negotiate(imgcoder_reader *reader, const imgcoder_request *request,
                                        imgcoder_offer *offer) {
  if (request->page >= reader->pages || request->frame >= reader->frames) return no_such(reader);
  offer->width = reader->width;
  offer->height = reader->height;
  if (acts("decode.negotiate") && request->width == 1) offer->width++;
  if (acts("decode.part") && IMGCODER_HAS(request, imgcoder_request, part_height) && request->part_height) {
    offer->height = 1;
    IMGCODER_SET(offer, imgcoder_offer, whole_width, reader->width);
    IMGCODER_SET(offer, imgcoder_offer, whole_height, reader->height);
  }
#ifdef LATER
  if (request->width > 32767) return fail(reader->host, 0x31, "at most 32767 columns are drawn");
  offer->unmet |= 64;
#endif
  offer->pixel_format = reader->channels == 4 ? IMGCODER_PIXEL_RGBA8 : IMGCODER_PIXEL_RGB8;
  offer->alpha = reader->channels == 4 ? IMGCODER_ALPHA_STRAIGHT : IMGCODER_ALPHA_OPAQUE;
  offer->row_order = IMGCODER_ROWS_TOP_DOWN;
  if (request->pixel_format != offer->pixel_format) offer->unmet |= IMGCODER_UNMET_PIXEL_FORMAT;
  if (acts("interface.unknown-request")) offer->unmet = 0;
  if (request->width && request->width != offer->width) offer->unmet |= IMGCODER_UNMET_SIZE;
  return IMGCODER_STATUS_OK;
}

// Views a part of the source when all of it has arrived.
static imgcoder_status source_all(const imgcoder_source *source, uint64_t place, uint64_t wanted, const uint8_t **bytes,
                                  uint64_t *size) {
  imgcoder_status status = source->view(source, 0, UINT64_MAX, bytes, size);
  return status ? status : source->view(source, place, wanted, bytes, size);
}

static imgcoder_status reader_decode(imgcoder_reader *reader, const imgcoder_offer *offer, const imgcoder_sink *sink) {
  const imgcoder_host *host = reader->host;
  uint64_t row_bytes = (uint64_t)reader->width * reader->channels;
  uint64_t place = HEADER + reader->xmp_length +
                   ((uint64_t)offer->page * reader->frames + offer->frame) * row_bytes * reader->height;
  const uint8_t *bytes;
  uint64_t size;
  uint8_t change = 0;
  if (acts("decode.repeat")) change = (uint8_t)counter++;
  if (acts("decode.sessions")) change = sessions > 1;
  if (acts("animation.order") || acts("pages.order")) change = (uint8_t)(reader->decodes - offer->frame - offer->page);
  if (acts("decode.after-error") && reader->is_poisoned) change = 1;
  if (acts("decode.threads")) {
    change = __atomic_add_fetch(&active, 1, __ATOMIC_SEQ_CST) > 1;
    usleep(2000);
    __atomic_sub_fetch(&active, 1, __ATOMIC_SEQ_CST);
  }
  if (acts("isolated.decode")) change = !sees_files();
  if (acts("isolated.attempt")) close(memfd_create("code", MFD_CLOEXEC));
  if (acts("isolated.question")) {
    int network = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (network < 0) return fail(host, IMGCODER_STATUS_LIBRARY, "no socket for the pixels");
    close(network);
  }
  reader->decodes++;
  for (uint32_t y = 0; y < reader->height; y++, place += row_bytes) {
    imgcoder_rows rows;
    if (host->is_cancelled(host)) {
      if (acts("decode.cancel")) return fail(host, IMGCODER_STATUS_MALFORMED, "stopped");
      return fail(host, IMGCODER_STATUS_CANCELLED, "cancelled");
    }
    imgcoder_status status =
        acts("incremental.rows") ? source_all(reader->source, place, row_bytes, &bytes, &size)
                                 : reader->source->view(reader->source, place, row_bytes, &bytes, &size);
    if (status) return status;
    if (acts("incremental.chunks") && reader->flags & IMGCODER_OPEN_INCREMENTAL) change = 1;
    if (size < row_bytes) {
      if (acts("isolated.errors") && !sees_files()) return fail(host, IMGCODER_STATUS_TRUNCATED, "no file says why");
      if (acts("decode.cut")) return fail(host, IMGCODER_STATUS_MALFORMED, "the rows end early");
      if (acts("incremental.cut") && reader->flags & IMGCODER_OPEN_INCREMENTAL) return IMGCODER_STATUS_OK;
      return fail(host, IMGCODER_STATUS_TRUNCATED, "the rows end early");
    }
    status = sink->rows(sink, y, acts("decode.grants") ? reader->height - y : 1, &rows);
    if (status) {
      reader->is_poisoned = 1;
      if (acts("decode.sink-stops")) sink->done(sink, y, 1, 0);
      return status;
    }
    memcpy(rows.pixels, bytes, row_bytes - (acts("decode.fills") ? 1 : 0));
    rows.pixels[0] ^= change;
    if (acts("decode.guards")) rows.pixels[row_bytes] = 0;
    if (acts("decode.grants")) rows.pixels[0] ^= (uint8_t)(rows.count == 1 && y == 0);
    status = sink->done(sink, y, 1, 0);
    if (status) {
      reader->is_poisoned = 1;
      return status;
    }
  }
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_metadata(imgcoder_reader *reader, uint32_t page, imgcoder_metadata_kind kind,
                                       const uint8_t **bytes, uint64_t *length) {
  static uint8_t shared[65536];
  if (page >= reader->pages) return no_such(reader);
  if ((kind != IMGCODER_METADATA_XMP && !acts("interface.unknown-metadata")) || !reader->xmp_length)
    return acts("interface.unknown-metadata") ? IMGCODER_STATUS_OK : IMGCODER_STATUS_NOT_PRESENT;
  if (reader->xmp_length > reader->host->limits->max_metadata && !acts("metadata.limit"))
    return fail(reader->host, IMGCODER_STATUS_LIMIT_EXCEEDED, "maxMetadata");
  const uint8_t *view;
  imgcoder_status status = reader->source->view(reader->source, HEADER, reader->xmp_length, &view, length);
  if (status) return status;
  if (*length < reader->xmp_length) return fail(reader->host, IMGCODER_STATUS_TRUNCATED, "the XMP ends early");
  if (acts("metadata.lifetime")) {
    memcpy(shared, view, *length);
    shared[0] = (uint8_t)counter++;
    *bytes = shared;
    return IMGCODER_STATUS_OK;
  }
  if (!reader->xmp) reader->xmp = reader->host->allocate(reader->host, reader->xmp_length, 0);
  if (!reader->xmp) return fail(reader->host, IMGCODER_STATUS_OUT_OF_MEMORY, "no memory for XMP");
  memcpy(reader->xmp, view, *length);
  *bytes = reader->xmp;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_properties(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                         const imgcoder_properties *properties) {
  imgcoder_string name = IMGCODER_TEXT("{Misbehaving}"), frames = IMGCODER_TEXT("Frames");
  if (page >= reader->pages) return no_such(reader);
  (void)frame;
  properties->begin(properties, name);
  properties->put_integer(properties, frames, reader->frames + (acts("isolated.metadata") && !sees_files()));
  if (!acts("metadata.properties")) properties->end(properties);
  return IMGCODER_STATUS_OK;
}

static void reader_close(imgcoder_reader *reader) {
  __atomic_sub_fetch(&sessions, 1, __ATOMIC_SEQ_CST);
  free(reader->held);
  reader->host->free(reader->host, reader->xmp);
  reader->host->free(reader->host, reader);
}

#include "operations.h"
#include "writer.h"

// What is described.

static imgcoder_option tag = {
    sizeof(imgcoder_option), IMGCODER_OPTION_INTEGER, IMGCODER_TEXT("tag"), IMGCODER_TEXT("A number in the header."),
    0, 9, 0, NULL, 0, IMGCODER_TEXT(""), 0, 0};
static const imgcoder_option *const options[] = {&tag};
static const imgcoder_option shade = {sizeof shade, IMGCODER_OPTION_BOOLEAN, IMGCODER_TEXT("shade"),
                                      IMGCODER_TEXT("Darker."), 0, 1, 0, NULL, 0, IMGCODER_TEXT(""), 0, 0};
static const imgcoder_option *const read_options[] = {&shade};
static imgcoder_container container = {
    sizeof(imgcoder_container), 0, IMGCODER_TEXT("{Misbehaving}"), IMGCODER_TEXT("UnclampedDelayTime"),
    IMGCODER_TEXT("DelayTime"), IMGCODER_TEXT("LoopCount")};
static imgcoder_reader_table reader_table = {
    sizeof(imgcoder_reader_table), 0, reader_open, reader_info, reader_frame_info, reader_negotiate, reader_decode,
    reader_metadata, reader_properties, reader_close, NULL, NULL};
static imgcoder_writer_table writer_table = {
    sizeof(imgcoder_writer_table), IMGCODER_WRITER_FRAMES, writer_open, writer_negotiate, writer_set_info,
    writer_add_metadata, writer_add_frame, writer_finish, writer_close, writer_add_thumbnail, NULL, NULL};

static const void *get_extension(const imgcoder_coder *coder, imgcoder_string id) {
  if (is_named(id, IMGCODER_EXTENSION_FILE_OPERATIONS)) return &operations;
  return acts("interface.extensions") ? coder : NULL;
}

static imgcoder_status recognize(const imgcoder_coder *coder, const uint8_t *prefix, uint64_t length, uint64_t size) {
  (void)coder, (void)size;
  if (acts("interface.recognize")) return 77;
  if (memcmp(prefix, "MISB", length < 4 ? length : 4)) return IMGCODER_STATUS_WRONG_FORMAT;
  return length < 4 ? IMGCODER_STATUS_NEED_MORE : IMGCODER_STATUS_OK;
}

static imgcoder_coder coder = {
    sizeof(imgcoder_coder), IMGCODER_CODER_WRITES_PAGES | IMGCODER_CODER_READS_INCREMENTALLY, NULL,
    IMGCODER_TEXT("org.example.misb"), {changing, 5}, IMGCODER_TEXT(""), &container, &reader_table, &writer_table,
    options, 1, get_extension, recognize, read_options, 1};

static const imgcoder_coder *describe(const imgcoder_host *host) {
  if (acts("interface.describe")) return NULL;
  if (acts("isolated.load") && getenv("IMGCODER_LOAD_ALL")) return fail(host, IMGCODER_STATUS_UNSUPPORTED, "not here"), NULL;
  if (acts("interface.callbacks")) reader_table.info = NULL;
  if (acts("interface.sizes")) container.struct_size = 8;
  if (acts("interface.texts")) container.delay.bytes = "\xFF\xFE" "layTime";
  if (acts("interface.options")) tag.minimum = 10;
  return host ? &coder : NULL;
}

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void early(void) { umask(0); }
#endif
#ifdef EXPORTS
IMGCODER_EXPORT int misbehaving_extra(void);
int misbehaving_extra(void) { return 1; }
#endif
#ifdef UNDEFINED
extern int nobody_defines_this(void);
IMGCODER_EXPORT const void *const misbehaving_pull = (const void *)nobody_defines_this;
#endif
#ifdef TEXTREL
__asm__(".text\n.quad imgcoder_entry_v1\n");
#endif

// Of a later version, or only as such a plugin would answer.
#ifndef LATER
#define LATER 0
#endif
#ifdef WRONG_MAGIC
#define MAGIC {'I', 'M', 'G', 'C', 'O', 'D', 'E', 'X'}
#else
#define MAGIC IMGCODER_ENTRY_MAGIC
#endif
IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
    sizeof(imgcoder_entry), IMGCODER_ABI_MAJOR, IMGCODER_ABI_MINOR + LATER, 0, MAGIC, describe};
