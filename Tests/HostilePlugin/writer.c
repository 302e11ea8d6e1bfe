// SPDX-License-Identifier: Apache-2.0
//
// What a plugin that has been taken over tries while it writes.

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hostile.h"

struct imgcoder_writer {
  const imgcoder_host *host;
  const imgcoder_output *output;
  uint8_t act;
};

static imgcoder_status writer_open(const imgcoder_coder *coder, const imgcoder_host *host, const imgcoder_output *output,
                                   const imgcoder_write_options *options, imgcoder_writer **result) {
  (void)coder;
  (void)options;
  calls = 1;
  imgcoder_writer *writer = host->allocate(host, sizeof *writer, 0);
  if (!writer) return IMGCODER_STATUS_OUT_OF_MEMORY;
  *writer = (imgcoder_writer){host, output, 0};
  *result = writer;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status writer_negotiate(imgcoder_writer *writer, imgcoder_pixel_format wanted, imgcoder_alpha alpha,
                                        imgcoder_pixel_format *accepted, imgcoder_alpha *accepted_alpha) {
  (void)writer;
  (void)wanted;
  (void)alpha;
  calls += 1;
  *accepted = IMGCODER_PIXEL_RGBA8;
  *accepted_alpha = IMGCODER_ALPHA_STRAIGHT;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status writer_set_info(imgcoder_writer *writer, const imgcoder_info *info) {
  (void)writer;
  (void)info;
  calls += 1;
  return IMGCODER_STATUS_OK;
}

// What it tries is the first sample of the picture.
static imgcoder_status writer_add_frame(imgcoder_writer *writer, const imgcoder_frame_info *frame,
                                        const imgcoder_pixels *pixels) {
  (void)frame;
  calls += 1;
  static uint8_t junk[65536];
  pthread_t thread;
  writer->act = pixels->pixels[0];
  switch (writer->act) {
    case 1: abort();
    case 2: *(volatile int *)8 = 1; break;
    case 3: socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){0}); break;
    case 4: spin(NULL); break;
    case 5: rest(3600); break;
    case 6: _exit(3);
    case 7: send_raw(ISOLATION_OUTPUT, (isolation_message){.words = {2}, .longs = {1}}, junk, 0); break;
    case 8: send_raw(ISOLATION_OUTPUT, (isolation_message){.longs = {1 << 20}}, junk, 0); break;
    case 9: send_raw(ISOLATION_REPLY, (isolation_message){.longs = {0, (uint64_t)1 << 40}}, junk, 0); break;
    case 10: send_raw(ISOLATION_WANT, (isolation_message){.words = {0, UINT32_MAX, 0}}, junk, 0); break;
    case 11: send_raw(ISOLATION_WANT, (isolation_message){.words = {0, 1, 2}}, junk, 0); break;
    case 12: return writer->output->patch(writer->output, 100, junk, 10);
    case 13:
      while (1) {
        imgcoder_status status = writer->output->write(writer->output, junk, sizeof junk);
        if (status) return status;
      }
    case 14:
      for (int count = 0; count < 2; count++) pthread_create(&thread, NULL, spin, NULL);
      pthread_join(thread, NULL);
      break;
    case 15: send_raw(ISOLATION_NEED, (isolation_message){.longs = {0, 1, 1}}, junk, 0); break;
    case 16: send_raw(ISOLATION_BAND, (isolation_message){.words = {0, 1}}, junk, 0); break;
    case 17:
      for (int line = 0; line < 5000; line++) fputs("\x1B[2J noise\n", stderr);
      fputs("the last words\n", stderr);
      abort();
    case 18:
      if (syscall(SYS_clone, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, junk + 32768, 0, 0, 0) == -1 && errno == EAGAIN) abort();
      break;
    case 19:
      fputs("\x1B[2J the last words\n", stderr);
      abort();
    case 20:
      while (1) send_raw(ISOLATION_WANT, (isolation_message){.words = {0, 1, 0}}, junk, 0);
    case 21: flood_output();
    default: break;
  }
  return writer->output->write(writer->output, (const uint8_t *)"HOSTILE nothing", 15);
}

static imgcoder_status writer_finish(imgcoder_writer *writer) {
  calls += 1;
  if (writer->act == 22) flood_output();
  return IMGCODER_STATUS_OK;
}

static void writer_close(imgcoder_writer *writer) { writer->host->free(writer->host, writer); }

const imgcoder_writer_table writer_table = {.struct_size = sizeof writer_table,
                                                   .open = writer_open,
                                                   .negotiate = writer_negotiate,
                                                   .set_info = writer_set_info,
                                                   .add_frame = writer_add_frame,
                                                   .finish = writer_finish,
                                                   .close = writer_close};

// Its file names what it tries, as that of a reader does.
static imgcoder_status transcode(const imgcoder_coder *coder, const imgcoder_host *host, const imgcoder_source *source,
                                 imgcoder_string from, imgcoder_string to, const imgcoder_output *output) {
  (void)coder;
  (void)from;
  (void)to;
  const uint8_t *bytes;
  uint64_t length;
  char act[64] = {0};
  // The file was taken by a call before.
  calls = 2;
  imgcoder_status status = source->view(source, 0, UINT64_MAX, &bytes, &length);
  if (status) return status;
  memcpy(act, bytes + PREFIX, length - PREFIX < 63 ? length - PREFIX : 63);
  flood(act, "transcode");
  if (strcmp(act, "output-transcode") == 0) flood_output();
  static const uint8_t facts[32768];
  // The name of a number has 9 bytes, of which 2 are there.
  if (strcmp(act, "facts-cut") == 0)
    send_raw(ISOLATION_CHUNK, (isolation_message){.length = 7}, "\x03\x09\0\0\0ab", 7);
  if (strcmp(act, "facts-endless") == 0)
    while (1) send_raw(ISOLATION_CHUNK, (isolation_message){.length = sizeof facts}, facts, sizeof facts);
  (void)host;
  return output->write(output, (const uint8_t *)"other", 5);
}

const imgcoder_transcode_table transcode_table = {.struct_size = sizeof transcode_table, .transcode = transcode};
