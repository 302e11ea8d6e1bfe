// SPDX-License-Identifier: Apache-2.0
//
// A plugin that has been taken over by a file: it tries to get out of its worker, or to hurt the program through what it
// sends. A file of it is the word HOSTILE, a space, and the name of what it tries; "nothing" is an honest picture.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <imgcoder/imgcoder.h>
#include <protocol.h>

// Rows for which the program waits: a worker tells it of a picture of up to 64 KiB together with all its rows.
enum { WIDTH = 4096, HEIGHT = 6, PREFIX = 8 };

struct imgcoder_reader {
  const imgcoder_host *host;
  char act[64];
};

// Calls of the program, as this worker counts them: it has seen no other file.
static uint32_t calls;
static volatile char *sink_of_stores;

static imgcoder_status tell(const imgcoder_host *host, const char *what, long result) {
  char text[100];
  int length = snprintf(text, sizeof text, "%s gives %ld, errno %d", what, result, result < 0 ? errno : 0);
  imgcoder_string message = {text, (uint64_t)length};
  return host->fail(host, IMGCODER_STATUS_MALFORMED, -1, message);
}

static void overflow(int depth) {
  volatile char room[4096];
  memset((void *)room, depth, sizeof room);
  if (depth >= 0) overflow(depth + 1);
  sink_of_stores = room;
}

static void *spin(void *argument) {
  for (volatile int turn = 0;; turn++) {
  }
  return argument;
}

static void rest(time_t seconds) { clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){seconds, 0}, NULL); }

#define ON(name, expression) \
  if (strcmp(act, name) == 0) return tell(host, name, (long)(expression));

static imgcoder_status try(const imgcoder_host *host, const char *act, const uint8_t *view) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/tmp/x"};
  char *const none[] = {NULL};
  char byte = 0;
  ON("open", open("/etc/passwd", O_RDONLY))
  ON("open-memory", open("/proc/self/mem", O_RDWR))
  ON("open-environment", open("/proc/self/environ", O_RDONLY))
  ON("openat2", syscall(437, AT_FDCWD, "/etc/passwd", &address, 24))
  ON("open-by-handle", syscall(SYS_open_by_handle_at, AT_FDCWD, &address, O_RDONLY))
  ON("socket", socket(AF_UNIX, SOCK_STREAM, 0))
  ON("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, (int *)&address))
  ON("send-to", sendto(3, &byte, 1, 0, (struct sockaddr *)&address, sizeof address))
  ON("exec", execve("/bin/true", none, none))
  ON("fork", syscall(SYS_fork))
  ON("vfork", syscall(SYS_vfork))
  ON("clone", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
  ON("clone3", syscall(SYS_clone3, &address, 64))
  ON("kill", kill(1, SIGKILL))
  ON("kill-all", kill(-1, SIGKILL))
  ON("tgkill", syscall(SYS_tgkill, 1, 1, SIGABRT))
  ON("stop", raise(SIGSTOP))
  ON("pidfd", syscall(SYS_pidfd_open, 1, 0))
  ON("ptrace", syscall(SYS_ptrace, 16, 1, 0, 0))
  ON("read-process", syscall(SYS_process_vm_readv, 1, 0, 0, 0, 0, 0))
  ON("code", mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
  ON("code-later", mprotect((void *)((uintptr_t)&calls & ~(uintptr_t)4095), 4096, PROT_READ | PROT_EXEC))
  ON("memfd", memfd_create("x", 0))
  ON("io-uring", syscall(425, 1, &address))
  ON("bpf", syscall(SYS_bpf, 0, &address, sizeof address))
  ON("userfaultfd", syscall(SYS_userfaultfd, 0))
  ON("perf", syscall(SYS_perf_event_open, &address, 0, -1, -1, 0))
  ON("keyctl", syscall(SYS_keyctl, 0, 0, 0, 0, 0))
  ON("unshare", unshare(CLONE_NEWUSER))
  ON("setns", setns(3, 0))
  ON("mount", syscall(SYS_mount, "none", "/", "tmpfs", 0, NULL))
  ON("prctl", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))
  ON("seccomp", syscall(SYS_seccomp, 0, 0, NULL))
  ON("send-file", syscall(SYS_sendmsg, 3, &address, 0))
  ON("shrink", ftruncate(4, 0))
  ON("punch", fallocate(4, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096))
  ON("read-other", read(3, &byte, 1))
  ON("poll", syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0))
#if defined(__x86_64__)
  ON("x32", syscall(SYS_getpid | 0x40000000))
  if (strcmp(act, "i386") == 0) {
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
    return tell(host, act, result);
  }
#endif
  ON("map-input", (long)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0))
  ON("write-input", mprotect((void *)view, 4096, PROT_READ | PROT_WRITE))
  ON("lock-memory", syscall(SYS_mlock, view, 4096))
  if (strcmp(act, "abort") == 0) abort();
  if (strcmp(act, "trap") == 0) __builtin_trap();
  if (strcmp(act, "segv") == 0) *(volatile int *)8 = 1;
  if (strcmp(act, "stack") == 0) overflow(0);
  if (strcmp(act, "exit") == 0) _exit(0);
  if (strcmp(act, "exit-7") == 0) exit(7);
  if (strcmp(act, "spin") == 0) spin(NULL);
  if (strcmp(act, "sleep") == 0) rest(3600);
  if (strcmp(act, "eat") == 0) {
    long eaten = 0;
    while (eaten < 1 << 20 && malloc(1 << 20)) eaten++;
    return tell(host, eaten < 1 << 14 ? "limited" : "endless", 0);
  }
  if (strcmp(act, "environment") == 0) {
    long count = 0;
    for (char **variable = environ; variable && *variable; variable++) count++;
    return tell(host, act, count);
  }
  if (strcmp(act, "descriptors") == 0) {
    long count = 0;
    for (int number = 5; number < 1024; number++) count += close(number) == 0;
    return tell(host, act, count);
  }
  return IMGCODER_STATUS_OK;
}

