// SPDX-License-Identifier: Apache-2.0
//
// Functions of the C library that the executable has in place of the library's: symbols of an executable come first when
// the dynamic linker looks for those that a plugin needs.

#define _GNU_SOURCE
#include <CHostSystem.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "../CProcessGuard/guard.h"

#define EXPORTED __attribute__((visibility("default"), used))

// The C library's own function.
#define OWN(function) ((__typeof__(&function))own(#function))

static void *own(const char *name) { return dlsym(RTLD_NEXT, name); }

// MARK: Functions that end the process or the thread

_Noreturn static void end_now(const char *what, int status) {
  if (processguard_is_in_plugin()) processguard_blame_call(what, status);
  // A handler of exit() that ends the process earlier does not change its status.
  int known;
  if (processguard_is_own_process() && processguard_is_exiting(&known)) status = known;
  for (;;) syscall(SYS_exit_group, status);
}

EXPORTED void _exit(int status) { end_now("called _exit(", status); }

EXPORTED void _Exit(int status) { end_now("called _Exit(", status); }

EXPORTED void quick_exit(int status) {
  if (processguard_is_in_plugin()) processguard_blame_call("called quick_exit(", status);
  OWN(quick_exit)(status);
  __builtin_unreachable();
}

EXPORTED void abort(void) {
  if (processguard_is_in_plugin()) processguard_blame("called abort()");
  void (*function)(void) = OWN(abort);
  if (function) function();
  for (;;) {
    raise(SIGABRT);
    syscall(SYS_exit_group, 128 + SIGABRT);
  }
}

// A thread that a plugin has started is its own; the threads that call it are not.
static int ends_our_thread(void) { return processguard_is_in_plugin() && !chostsystem_this_work()->is_inherited; }

EXPORTED void pthread_exit(void *result) {
  if (ends_our_thread()) processguard_blame("called pthread_exit()");
  OWN(pthread_exit)(result);
  __builtin_unreachable();
}

EXPORTED void thrd_exit(int result) {
  if (ends_our_thread()) processguard_blame("called thrd_exit()");
  OWN(thrd_exit)(result);
  __builtin_unreachable();
}

// MARK: Threads

// Every thread gets an alternate signal stack, and begins with the work of the thread that starts it.
typedef struct {
  void *(*body)(void *);
  void *argument;
  chostsystem_work work;
  int has_room;
} thread_start;

// In a function of its own: the alternate stack lies in its frame, below which the thread's code runs.
__attribute__((noinline)) static void *run_with_stack(const thread_start *start) {
  _Alignas(64) char stack[PROCESSGUARD_STACK];
  processguard_use_stack(stack, sizeof stack);
  return start->body(start->argument);
}

static void delist(void *place) { processguard_delist((int)(intptr_t)place); }

static void *run(void *argument) {
  thread_start start = *(thread_start *)argument;
  void *result;
  free(argument);
  chostsystem_set_work(start.work);
  pthread_cleanup_push(delist, (void *)(intptr_t)processguard_enlist());
  result = start.has_room ? run_with_stack(&start) : start.body(start.argument);
  pthread_cleanup_pop(1);
  return result;
}

static int has_room(const pthread_attr_t *attributes) {
  size_t size = 0;
  return !attributes || (pthread_attr_getstacksize(attributes, &size) == 0 && size >= 8 * PROCESSGUARD_STACK);
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                            void *argument) {
  static __typeof__(&pthread_create) cached;
  __typeof__(&pthread_create) create = __atomic_load_n(&cached, __ATOMIC_RELAXED);
  if (!create) __atomic_store_n(&cached, create = OWN(pthread_create), __ATOMIC_RELAXED);
  thread_start *start = malloc(sizeof *start);
  if (!start) return create(thread, attributes, body, argument);
  *start = (thread_start){body, argument, *chostsystem_this_work(), has_room(attributes)};
  start->work.is_inherited = start->work.plugin != NULL;
  int status = create(thread, attributes, run, start);
  if (status) free(start);
  return status;
}
