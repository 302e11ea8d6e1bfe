// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "CIsolation.h"

int isolation_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0; }

// Whether the time of a socket is over. A signal ends a wait too: to wait again would be to wait for ever where signals come
// more often than the time is over.
static int is_early(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

static int send_all(int socket, isolation_message message, const void *payload, const int *descriptors, unsigned count) {
  struct iovec parts[2] = {{&message, sizeof message}, {(void *)payload, message.length}};
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(ISOLATION_SPAWN_FILES * sizeof(int))];
  } control;
  struct msghdr envelope = {.msg_iov = parts, .msg_iovlen = message.length > 0 ? 2 : 1};
  if (count > ISOLATION_SPAWN_FILES) return 0;
  if (count > 0) {
    size_t size = count * sizeof(int);
    memset(&control, 0, sizeof control);
    envelope.msg_control = &control;
    envelope.msg_controllen = CMSG_SPACE(size);
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(&control.head), descriptors, size);
  }
  ssize_t sent = sendmsg(socket, &envelope, MSG_NOSIGNAL);
  if (sent < 0 && is_early()) return -2;
  return sent == (ssize_t)(sizeof message + message.length);
}

int isolation_send(int socket, isolation_message message, const void *payload, int descriptor) {
  return send_all(socket, message, payload, &descriptor, descriptor >= 0 ? 1 : 0);
}

int isolation_send_files(int socket, isolation_message message, const int *descriptors, unsigned count) {
  return send_all(socket, message, NULL, descriptors, count);
}

int isolation_errors_pair(int ends[2]) {
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return 0;
  int size = 4096;
  setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  shutdown(ends[1], SHUT_RD);
  if (fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0) return 1;
  close(ends[0]);
  close(ends[1]);
  return 0;
}

size_t isolation_take_errors(int socket, char *bytes, size_t size) {
  size_t taken = 0;
  char rest[1024];
  // What fits into the socket's buffer, and no more of a process that prints all the time.
  for (int turn = 0; turn < 64; turn++) {
    int is_full = taken == size;
    ssize_t got = recv(socket, is_full ? rest : bytes + taken, is_full ? sizeof rest : size - taken, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    if (!is_full) taken += (size_t)got;
  }
  return taken;
}

int isolation_receive(int socket, isolation_message *message, void *payload, int *descriptor) {
  struct iovec parts[2] = {{message, sizeof *message}, {payload, ISOLATION_MAX_PAYLOAD}};
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr envelope = {.msg_iov = parts, .msg_iovlen = 2};
  if (descriptor) {
    *descriptor = -1;
    envelope.msg_control = &control;
    envelope.msg_controllen = sizeof control;
  }
  ssize_t got = recvmsg(socket, &envelope, MSG_CMSG_CLOEXEC);
  if (got < 0 && is_early()) return -2;
  if (got <= 0) return 0;
  struct cmsghdr *head = descriptor ? CMSG_FIRSTHDR(&envelope) : NULL;
  if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int))) {
    memcpy(descriptor, CMSG_DATA(head), sizeof(int));
  }
  int is_whole = (size_t)got >= sizeof *message && (size_t)got - sizeof *message == message->length;
  if (is_whole && !(envelope.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) return 1;
  if (descriptor && *descriptor >= 0) {
    close(*descriptor);
    *descriptor = -1;
  }
  return -1;
}

int isolation_take(int socket, isolation_inbox *inbox, isolation_message *message, const uint8_t **payload) {
  if (inbox->next == inbox->length) {
    struct iovec part = {inbox->bytes, sizeof *message + ISOLATION_MAX_PAYLOAD};
    struct msghdr envelope = {.msg_iov = &part, .msg_iovlen = 1};
    inbox->next = inbox->length = 0;
    ssize_t got = recvmsg(socket, &envelope, MSG_CMSG_CLOEXEC);
    if (got < 0 && is_early()) return -2;
    if (got <= 0) return 0;
    // Files that come along are closed by the system.
    if (envelope.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) return -1;
    inbox->length = (size_t)got;
  }
  size_t left = inbox->length - inbox->next;
  if (left < sizeof *message) return -1;
  memcpy(message, inbox->bytes + inbox->next, sizeof *message);
  if (message->length > left - sizeof *message) return -1;
  *payload = inbox->bytes + inbox->next + sizeof *message;
  inbox->next += sizeof *message + message->length;
  return 1;
}

static void set_time(int socket, int option, uint32_t milliseconds) {
  struct timeval time = {milliseconds / 1000, (suseconds_t)(milliseconds % 1000) * 1000};
  setsockopt(socket, SOL_SOCKET, option, &time, sizeof time);
}

void isolation_set_patience(int socket, uint32_t milliseconds) { set_time(socket, SO_RCVTIMEO, milliseconds); }

void isolation_set_send_patience(int socket, uint32_t milliseconds) { set_time(socket, SO_SNDTIMEO, milliseconds); }