static void send_raw(uint32_t kind, isolation_message message, const void *bytes, size_t length) {
  static char buffer[sizeof message + 65536];
  message.kind = kind;
  if (message.call == 0) message.call = calls;
  memcpy(buffer, &message, sizeof message);
  if (length > 0) memcpy(buffer + sizeof message, bytes, length);
  sendto(3, buffer, sizeof message + length, 0, NULL, 0);
}

// Sends what no honest worker does, while the program waits for the rows of a picture.
static void lie(const char *act) {
  static char junk[40000];
  isolation_rows rows[2] = {{0, 3, 0}, {HEIGHT, 1, 0}};
  memset(junk, 0x1B, sizeof junk);
#define SEND(name, kind, ...) \
  if (strcmp(act, name) == 0) send_raw(kind, (isolation_message){__VA_ARGS__}, junk, 0);
  SEND("band-too-long", ISOLATION_BAND, .words = {0, HEIGHT + 1, 0, 0, 0})
  SEND("band-of-32-bits", ISOLATION_BAND, .words = {0, UINT32_MAX, 0, 0, 0})
  SEND("band-later", ISOLATION_BAND, .words = {2, 1, 0, 0, 0})
  SEND("band-of-slot-2", ISOLATION_BAND, .words = {0, 1, 0, 2, 0})
  SEND("band-behind-the-end", ISOLATION_BAND, .words = {0, 1, 0, 0, UINT32_MAX})
  SEND("band-empty", ISOLATION_BAND, .words = {0, 0, 0, 0, 0})
  SEND("other-call", ISOLATION_BAND, .call = 99, .words = {0, 1})
  SEND("unknown-kind", 4242, .words = {0})
  SEND("unasked-chunk", ISOLATION_CHUNK, .words = {0})
  SEND("unasked-file", ISOLATION_OPEN, .words = {0})
  SEND("reason-too-long", ISOLATION_REPLY, .words = {0x12, UINT32_MAX, 1})
  SEND("reason-that-is-not-there", ISOLATION_REPLY, .words = {0x12, 400, 0})
  SEND("inflates", ISOLATION_REPLY, .inflated = UINT64_MAX)
  SEND("length-that-lies", ISOLATION_REPLY, .length = 77)
  if (strcmp(act, "rows-outside") == 0) send_raw(ISOLATION_ROWS, (isolation_message){.length = 24}, rows, 24);
  if (strcmp(act, "too-long") == 0) send_raw(ISOLATION_CHUNK, (isolation_message){.length = 40000}, junk, 40000);
  if (strcmp(act, "short") == 0) sendto(3, junk, 10, 0, NULL, 0);
  if (strcmp(act, "band-twice") == 0) {
    send_raw(ISOLATION_BAND, (isolation_message){.words = {0, 1, 0, 0, 0}}, junk, 0);
    send_raw(ISOLATION_BAND, (isolation_message){.words = {0, 1, 0, 0, 0}}, junk, 0);
  }
  if (strcmp(act, "flood") == 0) {
    for (int line = 0; line < 3000; line++) send_raw(ISOLATION_LOG, (isolation_message){.length = 3}, junk, 3);
  }
  if (strcmp(act, "escapes") == 0) {
    send_raw(ISOLATION_REPLY, (isolation_message){.length = 8, .words = {0x12, 8, 0, 0x12}}, "\x1B[2J\xFF\xC2\x9Bx", 8);
  }
  if (strcmp(act, "unknown-status") == 0) send_raw(ISOLATION_REPLY, (isolation_message){.words = {0xFFFFFFFF}}, junk, 0);
}

