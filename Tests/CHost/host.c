// SPDX-License-Identifier: Apache-2.0
//
// A host in plain C that sees nothing but the installed headers: it loads one plugin, reads a file with it, and prints
// what it found. It proves that a plugin needs nothing of the Swift host.
//
//   host PLUGIN.so info FILE                 header, frames, metadata sizes
//   host PLUGIN.so decode FILE [FORMAT [WxH]]   one line per frame: size, layout, checksum of its pixels, status
//   host PLUGIN.so dump FILE OUT [FORMAT]    frame 0 as raw rows
//   host PLUGIN.so encode RAW WxH FORMAT OUT UTI [quality|lossless]

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imgcoder/imgcoder.h"

static const uint8_t bytes_per_pixel[] = {0, 1, 2, 2, 4, 3, 4, 4, 8, 8, 16};

static imgcoder_status host_fail(const imgcoder_host *host, imgcoder_status status, int64_t offset,
                                 imgcoder_string message) {
  (void)host;
  printf("fail status=0x%02x offset=%lld %.*s\n", status, (long long)offset, (int)message.length, message.bytes);
  return status;
}
static imgcoder_status host_fail_with(const imgcoder_host *host, const imgcoder_failure *failure) {
  (void)host;
  printf("fail status=0x%02x offset=%lld limit=%u found=%llu allowed=%llu %.*s\n", failure->status,
         (long long)failure->offset, failure->limit, (unsigned long long)failure->found,
         (unsigned long long)failure->allowed, (int)failure->message.length, failure->message.bytes);
  return failure->status;
}
static void *host_allocate(const imgcoder_host *host, uint64_t size, uint64_t alignment) {
  void *memory = NULL;
  (void)host;
  return posix_memalign(&memory, alignment < 16 ? 16 : alignment, size ? size : 1) ? NULL : memory;
}
static void host_free(const imgcoder_host *host, void *memory) { (void)host; free(memory); }
static void host_log(const imgcoder_host *host, uint32_t severity, imgcoder_string message) {
  (void)host;
  fprintf(stderr, "log %u %.*s\n", severity, (int)message.length, message.bytes);
}
static uint32_t host_is_cancelled(const imgcoder_host *host) { (void)host; return 0; }
static void host_progress(const imgcoder_host *host, double fraction) { (void)host; (void)fraction; }
static void host_parallel_for(const imgcoder_host *host, uint32_t count, void (*body)(void *, uint32_t), void *argument) {
  (void)host;
  for (uint32_t i = 0; i < count; i++) body(argument, i);
}
static const void *host_get_extension(const imgcoder_host *host, imgcoder_string id) {
  (void)host; (void)id;
  return NULL;
}

static uint8_t *file_bytes;
static imgcoder_status source_view(const imgcoder_source *source, uint64_t offset, uint64_t wanted,
                                   const uint8_t **bytes, uint64_t *length) {
  uint64_t rest = offset < source->size ? source->size - offset : 0;
  *length = wanted < rest ? wanted : rest;
  *bytes = file_bytes + (offset < source->size ? offset : source->size);
  return IMGCODER_STATUS_OK;
}

typedef struct { uint8_t *pixels; uint64_t stride; uint32_t height, rows_done; } picture;
static imgcoder_status sink_rows(const imgcoder_sink *sink, uint32_t y, uint32_t count, imgcoder_rows *granted) {
  picture *p = sink->context;
  if (y >= p->height || count > p->height - y || count == 0) return IMGCODER_STATUS_INVALID_ARGUMENT;
  granted->pixels = p->pixels + y * p->stride;
  granted->stride = p->stride;
  granted->count = count;
  return IMGCODER_STATUS_OK;
}
static imgcoder_status sink_done(const imgcoder_sink *sink, uint32_t y, uint32_t count, uint32_t pass) {
  picture *p = sink->context;
  (void)y; (void)pass;
  p->rows_done += count;
  return IMGCODER_STATUS_OK;
}

static void print_name(const char *kind, imgcoder_string name) { printf("%s%.*s", kind, (int)name.length, name.bytes); }
static void properties_begin(const imgcoder_properties *p, imgcoder_string name) { (void)p; print_name("property ", name); puts(" {"); }
static void properties_end(const imgcoder_properties *p) { (void)p; puts("property }"); }
static void put_integer(const imgcoder_properties *p, imgcoder_string name, int64_t value) { (void)p; print_name("property ", name); printf(" = %lld\n", (long long)value); }
static void put_number(const imgcoder_properties *p, imgcoder_string name, double value) { (void)p; print_name("property ", name); printf(" = %g\n", value); }
static void put_text(const imgcoder_properties *p, imgcoder_string name, imgcoder_string value) { (void)p; print_name("property ", name); print_name(" = ", value); puts(""); }

