// SPDX-License-Identifier: Apache-2.0
//
// A plugin that has been taken over by a file: it tries to get out of its worker, or to hurt the program through what it
// sends. A file of it is the word HOSTILE, a space, and the name of what it tries; "nothing" is an honest picture.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "hostile.h"

struct imgcoder_reader {
  const imgcoder_host *host;
  char act[64];
};

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
  ON("connect", connect(3, (struct sockaddr *)&address, sizeof address))
  ON("handler", sigaction(SIGSYS, &(struct sigaction){.sa_handler = SIG_IGN}, NULL))
  ON("fcntl", fcntl(3, F_GETFL))
  ON("new-limit", setrlimit(RLIMIT_NOFILE, &(struct rlimit){1, 1}))
  ON("no-name", syscall(222222))
  if (strcmp(act, "blocked") == 0 || strcmp(act, "unblocked") == 0) {
    sigset_t signals;
    sigfillset(&signals);
    if (act[0] == 'u') sigdelset(&signals, SIGSYS);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    ON(act, execve("/bin/true", none, none))
  }
  ON("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, (int *)&address))
  ON("send-to", sendto(3, &byte, 1, 0, (struct sockaddr *)&address, sizeof address))
  ON("exec", execve("/bin/true", none, none))
#ifdef SYS_fork  // AArch64 has clone alone
  ON("fork", syscall(SYS_fork))
  ON("vfork", syscall(SYS_vfork))
#endif
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
  static uint32_t locks[2];
  ON("requeue", syscall(SYS_futex, &locks[0], FUTEX_CMP_REQUEUE_PRIVATE, 1, 1, &locks[1], 0))
  ON("shared-lock", syscall(SYS_futex, &locks[0], FUTEX_LOCK_PI, 0, NULL, NULL, 0))
  ON("merge-memory", madvise((void *)view, 4096, MADV_MERGEABLE))
  ON("remove-memory", madvise((void *)view, 4096, MADV_REMOVE))
  ON("lock-memory", syscall(SYS_mlock, view, 4096))
  if (strcmp(act, "abort") == 0) abort();
  if (strcmp(act, "trap") == 0) __builtin_trap();
  if (strcmp(act, "segv") == 0) *(volatile int *)8 = 1;
  if (strcmp(act, "stack") == 0) overflow(0);
  if (strcmp(act, "exit") == 0) _exit(0);
  if (strcmp(act, "exit-7") == 0) exit(7);
  if (strcmp(act, "exit-159") == 0) _exit(159);
  if (strcmp(act, "spin") == 0) spin(NULL);
  if (strcmp(act, "sleep") == 0) rest(3600);
  if (strcmp(act, "eat") == 0) {
    long eaten = 0;
    void *volatile block = NULL;  // a compiler takes out what is never looked at
    while (eaten < 1 << 20 && (block = malloc(1 << 20))) eaten++;
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
  flood(reader->act, "open");
  fill_up(reader->act, "open");
  status = try(host, reader->act, bytes);
  if (status) {
    host->free(host, reader);
    return status;
  }
  *result = reader;
  return IMGCODER_STATUS_OK;
}

static uint32_t height(const imgcoder_reader *reader) { return strncmp(reader->act, "band-de", 7) == 0 ? TALL : HEIGHT; }

static imgcoder_status reader_info(imgcoder_reader *reader, uint32_t page, imgcoder_info *info) {
  static const imgcoder_string format = IMGCODER_TEXT("org.example.hostile");
  if (page > 0) return IMGCODER_STATUS_INVALID_ARGUMENT;
  flood(reader->act, "info");
  if (strcmp(reader->act, "need-metadata") == 0) info->flags = IMGCODER_INFO_HAS_ICC;
  info->width = WIDTH;
  info->height = height(reader);
  info->pixel_format = IMGCODER_PIXEL_RGBA8;
  info->bits_per_channel = 8;
  info->alpha = IMGCODER_ALPHA_STRAIGHT;
  info->frame_count = info->page_count = 1;
  info->format = format;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_frame_info(imgcoder_reader *reader, uint32_t page, uint32_t frame,
                                         imgcoder_frame_info *info) {
  if (page > 0 || frame > 0) return IMGCODER_STATUS_INVALID_ARGUMENT;
  flood(reader->act, "frame");
  info->width = WIDTH;
  info->height = height(reader);
  info->depends_on = UINT32_MAX;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_negotiate(imgcoder_reader *reader, const imgcoder_request *request,
                                        imgcoder_offer *offer) {
  calls += 1;
  (void)request;
  flood(reader->act, "negotiate");
  offer->width = WIDTH;
  offer->height = height(reader);
  offer->pixel_format = IMGCODER_PIXEL_RGBA8;
  offer->alpha = IMGCODER_ALPHA_STRAIGHT;
  offer->row_order = strncmp(reader->act, "rows-", 5) == 0 ? IMGCODER_ROWS_ANY : IMGCODER_ROWS_TOP_DOWN;
  return IMGCODER_STATUS_OK;
}

static imgcoder_status reader_decode(imgcoder_reader *reader, const imgcoder_offer *offer, const imgcoder_sink *sink) {
  calls += 1;
  (void)offer;
  lie(reader->act);
  flood(reader->act, "decode");
  fill_up(reader->act, "decode");
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

static imgcoder_status reader_metadata(imgcoder_reader *reader, uint32_t page, imgcoder_metadata_kind kind,
                                       const uint8_t **bytes, uint64_t *length) {
  (void)page;
  (void)kind;
  (void)bytes;
  (void)length;
  calls += 1;
  flood(reader->act, "metadata");
  return IMGCODER_STATUS_NOT_PRESENT;
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
                                            .metadata = reader_metadata,
                                            .close = reader_close};

static const void *extension(const imgcoder_coder *coder, imgcoder_string id) {
  static const imgcoder_string name = IMGCODER_TEXT(IMGCODER_EXTENSION_TRANSCODE);
  (void)coder;
  return id.length == name.length && memcmp(id.bytes, name.bytes, name.length) == 0 ? &transcode_table : NULL;
}

static const imgcoder_coder coder = {.struct_size = sizeof coder,
                                     .id = IMGCODER_TEXT("org.example.hostile"),
                                     .version = IMGCODER_TEXT("1.0.0"),
                                     .reader = &table,
                                     .writer = &writer_table,
                                     .get_extension = extension};

static const imgcoder_coder *describe(const imgcoder_host *host) {
  (void)host;
  return &coder;
}

IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
    sizeof(imgcoder_entry), IMGCODER_ABI_MAJOR, IMGCODER_ABI_MINOR, 0, IMGCODER_ENTRY_MAGIC, describe};
