// SPDX-License-Identifier: Apache-2.0
//
// System calls between a program and its workers that Swift's module of the C library does not show.

#ifndef CISOLATION_H
#define CISOLATION_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "protocol.h"
#include "rules.h"

// Makes a pair of sequenced sockets that are closed when a program is executed.
//   returns  1, or 0 with errno set
int isolation_pair(int ends[2]);

// Sends a message with its payload and perhaps a descriptor (-1: none).
//   returns  1; 0 if the other side is gone, with errno set; -2 if the socket was full until its time was over, or a signal came
int isolation_send(int socket, isolation_message message, const void *payload, int descriptor);

// Sends a message without payload, and some descriptors.
int isolation_send_files(int socket, isolation_message message, const int *descriptors, unsigned count);

// Makes a pair of sockets for what a process prints: what nobody has read in time, it does not wait for.
int isolation_errors_pair(int ends[2]);

// Takes what was printed.
//   returns  bytes, at most `size`; what is beyond them is thrown away
size_t isolation_take_errors(int socket, char *bytes, size_t size);

// Receives a message and, if `descriptor` is not null, a descriptor that comes with it (else -1). A message that is
// shorter than its head, longer than its length, or brings what was not asked for is a fault.
//   payload  ISOLATION_MAX_PAYLOAD bytes
//   returns  1; 0 if the other side is gone; -1 for a fault; -2 if the socket's time is over, or a signal came
int isolation_receive(int socket, isolation_message *message, void *payload, int *descriptor);

// What a worker has sent and is not looked at yet: it sends several messages at a time where nobody waits for the first.
typedef struct isolation_inbox {
  uint8_t *bytes;  // room for a message with the longest payload
  size_t length, next;
} isolation_inbox;

// Takes the next message of an inbox, and receives when it is empty.
//   payload  of message->length bytes, valid until the next call
//   returns  as isolation_receive
int isolation_take(int socket, isolation_inbox *inbox, isolation_message *message, const uint8_t **payload);

// Sets how long isolation_receive waits, in milliseconds; 0 for ever.
void isolation_set_patience(int socket, uint32_t milliseconds);

// Sets how long isolation_send waits for room in the socket, in milliseconds; 0 for ever.
void isolation_set_send_patience(int socket, uint32_t milliseconds);

// Memory without a name that can be shared; its size cannot be changed by others.
//   may_grow  whether the owner may make it larger later
//   returns   a descriptor, or -1
int isolation_memory(size_t size, int may_grow);

// Makes memory read only for everybody who maps it from now on. Maps that exist stay as they are.
//   returns  1, or 0 with errno set
int isolation_close_to_writers(int memory, int may_grow);

// Starts a server. It gets no environment but the folder of the Swift runtime and, if it needs fonts, what fontconfig asks of
// it, and no descriptor but `socket`.
//   worker   the path of coders-worker, of a library's command, or ISOLATION_OWN_PROGRAM
//   name     its first argument: the path, or ISOLATION_OWN_NAME for a program that has the coders inside
//   library  the path of the plugin, or the number of a coder of the program, and what its library has to be
//   runtime  that folder, where the plugin's own path does not name it, or null; of the program, where it looks for libraries
//   without  layers to leave out
//   needs    ISOLATION_NEEDS_*
//   returns  the process, or -1 with errno set
pid_t isolation_launch(
  const char *worker, const char *name, const char *library, const char *id, const char *runtime, uint32_t without,
  uint32_t needs, int socket);

// Waits for a child that was killed.
//   returns  its status as waitpid gives it, or 0 if it is no child or has not ended in time
int isolation_wait(pid_t process, uint32_t milliseconds);

// Kills a process by its descriptor.
void isolation_kill(int process);

// The number of a process by its descriptor, or -1.
pid_t isolation_number(int process);

// The clock of a process's processor time. To ask for it costs as much as reading it.
#define ISOLATION_NO_CLOCK -1
clockid_t isolation_clock(pid_t process);

// Nanoseconds of processor time by such a clock, or -1.
int64_t isolation_processor_time(clockid_t clock);

// Bytes in memory that a process has for itself: neither of files nor shared. 0 if the system does not say.
uint64_t isolation_own_memory(pid_t process);

// Bytes of memory that the machine has.
uint64_t isolation_machine_memory(void);

// Bytes of memory that the control groups of this process, and so of its workers, allow; 0 if they set no limit.
uint64_t isolation_group_memory(void);

// The name of a system call that libraries make, or null: its number is all that is known.
const char *isolation_call_name(uint32_t number);

// Nanoseconds of a clock that does not jump.
int64_t isolation_now(void);

// What this process is confined by already: ISOLATION_NO_NEW_PRIVILEGES, ISOLATION_SECCOMP.
uint32_t isolation_confinement(void);

#endif
