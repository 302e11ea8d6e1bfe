// SPDX-License-Identifier: Apache-2.0
//
// The misbehaving plugin: it breaks every promise of the interface, one at a time. A file of it is the word UNRULY, a
// space, and the name of what goes wrong. What goes wrong before a file is opened is chosen when it is compiled:
//
//   -DWRONG_MAGIC -DWRONG_MAJOR -DNO_ENTRY -DNO_DESCRIBE -DREFUSES -DREFUSES_SILENTLY -DOTHER_ID -DUNDEFINED_SYMBOL
//   -DNO_INFO -DNO_NEGOTIATE -DNO_DECODE -DNO_CLOSE -DEMPTY_TABLE -DNO_ADD_FRAME -DNOTHING -DSIZE_0 -DSIZE_16 -DENDLESS_ID
//   -DNULL_OPTIONS -DCOUNTS (its version is how often it was described)
//   -DOLDER   structs of an older minor version, with poison where later fields would be
//   -DNEWER   structs of a later minor version, with fields that nobody knows
//
// What harms the process is in faults.h: in a file, open-, decode- or close- and the name of a fault; in the variable
// UNRULY of the environment, load-, describe-, write- or atexit- and the name.

#define _GNU_SOURCE
#include "faults.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

enum { WIDTH = 8, HEIGHT = 6, PREFIX = 7 };

struct imgcoder_reader {
  const imgcoder_host *host;
  char act[64];
};

static int acts(const imgcoder_reader *reader, const char *name) { return strcmp(reader->act, name) == 0; }

static imgcoder_status fail(const imgcoder_host *host, imgcoder_status status, const char *text) {
  imgcoder_string message = {text, strlen(text)};
  return host->fail(host, status, 3, message);
}

static imgcoder_status reader_open(const imgcoder_coder *coder, const imgcoder_host *host,
                                   const imgcoder_source *source, const imgcoder_open_options *options,
                                   imgcoder_reader **result) {
  const uint8_t *bytes;
  uint64_t size;
  imgcoder_status status = source->view(source, 0, UINT64_MAX, &bytes, &size);
  (void)coder, (void)options;
  if (status) return status;
  if (size < PREFIX || size - PREFIX >= 64 || memcmp(bytes, "UNRULY ", PREFIX)) return IMGCODER_STATUS_WRONG_FORMAT;
  imgcoder_reader *reader = calloc(1, sizeof *reader);
  if (!reader) return IMGCODER_STATUS_OUT_OF_MEMORY;
  reader->host = host;
  memcpy(reader->act, bytes + PREFIX, (size_t)(size - PREFIX));
  status = IMGCODER_STATUS_OK;
  commit_after("open-", host, reader->act);
  if (acts(reader, "open-fails-silently")) status = IMGCODER_STATUS_MALFORMED;
  if (acts(reader, "open-needs-more")) status = IMGCODER_STATUS_NEED_MORE;
  if (acts(reader, "open-invents-a-status")) status = 0x99;
  if (acts(reader, "open-fails-with-noise")) {
    static char noise[10000];
    memset(noise, '\n', sizeof noise - 1);
    noise[0] = (char)0xFF;
    status = fail(host, IMGCODER_STATUS_MALFORMED, noise);
  }
  if (acts(reader, "open-fails-otherwise")) {
    fail(host, IMGCODER_STATUS_MALFORMED, "what was told");
    status = IMGCODER_STATUS_TRUNCATED;
  }
  if (acts(reader, "allocates-too-much"))
    status = host->allocate(host, UINT64_C(1) << 60, 0) ? IMGCODER_STATUS_OK : IMGCODER_STATUS_OUT_OF_MEMORY;
  if (acts(reader, "allocates-oddly")) {
    void *wild[] = {host->allocate(host, 8, 3), host->allocate(host, 8, 1 << 20), host->allocate(host, UINT64_MAX, 0)};
    void *whole = host->allocate(host, 0, 4096);
    status = wild[0] || wild[1] || wild[2] || !whole || (uintptr_t)whole % 4096 ? IMGCODER_STATUS_LIBRARY : 0;
    host->free(host, whole);
    host->free(host, NULL);
  }
  if (acts(reader, "leaves-memory")) host->allocate(host, 1000, 0), host->allocate(host, 24, 256);
  if (!status && !acts(reader, "opens-nothing"))
    *result = reader;
  else
    free(reader);
  return status;
}