static imgcoder_status reader_open(const imgcoder_coder *coder, const imgcoder_host *host,
                                   const imgcoder_source *source, const imgcoder_open_options *options,
                                   imgcoder_reader **result) {
  const uint8_t *bytes;
  uint64_t length;
  (void)coder;
  (void)options;
  calls = 1;
  imgcoder_status status = source->view(source, 0, UINT64_MAX, &bytes, &length);
  if (status) return status;
  if (length < PREFIX || memcmp(bytes, "HOSTILE ", PREFIX) != 0) return IMGCODER_STATUS_WRONG_FORMAT;
  imgcoder_reader *reader = host->allocate(host, sizeof *reader, 0);
  if (!reader) return IMGCODER_STATUS_OUT_OF_MEMORY;
  memset(reader, 0, sizeof *reader);
  reader->host = host;
  memcpy(reader->act, bytes + PREFIX, length - PREFIX < 63 ? length - PREFIX : 63);
  status = try(host, reader->act, bytes);
  if (status) {
    host->free(host, reader);
    return status;
  }
  *result = reader;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_info(imgcoder_reader *reader, uint32_t page, imgcoder_info *info) {
  (void)reader;
  static const imgcoder_string format = IMGCODER_TEXT("org.example.hostile");
  if (page > 0) return IMGCODER_STATUS_INVALID_ARGUMENT;
  info->width = WIDTH;
  info->height = HEIGHT;
  info->pixel_format = IMGCODER_PIXEL_RGBA8;
  info->bits_per_channel = 8;
  info->alpha = IMGCODER_ALPHA_STRAIGHT;
  info->frame_count = info->page_count = 1;
  info->format = format;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_frame_info(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                         imgcoder_frame_info *info) {
  (void)reader;
  if (page > 0 || frame > 0) return IMGCODER_STATUS_INVALID_ARGUMENT;
  info->width = WIDTH;
  info->height = HEIGHT;
  info->depends_on = UINT32_MAX;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_negotiate(imgcoder_reader *reader, const imgcoder_request *request,
                                        imgcoder_offer *offer) {
  calls += 1;
  (void)request;
  offer->width = WIDTH;
  offer->height = HEIGHT;
  offer->pixel_format = IMGCODER_PIXEL_RGBA8;
  offer->alpha = IMGCODER_ALPHA_STRAIGHT;
  offer->row_order = strcmp(reader->act, "rows-outside") == 0 ? IMGCODER_ROWS_ANY : IMGCODER_ROWS_TOP_DOWN;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_decode(imgcoder_reader *reader, const imgcoder_offer *offer, const imgcoder_sink *sink) {
  calls += 1;
  (void)offer;
  lie(reader->act);
  uint8_t *last = NULL;
  for (uint32_t y = 0; y < HEIGHT; y++) {
    imgcoder_rows rows;
    imgcoder_status status = sink->rows(sink, y, 1, &rows);
    if (status) return status;
    memset(rows.pixels, 7, WIDTH * 4);
    last = rows.pixels;
    status = sink->done(sink, y, 1, 0);
    if (status) return status;
  }
  // A row that the program has may be written, and nobody sees it.
  if (strcmp(reader->act, "write-later") == 0) {
    rest(1);
    memset(last, 9, WIDTH * 4);
  }
  return IMGCODER_STATUS_OK;
}

static void reader_close(imgcoder_reader *reader) {
  if (strcmp(reader->act, "close-hangs") == 0) spin(NULL);
  if (strcmp(reader->act, "close-crashes") == 0) abort();
  reader->host->free(reader->host, reader);
}

static const imgcoder_reader_table table = {.struct_size = sizeof table,
                                            .open = reader_open,
                                            .info = reader_info,
                                            .frame_info = reader_frame_info,
                                            .negotiate = reader_negotiate,
                                            .decode = reader_decode,
                                            .close = reader_close};

struct imgcoder_writer {
  const imgcoder_host *host;
  const imgcoder_output *output;
};

static imgcoder_status writer_open(const imgcoder_coder *coder, const imgcoder_host *host, const imgcoder_output *output,
                                   const imgcoder_write_options *options, imgcoder_writer **result) {
  (void)coder;
  (void)options;
  calls = 1;
  imgcoder_writer *writer = host->allocate(host, sizeof *writer, 0);
  if (!writer) return IMGCODER_STATUS_OUT_OF_MEMORY;
  *writer = (imgcoder_writer){host, output};
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
  switch (pixels->pixels[0]) {
    case 1: abort();
    case 2: *(volatile int *)8 = 1; break;
    case 3: socket(AF_UNIX, SOCK_STREAM, 0); break;
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
    case 18: syscall(SYS_clone, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, junk + 32768, 0, 0, 0); break;
    case 19:
      fputs("\x1B[2J the last words\n", stderr);
      abort();
    default: break;
  }
  return writer->output->write(writer->output, (const uint8_t *)"HOSTILE nothing", 15);
}

static imgcoder_status writer_finish(imgcoder_writer *writer) {
  (void)writer;
  calls += 1;
  return IMGCODER_STATUS_OK;
}

static void writer_close(imgcoder_writer *writer) { writer->host->free(writer->host, writer); }

static const imgcoder_writer_table writer_table = {.struct_size = sizeof writer_table,
                                                   .open = writer_open,
                                                   .negotiate = writer_negotiate,
                                                   .set_info = writer_set_info,
                                                   .add_frame = writer_add_frame,
                                                   .finish = writer_finish,
                                                   .close = writer_close};

static const imgcoder_coder coder = {.struct_size = sizeof coder,
                                     .id = IMGCODER_TEXT("org.example.hostile"),
                                     .version = IMGCODER_TEXT("1.0.0"),
                                     .reader = &table,
                                     .writer = &writer_table};

static const imgcoder_coder *describe(const imgcoder_host *host) {
  (void)host;
  return &coder;
}

IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
    sizeof(imgcoder_entry), IMGCODER_ABI_MAJOR, IMGCODER_ABI_MINOR, 0, IMGCODER_ENTRY_MAGIC, describe};
