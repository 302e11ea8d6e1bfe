// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

// What is written here is read by signal handlers, which may run on any thread.

static int terminal = -1;
static struct termios original;
static pthread_t holder;
static int is_taken;   // the terminal is as this program wants it
static int is_over;    // the process ends: the terminal is not taken again
static unsigned turn;  // how often it was taken

// An ending is written whole before it is made the current one.
static struct {
  char bytes[CHOSTSYSTEM_TERMINAL_ENDING];
  size_t count;
  int drain;
} endings[2];
static int ending;

#define LOAD(variable) __atomic_load_n(&(variable), __ATOMIC_SEQ_CST)
#define STORE(variable, value) __atomic_store_n(&(variable), (value), __ATOMIC_SEQ_CST)

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT};
enum { SIGNALS = sizeof numbers / sizeof numbers[0], MILLISECONDS_TO_ANSWER = 1000 };
static struct sigaction earlier[SIGNALS];

static int is_in_foreground(int descriptor) {
  pid_t group = tcgetpgrp(descriptor);
  return group >= 0 && group == getpgrp();
}

int chostsystem_terminal_is_ours(int descriptor) { return is_in_foreground(descriptor); }

static long long milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

// MARK: Giving back

// Writes without waiting. If the terminal is stuck, what it has not yet read is thrown away.
static void write_now(const char *bytes, size_t count) {
  int flushes = 0;
  while (count > 0) {
    ssize_t written = write(terminal, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN && !flushes++) {
      tcflush(terminal, TCOFLUSH);
      continue;
    }
    if (written <= 0) return;
    bytes += written;
    count -= (size_t)written;
  }
}

// Reads to the answer of CSI c, which begins with ESC [ ? and ends with c.
static void drain(int asks) {
  static const char question[] = "\033[c";
  enum { OUTSIDE, ESCAPE, INTRODUCER, ANSWER } state = OUTSIDE;
  if (asks) write_now(question, sizeof question - 1);
  long long until = milliseconds_now() + (asks ? MILLISECONDS_TO_ANSWER : MILLISECONDS_TO_ANSWER / 2);
  for (;;) {
    long long rest = until - milliseconds_now();
    struct pollfd waiting = {.fd = terminal, .events = POLLIN};
    if (rest <= 0 || (poll(&waiting, 1, (int)rest) <= 0 && errno != EINTR)) return;
    char bytes[256];
    ssize_t count = read(terminal, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return;
    for (ssize_t index = 0; index < count; index++) {
      char byte = bytes[index];
      if (byte == '\033') state = ESCAPE;
      else if (state == ESCAPE) state = byte == '[' ? INTRODUCER : OUTSIDE;
      else if (state == INTRODUCER) state = byte == '?' ? ANSWER : OUTSIDE;
      else if (state == ANSWER && byte == 'c') return;
      else if (state == ANSWER && byte >= '@') state = OUTSIDE;
    }
  }
}

void chostsystem_terminal_restore(void) {
  int error = errno;
  if (!__atomic_exchange_n(&is_taken, 0, __ATOMIC_SEQ_CST)) return;
  int current = LOAD(ending);
  write_now(endings[current].bytes, endings[current].count);
  // In the background it is the shell's, which has given it settings of its own.
  if (is_in_foreground(terminal)) {
    int answers = endings[current].drain;
    if (answers != CHOSTSYSTEM_TERMINAL_SILENT) drain(answers == CHOSTSYSTEM_TERMINAL_ANSWERS);
    tcflush(terminal, TCIFLUSH);
    tcsetattr(terminal, TCSANOW, &original);
  }
  errno = error;
}

static void take_again(void) {
  if (LOAD(is_over) || LOAD(is_taken) || terminal < 0 || !is_in_foreground(terminal)) return;
  struct termios raw = original;
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  if (tcsetattr(terminal, TCSANOW, &raw) != 0) return;
  __atomic_add_fetch(&turn, 1, __ATOMIC_SEQ_CST);
  STORE(is_taken, 1);
}

// MARK: Signals

static void stop(int index) {
  struct sigaction own, standard = {.sa_handler = SIG_DFL};
  sigset_t signals;
  sigaction(numbers[index], &standard, &own);
  raise(numbers[index]);
  sigemptyset(&signals);
  sigaddset(&signals, numbers[index]);
  // The process stops here, until SIGCONT.
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  sigaction(numbers[index], &own, NULL);
  take_again();
}

static void handle(int number, siginfo_t *info, void *context) {
  int error = errno;
  // The holder may be amid a write that must not go on after the terminal was given back.
  if (!pthread_equal(pthread_self(), holder)) {
    pthread_kill(holder, number);
    errno = error;
    return;
  }
  int index = 0;
  while (numbers[index] != number) index++;
  struct sigaction *other = &earlier[index];
  if (number == SIGCONT) {
    take_again();
  } else {
    if (number != SIGTSTP) STORE(is_over, 1);
    chostsystem_terminal_restore();
  }
  if (other->sa_flags & SA_SIGINFO) {
    other->sa_sigaction(number, info, context);
  } else if (other->sa_handler != SIG_DFL && other->sa_handler != SIG_IGN) {
    other->sa_handler(number);
  } else if (number == SIGTSTP) {
    stop(index);
  } else if (number != SIGCONT) {
    sigaction(number, other, NULL);
    raise(number);
  }
  if (number == SIGQUIT && other->sa_handler != SIG_DFL) {
    // The handler of the Swift runtime prints a backtrace, and leaves the end to the next failure.
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(number, &standard, NULL);
    raise(number);
  }
  errno = error;
}

static void catch_signals(void) {
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  // One at a time; SIGCONT comes while SIGTSTP is handled.
  for (int index = 0; index < SIGNALS; index++)
    if (numbers[index] != SIGCONT) sigaddset(&action.sa_mask, numbers[index]);
  for (int index = 0; index < SIGNALS; index++) {
    sigaction(numbers[index], NULL, &earlier[index]);
    // nohup(1) and shells without jobs ignore signals, which stay ignored.
    if (earlier[index].sa_handler != SIG_IGN || numbers[index] == SIGCONT) sigaction(numbers[index], &action, NULL);
  }
}

static void block(sigset_t *before) {
  sigset_t signals;
  sigemptyset(&signals);
  for (int index = 0; index < SIGNALS; index++) sigaddset(&signals, numbers[index]);
  pthread_sigmask(SIG_BLOCK, &signals, before);
}

// MARK: Calls of the program

int chostsystem_terminal_take(void) {
  if (terminal >= 0) return 0;
  // A description of its own: that it does not wait is not seen by the shell, whose output is the same terminal.
  int opened = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) return 0;
  if (!is_in_foreground(opened) || tcgetattr(opened, &original) != 0) {
    close(opened);
    return 0;
  }
  holder = pthread_self();
  STORE(is_over, 0);
  endings[LOAD(ending)].count = 0;
  endings[LOAD(ending)].drain = CHOSTSYSTEM_TERMINAL_SILENT;
  terminal = opened;
  catch_signals();
  take_again();
  return 1;
}