static imgcoder_status reader_info(imgcoder_reader *reader, uint32_t page, imgcoder_info *info) {
  static const imgcoder_string uti = TEXT("org.example.unruly");
  if (page) return fail(reader->host, IMGCODER_STATUS_INVALID_ARGUMENT, "one page");
  info->width = WIDTH;
  info->height = HEIGHT;
  info->pixel_format = IMGCODER_PIXEL_RGBA8;
  info->bits_per_channel = 8;
  info->alpha = IMGCODER_ALPHA_STRAIGHT;
  info->frame_count = info->page_count = 1;
  info->format = uti;
  if (acts(reader, "canvas-0x0")) info->width = info->height = 0;
  if (acts(reader, "canvas-of-32-bits")) info->width = info->height = UINT32_MAX;
  if (acts(reader, "pixel-format-77")) info->pixel_format = 77;
  if (acts(reader, "alpha-9")) info->alpha = 9;
  if (acts(reader, "orientation-200")) info->orientation = 200;
  if (acts(reader, "frames-of-32-bits")) info->frame_count = UINT32_MAX;
  if (acts(reader, "pages-of-32-bits")) info->page_count = UINT32_MAX;
  if (acts(reader, "frames-0")) info->frame_count = info->page_count = 0;
  if (acts(reader, "primary-page-9")) info->primary_page = 9;
  if (acts(reader, "format-of-another")) info->format = (imgcoder_string)TEXT("public.png");
  if (acts(reader, "format-endless")) info->format.length = UINT64_MAX;
  if (acts(reader, "gamma-nan")) info->gamma = strtod("nan", NULL), info->bits_per_channel = 4000000000u;
  if (acts(reader, "struct-size-grows")) info->struct_size = 4000;
  if (!strncmp(reader->act, "frame", 5)) info->flags = IMGCODER_INFO_ANIMATED;
  if (acts(reader, "frames-to-come")) info->flags |= IMGCODER_INFO_INCOMPLETE;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_frame_info(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                         imgcoder_frame_info *info) {
  (void)page, (void)frame;
  info->width = WIDTH;
  info->height = HEIGHT;
  if (acts(reader, "frame-outside")) info->x = 1;
  if (acts(reader, "frame-outside-wraps")) info->x = UINT32_MAX, info->y = UINT32_MAX;
  if (acts(reader, "frame-empty")) info->width = 0;
  if (acts(reader, "frame-disposal-9")) info->disposal = 9;
  if (acts(reader, "frame-blend-9")) info->blend = 9;
  if (acts(reader, "frame-depends-on-the-future")) info->depends_on = 4000000000u;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_negotiate(imgcoder_reader *reader, const imgcoder_request *request,
                                        imgcoder_offer *offer) {
  (void)request;
  offer->width = WIDTH;
  offer->height = HEIGHT;
  offer->pixel_format = IMGCODER_PIXEL_RGBA8;
  offer->alpha = IMGCODER_ALPHA_STRAIGHT;
  offer->row_order = IMGCODER_ROWS_TOP_DOWN;
  if (acts(reader, "offers-more")) offer->width = 9;
  if (acts(reader, "offers-32-bits")) offer->width = offer->height = UINT32_MAX;
  if (acts(reader, "offers-less")) offer->width = 7;
  if (acts(reader, "offers-nothing")) offer->width = 0;
  if (acts(reader, "offers-format-77")) offer->pixel_format = 77;
  if (acts(reader, "offers-order-5")) offer->row_order = 5;
  if (acts(reader, "offers-memory")) offer->memory = UINT64_MAX;
  double covered = 0;
  if (strncmp(reader->act, "covers ", 7) == 0) covered = strtod(reader->act + 7, NULL);
  IMGCODER_SET(offer, imgcoder_offer, covered_width, covered);
  if (strstr(reader->act, "any-order")) offer->row_order = IMGCODER_ROWS_ANY;
  return IMGCODER_STATUS_OK;
}

// Sends rows that are what they should be.
static imgcoder_status send(const imgcoder_sink *sink, uint32_t y, uint32_t end) {
  while (y < end) {
    imgcoder_rows rows;
    imgcoder_status status = sink->rows(sink, y, end - y, &rows);
    if (status) return status;
    for (uint32_t row = 0; row < rows.count; row++) memset(rows.pixels + row * rows.stride, 7, WIDTH * 4);
    status = sink->done(sink, y, rows.count, 0);
    if (status) return status;
    y += rows.count;
  }
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_decode(imgcoder_reader *reader, const imgcoder_offer *offer, const imgcoder_sink *sink) {
  imgcoder_rows rows;
  (void)offer;
  commit_after("decode-", reader->host, reader->act);
  if (acts(reader, "rows-out-of-range")) return sink->rows(sink, HEIGHT, 1, &rows);
  if (acts(reader, "rows-out-of-range-any-order")) return sink->rows(sink, 1, HEIGHT, &rows);
  if (acts(reader, "rows-32-bits-any-order")) return sink->rows(sink, UINT32_MAX, UINT32_MAX, &rows);
  if (acts(reader, "rows-out-of-order")) return sink->rows(sink, 3, 1, &rows);
  if (acts(reader, "rows-0")) return sink->rows(sink, 0, 0, &rows);
  if (acts(reader, "rows-nowhere")) return sink->rows(sink, 0, 1, NULL);
  if (acts(reader, "rows-none") || acts(reader, "rows-none-any-order")) return IMGCODER_STATUS_OK;
  if (acts(reader, "rows-half") || acts(reader, "rows-half-any-order")) return send(sink, 0, HEIGHT / 2);
  if (acts(reader, "rows-refusal-ignored")) sink->rows(sink, 3, 1, &rows);
  if (acts(reader, "rows-of-32-bits") && !sink->rows(sink, 0, UINT32_MAX, &rows) && rows.count > HEIGHT) abort();
  if (acts(reader, "done-without-rows")) return sink->done(sink, 0, HEIGHT, 0);
  if (acts(reader, "done-without-rows-any-order")) return sink->done(sink, 0, HEIGHT, 0);
  if (acts(reader, "done-more-than-granted")) {
    imgcoder_status status = sink->rows(sink, 0, 1, &rows);
    return status ? status : sink->done(sink, 0, HEIGHT, 0);
  }
  if (acts(reader, "done-out-of-range")) return sink->done(sink, HEIGHT, 1, 0);
  if (acts(reader, "done-twice")) {
    imgcoder_status status = send(sink, 0, 1);
    return status ? status : sink->done(sink, 0, 1, 0);
  }
  if (acts(reader, "done-in-pieces")) {  // which is allowed
    imgcoder_status status = sink->rows(sink, 0, HEIGHT, &rows);
    for (uint32_t y = 0; y < HEIGHT && !status; y++)
      memset(rows.pixels + y * rows.stride, (int)(y * 10 + 5), WIDTH * 4);
    for (uint32_t y = 0; y < HEIGHT && !status; y++) status = sink->done(sink, y, 1, 0);
    return status;
  }
  if (acts(reader, "done-unwritten")) {
    imgcoder_status status = sink->rows(sink, 0, HEIGHT, &rows);
    return status ? status : sink->done(sink, 0, rows.count, 0);
  }
  if (acts(reader, "decode-needs-more")) return IMGCODER_STATUS_NEED_MORE;
  if (acts(reader, "decode-is-not-present")) return IMGCODER_STATUS_NOT_PRESENT;
  if (acts(reader, "decode-fails-silently")) return IMGCODER_STATUS_MALFORMED;
  if (acts(reader, "decode-cancels-itself")) return IMGCODER_STATUS_CANCELLED;
  if (acts(reader, "decode-is-cut")) return send(sink, 0, 3) ? IMGCODER_STATUS_LIBRARY : IMGCODER_STATUS_TRUNCATED;
  return send(sink, 0, HEIGHT);
}

static imgcoder_status reader_metadata(imgcoder_reader *reader, uint32_t page, imgcoder_metadata_kind kind,
                                       const uint8_t **bytes, uint64_t *length) {
  static const uint8_t some[4] = {1, 2, 3, 4};
  (void)page;
  if (kind != IMGCODER_METADATA_XMP) return IMGCODER_STATUS_NOT_PRESENT;
  if (acts(reader, "metadata-of-a-terabyte")) return *bytes = some, *length = UINT64_C(1) << 40, IMGCODER_STATUS_OK;
  if (acts(reader, "metadata-nowhere")) return *bytes = NULL, *length = 5, IMGCODER_STATUS_OK;
  if (acts(reader, "metadata-needs-more")) return IMGCODER_STATUS_NEED_MORE;
  return IMGCODER_STATUS_NOT_PRESENT;
}

static imgcoder_status reader_properties(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                         const imgcoder_properties *properties) {
  imgcoder_string name = TEXT("deep"), bad = TEXT("\xFF\xFE"), nowhere = {NULL, 0};
  (void)page, (void)frame;
  if (acts(reader, "properties-20-deep"))
    for (int depth = 0; depth < 20; depth++) {
      properties->put_integer(properties, bad, depth);
      properties->begin(properties, name);
    }
  if (acts(reader, "properties-end-first"))
    for (int count = 0; count < 20; count++) properties->end(properties);
  properties->put_integer(properties, nowhere, 1);
  properties->put_number(properties, name, strtod("nan", NULL));
  properties->put_text(properties, bad, nowhere);
  return IMGCODER_STATUS_OK;
}

static void reader_close(imgcoder_reader *reader) {
  commit_after("close-", reader->host, reader->act);
  free(reader);
}

static imgcoder_status writer_open(const imgcoder_coder *coder, const imgcoder_host *host,
                                   const imgcoder_output *output, const imgcoder_write_options *options,
                                   imgcoder_writer **writer) {
  (void)coder, (void)output, (void)options;
  commit_after("write-", host, chosen());
  *writer = (imgcoder_writer *)malloc(1);
  return *writer ? IMGCODER_STATUS_OK : IMGCODER_STATUS_OUT_OF_MEMORY;
}
static imgcoder_status writer_negotiate(imgcoder_writer *writer, imgcoder_pixel_format wanted, imgcoder_alpha alpha,
                                        imgcoder_pixel_format *accepted, imgcoder_alpha *accepted_alpha) {
  (void)writer, (void)wanted, (void)alpha;
  return *accepted = 77, *accepted_alpha = 9, IMGCODER_STATUS_OK;
}
static imgcoder_status writer_set_info(imgcoder_writer *writer, const imgcoder_info *info) {
  return (void)writer, (void)info, IMGCODER_STATUS_UNSUPPORTED;
}
static imgcoder_status writer_add_frame(imgcoder_writer *writer, const imgcoder_frame_info *frame,
                                        const imgcoder_pixels *pixels) {
  return (void)writer, (void)frame, (void)pixels, IMGCODER_STATUS_UNSUPPORTED;
}
static imgcoder_status writer_finish(imgcoder_writer *writer) { return (void)writer, IMGCODER_STATUS_OUT_OF_ORDER; }
static void writer_close(imgcoder_writer *writer) { free(writer); }

#define POISON(type) ((type)(uintptr_t)0xDEAD00000000DEADu)
static const imgcoder_string words[] = {TEXT("one"), TEXT("two")};
static const imgcoder_option plain = {
    sizeof(imgcoder_option), IMGCODER_OPTION_INTEGER, TEXT("plain"), TEXT("text"), 1, 9, 5, NULL, 0, {NULL, 0}, 0, 0};
static const imgcoder_option cut = {
    offsetof(imgcoder_option, choices), IMGCODER_OPTION_INTEGER, TEXT("cut"), TEXT("text"), 1, 9, 5,
    POISON(const imgcoder_string *), UINT64_MAX, {NULL, 0}, 0, 0};
static const imgcoder_option cut_choice = {
    offsetof(imgcoder_option, choices), IMGCODER_OPTION_CHOICE, TEXT("cut-choice"), TEXT("text"), 0, 1, 0,
    POISON(const imgcoder_string *), UINT64_MAX, {NULL, 0}, 0, 0};
static imgcoder_option no_number = {
    sizeof(imgcoder_option), IMGCODER_OPTION_NUMBER, TEXT("no-number"), TEXT("text"), 0, 1, 0, NULL, 0, {NULL, 0}, 0, 0};
static imgcoder_option endless = {
    sizeof(imgcoder_option), IMGCODER_OPTION_INTEGER, TEXT("endless"), TEXT("text"), 0, 1e300, 0, NULL, 0, {NULL, 0}, 0, 0};
static const imgcoder_option upside_down = {
    sizeof(imgcoder_option), IMGCODER_OPTION_INTEGER, TEXT("upside-down"), TEXT("text"), 9, 1, 5, NULL, 0, {NULL, 0}, 0, 0};
static const imgcoder_option unknown = {
    sizeof(imgcoder_option), 99, TEXT("unknown"), TEXT("text"), 0, 1, 0, NULL, 0, {NULL, 0}, 0, 0};
static const imgcoder_option wordless = {
    sizeof(imgcoder_option), IMGCODER_OPTION_CHOICE, TEXT("wordless"), TEXT("text"), 0, 1, 0, NULL, UINT64_MAX, {NULL, 0}, 0, 0};
static const imgcoder_option beyond = {
    sizeof(imgcoder_option), IMGCODER_OPTION_CHOICE, TEXT("beyond"), TEXT("text"), 0, 1, 2, words, 2, {NULL, 0}, 0, 0};
static const imgcoder_option half = {
    sizeof(imgcoder_option), IMGCODER_OPTION_INTEGER, TEXT("half"), TEXT("text"), 0, 9, 0.5, NULL, 0, {NULL, 0}, 0, 0};
static const imgcoder_option *const options[] = {&plain,       &cut,     &cut_choice, &no_number, NULL, &endless,
                                                 &upside_down, &unknown, &wordless,   &beyond,    &half};

static struct {
  imgcoder_reader_table known;
  uint8_t later[64];
} reader_table = {{sizeof(imgcoder_reader_table), 0, reader_open, reader_info, reader_frame_info, reader_negotiate,
                   reader_decode, reader_metadata, reader_properties, reader_close, NULL, NULL}, {0}};
static struct {
  imgcoder_writer_table known;
  uint8_t later[64];
} writer_table = {{sizeof(imgcoder_writer_table), 0, writer_open, writer_negotiate, writer_set_info, NULL,
                   writer_add_frame, writer_finish, writer_close, NULL, NULL, NULL}, {0}};
static struct {
  imgcoder_coder known;
  uint8_t later[64];
} coder = {{sizeof(imgcoder_coder), 0, NULL,
#ifdef OTHER_ID
            TEXT("org.example.other"),
#else
            TEXT("org.example.unruly"),
#endif
            TEXT("1.0.0"), TEXT(""), NULL, &reader_table.known, &writer_table.known, options, 11, NULL, NULL, NULL, 0}, {0}};

#ifdef UNDEFINED_SYMBOL
extern void nobody_defines_this(void);
#endif

static const imgcoder_coder *describe(const imgcoder_host *host) {
  commit_after("describe-", host, chosen());
#if defined(COUNTS)
  static char version[1] = {'0'};
  version[0]++;
  coder.known.version.bytes = version;
  coder.known.version.length = 1;
#elif defined(REFUSES)
  fail(host, IMGCODER_STATUS_LIBRARY, "libunruly 3 is needed, 2 was found");
  return NULL;
#elif defined(REFUSES_SILENTLY)
  return NULL;
#elif defined(UNDEFINED_SYMBOL)
  nobody_defines_this();
#elif defined(OLDER)
  // Fields behind these sizes are not this plugin's: reading one of them is a mistake, following it a crash.
  coder.known.struct_size = offsetof(imgcoder_coder, options);
  coder.known.options = POISON(const imgcoder_option *const *);
  coder.known.option_count = UINT64_MAX;
  memset(&coder.known.get_extension, 0xA5, sizeof coder - offsetof(imgcoder_coder, get_extension));
  reader_table.known.struct_size = offsetof(imgcoder_reader_table, get_extension);
  reader_table.known.metadata = NULL;
  reader_table.known.properties = NULL;
  memset(&reader_table.known.get_extension, 0xA5, sizeof reader_table - offsetof(imgcoder_reader_table, get_extension));
  writer_table.known.struct_size = offsetof(imgcoder_writer_table, add_thumbnail);
  memset(&writer_table.known.add_thumbnail, 0xA5, sizeof writer_table - offsetof(imgcoder_writer_table, add_thumbnail));
#elif defined(NO_INFO)
  reader_table.known.info = NULL;
#elif defined(NO_NEGOTIATE)
  reader_table.known.negotiate = NULL;
#elif defined(NO_DECODE)
  reader_table.known.decode = NULL;
#elif defined(NO_CLOSE)
  reader_table.known.close = NULL;
#elif defined(EMPTY_TABLE)
  reader_table.known.struct_size = 0;
#elif defined(NO_ADD_FRAME)
  writer_table.known.add_frame = NULL;
#elif defined(NOTHING)
  coder.known.reader = NULL;
  coder.known.writer = NULL;
#elif defined(SIZE_0)
  coder.known.struct_size = 0;
#elif defined(SIZE_16)
  coder.known.struct_size = 16;
#elif defined(ENDLESS_ID)
  coder.known.id.length = UINT64_MAX;
#elif defined(NULL_OPTIONS)
  coder.known.options = NULL;
#elif defined(NEWER)
  coder.known.struct_size = sizeof coder;
  reader_table.known.struct_size = UINT32_MAX;
  writer_table.known.struct_size = sizeof writer_table;
  memset(coder.later, 0xA5, sizeof coder.later);
  memset(reader_table.later, 0xA5, sizeof reader_table.later);
  memset(writer_table.later, 0xA5, sizeof writer_table.later);
#endif
  no_number.minimum = strtod("nan", NULL);
  endless.maximum = strtod("inf", NULL);
  return host ? &coder.known : NULL;
}

#ifdef WRONG_MAGIC
#undef IMGCODER_ENTRY_MAGIC
#define IMGCODER_ENTRY_MAGIC {'I', 'M', 'G', 'C', 'O', 'D', 'E', 'X'}
#endif
#ifdef WRONG_MAJOR
#undef IMGCODER_ABI_MAJOR
#define IMGCODER_ABI_MAJOR 2
#endif
#ifdef NO_DESCRIBE
#define describe NULL
#endif

#if defined(NO_ENTRY)
IMGCODER_EXPORT const imgcoder_coder *unruly_something_else(const imgcoder_host *host);
const imgcoder_coder *unruly_something_else(const imgcoder_host *host) { return describe(host); }
#elif defined(OLDER)
IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
    offsetof(imgcoder_entry, describe) + sizeof(void *), IMGCODER_ABI_MAJOR, 0, 0, IMGCODER_ENTRY_MAGIC, describe};
#elif defined(NEWER)
IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
    4096, IMGCODER_ABI_MAJOR, 99, 0, IMGCODER_ENTRY_MAGIC, describe};
#else
IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
    sizeof(imgcoder_entry), IMGCODER_ABI_MAJOR, IMGCODER_ABI_MINOR, 0, IMGCODER_ENTRY_MAGIC, describe};
#endif
