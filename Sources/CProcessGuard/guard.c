// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "guard.h"

#include <CHostSystem.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "CProcessGuard.h"

// Everything here may run in a signal handler: no memory is allocated, no lock is taken.

enum { STATUS_ENVIRONMENT = 5, THREADS = 1024, SECONDS_TO_STOP = 2 };

static pid_t process;
static int is_ending;    // one thread ends the process, others wait for the end
static int exit_status = -1;
static int erases_line;  // standard error is a terminal, which may show a progress bar
static const chostsystem_work *threads[THREADS];

_Noreturn static void leave(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

int processguard_is_own_process(void) { return getpid() == process; }

int processguard_is_in_plugin(void) { return chostsystem_this_work()->plugin && processguard_is_own_process(); }

static int is_first_to_end(void) { return !__atomic_exchange_n(&is_ending, 1, __ATOMIC_SEQ_CST); }

// MARK: The line

static struct {
  char bytes[16 << 10];
  size_t length;
} line;

static void add(const char *text) {
  // A name cannot move the cursor or end the line; there is always room for the line's end.
  for (; *text && line.length < sizeof line.bytes - 1; text++)
    line.bytes[line.length++] = (unsigned char)*text < 0x20 || *text == 0x7F ? '?' : *text;
}

static void add_number(long number) {
  char digits[24];
  size_t start = sizeof digits - 1;
  unsigned long rest = number < 0 ? -(unsigned long)number : (unsigned long)number;
  digits[start] = 0;
  do digits[--start] = (char)('0' + rest % 10);
  while (rest /= 10);
  if (number < 0) digits[--start] = '-';
  add(digits + start);
}

static void begin_line(const chostsystem_work *work) {
  static const char erase[] = "\r\033[K";
  const chostsystem_plugin *plugin = work->plugin;
  const char *file = plugin->writes ? work->output : work->input;
  line.length = 0;
  if (erases_line) {
    memcpy(line.bytes, erase, sizeof erase - 1);
    line.length = sizeof erase - 1;
  }
  add("coders: ");
  if (file) add(file), add(": ");
  add(plugin->coder), add(": ");
}

static void end_line(const chostsystem_work *work) {
  if (work->plugin->library) add(" while "), add(work->plugin->library), add(" is loaded");
  line.bytes[line.length++] = '\n';
  size_t done = 0;
  while (done < line.length) {
    ssize_t step = write(STDERR_FILENO, line.bytes + done, line.length - done);
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) return;
    done += (size_t)step;
  }
}

_Noreturn static void blame(const char *what, const long *number, const char *rest) {
  if (!is_first_to_end())
    for (;;) pause();
  const chostsystem_work *work = chostsystem_this_work();
  chostsystem_terminal_restore();
  chostsystem_remove_temporaries();
  begin_line(work);
  add(what);
  if (number) add_number(*number);
  add(rest);
  end_line(work);
  leave(STATUS_ENVIRONMENT);
}

_Noreturn void processguard_blame(const char *what) { blame(what, NULL, ""); }

_Noreturn void processguard_blame_call(const char *what, long number) { blame(what, &number, ")"); }

// MARK: Crashes