static FILE *output_file;
static imgcoder_status output_write(const imgcoder_output *output, const uint8_t *bytes, uint64_t length) {
  (void)output;
  return fwrite(bytes, 1, length, output_file) == length ? IMGCODER_STATUS_OK : IMGCODER_STATUS_IO;
}
static imgcoder_status output_patch(const imgcoder_output *output, uint64_t offset, const uint8_t *bytes, uint64_t length) {
  (void)output;
  if (fseek(output_file, (long)offset, SEEK_SET) || fwrite(bytes, 1, length, output_file) != length) return IMGCODER_STATUS_IO;
  return fseek(output_file, 0, SEEK_END) ? IMGCODER_STATUS_IO : IMGCODER_STATUS_OK;
}

static uint64_t read_file(const char *path, uint8_t **bytes) {
  FILE *file = fopen(path, "rb");
  long size = 0;
  if (!file) { perror(path); exit(2); }
  fseek(file, 0, SEEK_END);
  size = ftell(file);
  rewind(file);
  *bytes = malloc((size_t)size + 1);
  if (fread(*bytes, 1, (size_t)size, file) != (size_t)size) exit(2);
  fclose(file);
  return (uint64_t)size;
}

static uint64_t checksum(const uint8_t *bytes, uint64_t length) {  // FNV-1a, 64 bits
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint64_t i = 0; i < length; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  return hash;
}