void chostsystem_terminal_set_ending(const void *bytes, size_t count, int drain) {
  if (count > CHOSTSYSTEM_TERMINAL_ENDING) return;
  int next = 1 - LOAD(ending);
  if (count > 0) memcpy(endings[next].bytes, bytes, count);
  endings[next].count = count;
  endings[next].drain = drain;
  STORE(ending, next);
}

int chostsystem_terminal_write(const void *bytes, size_t count) {
  const char *rest = bytes;
  sigset_t before;
  block(&before);
  unsigned begun = LOAD(turn);
  int is_written = 1;
  while (count > 0) {
    ssize_t written = -1;
    if (LOAD(is_taken) && LOAD(turn) == begun) {
      written = write(terminal, rest, count);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EAGAIN) {
        struct pollfd waiting = {.fd = terminal, .events = POLLOUT};
        ppoll(&waiting, 1, NULL, &before);
        continue;
      }
    }
    if (written <= 0) {
      is_written = 0;
      break;
    }
    rest += written;
    count -= (size_t)written;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return is_written;
}

size_t chostsystem_terminal_read(void *bytes, size_t count, int milliseconds) {
  sigset_t before;
  block(&before);
  ssize_t found = 0;
  if (LOAD(is_taken)) {
    struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
    struct pollfd waiting = {.fd = terminal, .events = POLLIN};
    if (ppoll(&waiting, 1, &time, &before) > 0 && LOAD(is_taken)) found = read(terminal, bytes, count);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return found > 0 ? (size_t)found : 0;
}

unsigned chostsystem_terminal_turn(void) {
  sigset_t before;
  block(&before);
  take_again();
  unsigned current = LOAD(is_taken) ? LOAD(turn) : 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return current;
}

int chostsystem_terminal_size(int *columns, int *rows, int *width, int *height) {
  struct winsize size;
  if (terminal < 0 || ioctl(terminal, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return 0;
  *columns = size.ws_col;
  *rows = size.ws_row;
  *width = size.ws_xpixel;
  *height = size.ws_ypixel;
  return 1;
}

void chostsystem_terminal_give_back(void) {
  if (terminal < 0) return;
  sigset_t before;
  block(&before);
  chostsystem_terminal_restore();
  for (int index = 0; index < SIGNALS; index++) sigaction(numbers[index], &earlier[index], NULL);
  close(terminal);
  terminal = -1;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}
