// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker.h"

// Workers of one plugin at a time.
#define MOST_WORKERS 512

static struct {
  pid_t process;
  int descriptor;
  uint32_t number;
} workers[MOST_WORKERS];
static uint32_t worker_count;

static uint32_t own_layers, left_out, needed;
// Bytes of address space that the plugin and its libraries take before any file.
static uint64_t own_memory;

static uint64_t address_space(void) {
  unsigned long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (!file) return (uint64_t)1 << 30;
  if (fscanf(file, "%llu", &pages) != 1) pages = 1 << 18;
  fclose(file);
  return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

_Noreturn static void run_worker(const imgcoder_coder *coder, const isolation_message *request,
                                 const int descriptors[ISOLATION_SPAWN_FILES], pid_t server) {
  int socket = descriptors[0], memory = descriptors[1], errors = descriptors[2];
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  // The server may have ended before.
  if (getppid() != server) _exit(0);
  uint8_t *shared = mmap(NULL, ISOLATION_SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (shared == MAP_FAILED || dup2(socket, ISOLATION_SOCKET) < 0) _exit(0);
  if (dup2(errors, STDERR_FILENO) < 0) _exit(0);
  close(memory);
  close(socket);
  close(errors);
  threads_begin((needed & ISOLATION_NEEDS_THREADS) != 0);
  filter_notes_refused_calls(&((isolation_control *)(void *)shared)->refused_call);
  uint64_t most = own_memory + threads_memory() + request->longs[0];
  uint32_t layers = layers_of_worker(own_layers, left_out, most, request->longs[1]);
  send_message(ISOLATION_READY, (isolation_message){.longs = {layers}}, NULL, 0);
  session_run(coder, shared);
}

static void spawn(const imgcoder_coder *coder, const isolation_message *request,
                  const int descriptors[ISOLATION_SPAWN_FILES]) {
  isolation_message answer = {.kind = ISOLATION_SPAWNED, .words = {request->words[0]}};
  pid_t server = getpid();
  pid_t process = worker_count < MOST_WORKERS ? fork() : -1;
  if (process == 0) run_worker(coder, request, descriptors, server);
  int descriptor = process > 0 ? (int)syscall(SYS_pidfd_open, process, 0) : -1;
  if (descriptor < 0) {
    answer.words[1] = worker_count < MOST_WORKERS ? (uint32_t)errno : EAGAIN;
    if (process > 0) {
      kill(process, SIGKILL);
      waitpid(process, NULL, 0);
    }
  } else {
    workers[worker_count].process = process;
    workers[worker_count].descriptor = descriptor;
    workers[worker_count].number = request->words[0];
    worker_count += 1;
  }
  isolation_send(ISOLATION_SOCKET, answer, NULL, descriptor);
}

static void reap(uint32_t index) {
  int status = 0;
  if (waitpid(workers[index].process, &status, WNOHANG) <= 0) return;
  isolation_message message = {.kind = ISOLATION_EXITED, .words = {workers[index].number}};
  if (WIFSIGNALED(status)) message.words[1] = (uint32_t)WTERMSIG(status);
  else message.words[2] = (uint32_t)WEXITSTATUS(status);
  close(workers[index].descriptor);
  workers[index] = workers[--worker_count];
  isolation_send(ISOLATION_SOCKET, message, NULL, -1);
}

// Receives a request with its descriptors.
static int receive_request(isolation_message *message, int descriptors[ISOLATION_SPAWN_FILES]) {
  struct iovec part = {message, sizeof *message};
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(ISOLATION_SPAWN_FILES * sizeof(int))];
  } control;
  struct msghdr envelope = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t got;
  do {
    got = recvmsg(ISOLATION_SOCKET, &envelope, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof *message) return 0;
  struct cmsghdr *head = CMSG_FIRSTHDR(&envelope);
  if (!head || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(ISOLATION_SPAWN_FILES * sizeof(int))) return 0;
  memcpy(descriptors, CMSG_DATA(head), ISOLATION_SPAWN_FILES * sizeof(int));
  return 1;
}

static uint32_t text(char *to, size_t *length, size_t size, imgcoder_string from) {
  uint64_t bytes = from.bytes ? from.length : 0;
  if (bytes > 1024 || *length + bytes > size) bytes = 0;
  memcpy(to + *length, from.bytes ? from.bytes : "", bytes);
  *length += bytes;
  return (uint32_t)bytes;
}

static void say_hello(const imgcoder_coder *coder) {
  static char buffer[sizeof(isolation_description) + 8192];
  imgcoder_coder described = imgcoder_coder_read(coder);
  isolation_description description = {.protocol = ISOLATION_PROTOCOL, .size = sizeof description};
  size_t length = sizeof description;
  description.flags = described.flags;
  description.reads = described.reader != NULL;
  description.writes = described.writer != NULL;
  description.recognizes = described.recognize != NULL;
  if (described.writer) {
    imgcoder_writer_table writer = imgcoder_writer_table_read(described.writer);
    description.features = writer.features;
    description.adds_thumbnails = writer.add_thumbnail != NULL;
    description.adds_metadata = writer.add_metadata != NULL;
    // Writers of version 1.0 do not know the format.
    description.takes_rgb16 = IMGCODER_HAS(described.writer, imgcoder_writer_table, set_color);
  }
  description.id = text(buffer, &length, sizeof buffer, described.id);
  description.version = text(buffer, &length, sizeof buffer, described.version);
  description.library = text(buffer, &length, sizeof buffer, described.library);
  if (described.container) {
    imgcoder_container names = imgcoder_container_read(described.container);
    description.has_container = 1;
    description.default_plays = names.default_plays;
    description.dictionary = text(buffer, &length, sizeof buffer, names.dictionary);
    description.unclamped_delay = text(buffer, &length, sizeof buffer, names.unclamped_delay);
    description.delay = text(buffer, &length, sizeof buffer, names.delay);
    description.loop_count = text(buffer, &length, sizeof buffer, names.loop_count);
  }
  memcpy(buffer, &description, sizeof description);
  isolation_message message = {.kind = ISOLATION_HELLO, .length = (uint32_t)length, .longs = {own_layers}};
  isolation_send(ISOLATION_SOCKET, message, buffer, -1);
}

void server_run(const imgcoder_coder *coder, uint32_t namespaces, uint32_t without, uint32_t needs) {
  own_memory = address_space();
  left_out = without;
  needed = needs;
  // What the process has by now, besides the namespaces.
  own_layers = namespaces & (ISOLATION_NO_NEW_PRIVILEGES | ISOLATION_DESCRIPTORS);
  own_layers |= layers_of_server(namespaces & ~own_layers, without);
  if (!(without & ISOLATION_SECCOMP) && probe_filter(own_layers, without) &&
      filter_server(layers_give_fonts(own_layers))) {
    own_layers |= ISOLATION_SECCOMP;
  }
  say_hello(coder);
  while (1) {
    struct pollfd waited[1 + MOST_WORKERS] = {{.fd = ISOLATION_SOCKET, .events = POLLIN}};
    for (uint32_t index = 0; index < worker_count; index++) {
      waited[1 + index] = (struct pollfd){.fd = workers[index].descriptor, .events = POLLIN};
    }
    uint32_t known = worker_count;
    if (poll(waited, 1 + known, -1) < 0) {
      if (errno == EINTR) continue;
      _exit(1);
    }
    // From the last: one that has ended gives its place to the last one.
    for (uint32_t index = known; index-- > 0;) {
      if (waited[1 + index].revents) reap(index);
    }
    if (waited[0].revents & POLLIN) {
      isolation_message request;
      int descriptors[ISOLATION_SPAWN_FILES];
      if (!receive_request(&request, descriptors)) _exit(0);
      if (request.kind == ISOLATION_SPAWN) spawn(coder, &request, descriptors);
      for (int index = 0; index < ISOLATION_SPAWN_FILES; index++) close(descriptors[index]);
    } else if (waited[0].revents) {
      _exit(0);
    }
  }
}