int main(int argc, char **argv) {
  imgcoder_limits limits = {sizeof limits, 65535, 1u << 28, 1u << 30, 64u << 20, 65536, 4096, 500, 0};
  imgcoder_host host = {
      .struct_size = sizeof host, .limits = &limits, .fail = host_fail, .allocate = host_allocate, .free = host_free,
      .log = host_log, .is_cancelled = host_is_cancelled, .progress = host_progress, .parallel_for = host_parallel_for,
      .get_extension = host_get_extension, .fail_with = host_fail_with};
  if (argc < 4) { fprintf(stderr, "usage: host PLUGIN.so info|decode|dump|encode FILE …\n"); return 64; }
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) { fprintf(stderr, "%s\n", dlerror()); return 2; }
  const imgcoder_entry *entry = dlsym(library, IMGCODER_ENTRY_SYMBOL);
  static const uint8_t magic[8] = IMGCODER_ENTRY_MAGIC;
  if (!entry || memcmp(entry->magic, magic, 8) || entry->abi_major != IMGCODER_ABI_MAJOR) { fprintf(stderr, "no entry\n"); return 2; }
  const imgcoder_coder *coder = entry->describe(&host);
  if (!coder) return 2;

  if (!strcmp(argv[2], "encode")) {
    if (argc < 8) return 64;
    uint8_t *raw;
    imgcoder_writer *writer;
    uint32_t width, height, format = (uint32_t)atoi(argv[5]), alpha = IMGCODER_ALPHA_STRAIGHT, got = 0, got_alpha = 0;
    read_file(argv[3], &raw);
    sscanf(argv[4], "%ux%u", &width, &height);
    output_file = fopen(argv[6], "wb+");
    imgcoder_output output = {sizeof output, 0, NULL, output_write, output_patch};
    imgcoder_write_options options = {0};
    options.struct_size = sizeof options;
    options.format.bytes = argv[7];
    options.format.length = strlen(argv[7]);
    if (argc > 8 && !strcmp(argv[8], "lossless")) options.flags = IMGCODER_WRITE_LOSSLESS;
    imgcoder_option_value quality = {
        sizeof quality, IMGCODER_OPTION_NUMBER, {"quality", 7}, argc > 8 ? atof(argv[8]) : 0, {0, 0}};
    const imgcoder_option_value *values[] = {&quality};
    if (argc > 8 && !options.flags) { options.values = values; options.value_count = 1; }
    imgcoder_status status = coder->writer->open(coder, &host, &output, &options, &writer);
    if (status) { printf("open 0x%02x\n", status); return 1; }
    status = coder->writer->negotiate(writer, format, alpha, &got, &got_alpha);
    printf("negotiate 0x%02x wanted %u got %u alpha %u\n", status, format, got, got_alpha);
    if (!status && got == format) {
      imgcoder_info info = {0};
      imgcoder_frame_info frame = {0};
      imgcoder_pixels pixels = {sizeof pixels, format, alpha, width, height, 0, raw, (uint64_t)width * bytes_per_pixel[format]};
      info.struct_size = sizeof info;
      info.width = width; info.height = height; info.pixel_format = format; info.alpha = alpha; info.frame_count = 1;
      info.bits_per_channel = 8; info.orientation = 1; info.page_count = 1;
      frame.struct_size = sizeof frame;
      frame.width = width; frame.height = height; frame.flags = IMGCODER_FRAME_HAS_ALPHA;
      status = coder->writer->set_info(writer, &info);
      if (!status) status = coder->writer->add_frame(writer, &frame, &pixels);
      if (!status) status = coder->writer->finish(writer);
    }
    coder->writer->close(writer);
    fclose(output_file);
    printf("status 0x%02x\n", status);
    return status != 0;
  }

  imgcoder_source source = {sizeof source, 0, NULL, 0, source_view, NULL};
  imgcoder_reader *reader = NULL;
  imgcoder_open_options open_options = {.struct_size = sizeof open_options};
  source.size = read_file(argv[3], &file_bytes);
  imgcoder_status status = coder->reader->open(coder, &host, &source, &open_options, &reader);
  if (status) { printf("open 0x%02x\n", status); return 1; }
  imgcoder_info info = {0};
  info.struct_size = sizeof info;
  status = coder->reader->info(reader, 0, &info);
  printf("info status=0x%02x %ux%u format=%u bits=%u alpha=%u orientation=%u frames=%u pages=%u plays=%u flags=0x%x subsampling=%u gamma=%g cicp=%u,%u,%u,%u ",
         status, info.width, info.height, info.pixel_format, info.bits_per_channel, info.alpha, info.orientation,
         info.frame_count, info.page_count, info.plays, info.flags, info.subsampling, info.gamma, info.cicp.primaries,
         info.cicp.transfer, info.cicp.matrix, info.cicp.full_range);
  print_name("", info.format); puts("");
  if (!strcmp(argv[2], "info")) {
    for (imgcoder_metadata_kind kind = 1; coder->reader->metadata && kind <= 3; kind++) {
      const uint8_t *bytes; uint64_t length = 0;
      imgcoder_status s = coder->reader->metadata(reader, 0, kind, &bytes, &length);
      printf("metadata %u status=0x%02x bytes=%llu checksum=%016llx\n", kind, s, (unsigned long long)length, s ? 0ull : (unsigned long long)checksum(bytes, length));
    }
    imgcoder_properties properties = {sizeof properties, 0, NULL, properties_begin, properties_end, put_integer, put_number, put_text, properties_begin};
    if (coder->reader->properties) coder->reader->properties(reader, 0, UINT32_MAX, &properties);
  }
  uint32_t wanted_format = 0, wanted_width = 0, wanted_height = 0;
  const char *format_argument = !strcmp(argv[2], "dump") ? (argc > 5 ? argv[5] : NULL) : (argc > 4 ? argv[4] : NULL);
  if (format_argument) wanted_format = (uint32_t)atoi(format_argument);
  if (!strcmp(argv[2], "decode") && argc > 5) sscanf(argv[5], "%ux%u", &wanted_width, &wanted_height);
  int failures = 0;
  for (uint32_t i = 0; i < info.frame_count; i++) {
    imgcoder_frame_info frame = {0};
    frame.struct_size = sizeof frame;
    status = coder->reader->frame_info(reader, 0, i, &frame);
    printf("frame %u status=0x%02x rect=%u,%u,%u,%u delay=%u/%u disposal=%u blend=%u depends=%d alpha=%u", i, status, frame.x,
           frame.y, frame.width, frame.height, frame.delay_numerator, frame.delay_denominator, frame.disposal, frame.blend,
           (int)frame.depends_on, frame.flags & 1);
    if (!strcmp(argv[2], "info")) { puts(""); continue; }
    imgcoder_request request = {.struct_size = sizeof request, .frame = i, .width = wanted_width, .height = wanted_height,
                                .pixel_format = wanted_format, .alpha = IMGCODER_ALPHA_STRAIGHT};
    imgcoder_offer offer = {0};
    offer.struct_size = sizeof offer;
    status = coder->reader->negotiate(reader, &request, &offer);
    if (status) { printf(" negotiate=0x%02x\n", status); failures++; continue; }
    picture p = {0};
    p.stride = (uint64_t)offer.width * bytes_per_pixel[offer.pixel_format];
    p.height = offer.height;
    p.pixels = malloc(p.stride * p.height);
    memset(p.pixels, getenv("FILL") ? atoi(getenv("FILL")) : 0, p.stride * p.height);
    imgcoder_sink sink = {sizeof sink, 0, &p, sink_rows, sink_done};
    status = coder->reader->decode(reader, &offer, &sink);
    failures += status != 0;
    printf(" offer=%ux%u format=%u alpha=%u order=%u unmet=%u rows_done=%u status=0x%02x checksum=%016llx\n", offer.width, offer.height,
           offer.pixel_format, offer.alpha, offer.row_order, offer.unmet, p.rows_done, status,
           (unsigned long long)checksum(p.pixels, p.stride * p.height));
    if (!strcmp(argv[2], "dump") && argc > 4) {
      FILE *out = fopen(argv[4], "wb");
      fwrite(p.pixels, 1, p.stride * p.height, out);
      fclose(out);
      i = info.frame_count;
    }
    free(p.pixels);
  }
  coder->reader->close(reader);
  return failures ? 1 : 0;
}