static const struct {
  int number;
  const char *name;
} crashes[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"}, {SIGFPE, "SIGFPE"},
               {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"}};
enum { CRASHES = sizeof crashes / sizeof crashes[0] };
static struct sigaction earlier[CRASHES];

static void crashed(int number, siginfo_t *info, void *context) {
  int error = errno;
  size_t index = 0;
  while (crashes[index].number != number) index++;
  // A signal that another process sent says nothing about the code that it interrupts.
  int is_from_elsewhere = info->si_code == SI_USER && info->si_pid != getpid();
  if (!is_from_elsewhere && processguard_is_in_plugin()) blame("crashed: ", NULL, crashes[index].name);
  if (processguard_is_own_process()) {
    chostsystem_terminal_restore();
    chostsystem_remove_temporaries();
  }
  sigaction(number, &earlier[index], NULL);
  errno = error;
  if (earlier[index].sa_handler != SIG_DFL && earlier[index].sa_handler != SIG_IGN) {
    if (earlier[index].sa_flags & SA_SIGINFO)
      earlier[index].sa_sigaction(number, info, context);
    else
      earlier[index].sa_handler(number);
  }
  // An instruction that failed fails again after the return; a signal that was sent has to be sent again.
  if (info->si_code <= 0) raise(number);
}

void processguard_use_stack(void *memory, size_t size) {
  stack_t stack = {.ss_sp = memory, .ss_size = size};
  sigaltstack(&stack, NULL);
}

// MARK: Threads

int processguard_enlist(void) {
  const chostsystem_work *work = chostsystem_this_work();
  for (int place = 0; place < THREADS; place++) {
    const chostsystem_work *nobody = NULL;
    if (__atomic_compare_exchange_n(&threads[place], &nobody, work, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return place;
  }
  return -1;
}

void processguard_delist(int place) {
  if (place < 0) return;
  __atomic_store_n(&threads[place], NULL, __ATOMIC_SEQ_CST);
  // The thread that ends the process may be reading what this thread works on, which is gone when the thread is.
  while (__atomic_load_n(&is_ending, __ATOMIC_SEQ_CST)) pause();
}

// MARK: Requests to stop

static int first_request;
static struct timespec first_time;
static timer_t timer;
static int has_timer;

// What a thread is working on now.
static chostsystem_work work_of(int place) {
  chostsystem_work work = {0};
  const chostsystem_work *thread = __atomic_load_n(&threads[place], __ATOMIC_SEQ_CST);
  if (thread) {
    work.plugin = __atomic_load_n(&thread->plugin, __ATOMIC_RELAXED);
    work.input = __atomic_load_n(&thread->input, __ATOMIC_RELAXED);
    work.output = __atomic_load_n(&thread->output, __ATOMIC_RELAXED);
    work.is_inherited = __atomic_load_n(&thread->is_inherited, __ATOMIC_RELAXED);
  }
  return work;
}

// Ends the process whatever its threads do.
static void end_by(int number) {
  static chostsystem_work named[THREADS];  // threads that work together are named once
  int count = 0;
  if (!is_first_to_end()) return;
  chostsystem_terminal_restore();
  chostsystem_remove_temporaries();
  for (int place = 0; place < THREADS; place++) {
    chostsystem_work work = work_of(place);
    int is_named = 0;
    for (int index = 0; index < count; index++)
      is_named |= named[index].plugin == work.plugin && named[index].input == work.input &&
                  named[index].output == work.output;
    if (!work.plugin || work.is_inherited || is_named) continue;
    named[count++] = work;
    begin_line(&work);
    add("does not stop");
    end_line(&work);
  }
  leave(128 + number);
}

static void time_is_over(int number) {
  (void)number;
  end_by(first_request);
}

void processguard_stop(int number) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int nobody = 0;
  if (__atomic_compare_exchange_n(&first_request, &nobody, number, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    first_time = now;
    struct itimerspec time = {.it_value = {.tv_sec = SECONDS_TO_STOP}};
    if (has_timer) timer_settime(timer, 0, &time, NULL);
    return;
  }
  // timeout(1) sends its signal to the process and then to the group: that is one request.
  long long passed = (now.tv_sec - first_time.tv_sec) * 1000000000LL + now.tv_nsec - first_time.tv_nsec;
  if (passed > 100000000) end_by(number);
}

// MARK: Start and end

// exit() inside a plugin, also by a function of the C library such as err().
static void exiting(int status, void *nothing) {
  (void)nothing;
  if (processguard_is_in_plugin()) processguard_blame_call("called exit(", status);
  // A handler of exit() may have called it again.
  int known;
  if (processguard_is_own_process() && processguard_is_exiting(&known) && known != status) {
    fflush(NULL);
    leave(known);
  }
}

int processguard_is_exiting(int *status) {
  *status = __atomic_load_n(&exit_status, __ATOMIC_SEQ_CST);
  return *status >= 0;
}

_Noreturn void processguard_exit(int status) {
  __atomic_store_n(&exit_status, status, __ATOMIC_SEQ_CST);
  exit(status);
}

void processguard_start(void) {
  static _Alignas(64) char stack[PROCESSGUARD_STACK];
  process = getpid();
  erases_line = isatty(STDERR_FILENO);
  processguard_enlist();
  processguard_use_stack(stack, sizeof stack);
  on_exit(exiting, NULL);
  // After the Swift runtime, which prints a backtrace: its handlers come into play outside of plugins.
  struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigfillset(&action.sa_mask);
  for (size_t index = 0; index < CRASHES; index++) sigaction(crashes[index].number, &action, &earlier[index]);
  int wake = SIGRTMIN + 3;
  struct sigaction over = {.sa_handler = time_is_over, .sa_flags = SA_RESTART | SA_ONSTACK};
  sigfillset(&over.sa_mask);
  sigaction(wake, &over, NULL);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = wake};
  has_timer = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
}
