// SPDX-License-Identifier: Apache-2.0
//
// What harms the whole process, and which no host can undo: crashes, ends of the process, calls that never return.

#ifndef UNRULY_FAULTS_H
#define UNRULY_FAULTS_H

#include <dlfcn.h>
#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "imgcoder/imgcoder.h"

static void crash(void) { *(volatile int *)8 = 1; }

static uint32_t fill_the_stack(volatile uint32_t depth) {
  volatile char page[4096];
  memset((void *)page, (int)depth, sizeof page);
  return depth ? fill_the_stack(depth + 1) + (uint32_t)page[depth % 4096] : 0;
}

// What a C++ plugin does that lets an exception out.
static void throw_int(void) {
  void *(*allocate)(size_t) = (void *(*)(size_t))(uintptr_t)dlsym(RTLD_DEFAULT, "__cxa_allocate_exception");
  void (*throw)(void *, void *, void *) = (void (*)(void *, void *, void *))(uintptr_t)dlsym(RTLD_DEFAULT, "__cxa_throw");
  void *type = dlsym(RTLD_DEFAULT, "_ZTIi");
  if (allocate && throw && type) throw(allocate(sizeof(int)), type, NULL);
}

static void *crash_on_a_thread(void *unused) { return crash(), unused; }

static void hang(void *unused, uint32_t index) {
  const char *started = getenv("UNRULY_STARTED");
  (void)unused, (void)index;
  if (started) fclose(fopen(started, "w"));
  for (;;) pause();
}

static void *end_a_thread(void *unused) { return pthread_exit(unused), unused; }

static void with_thread(void *(*body)(void *)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, NULL) == 0) pthread_join(thread, NULL);
}

// Crashes on one of the host's other threads, if there is one.
static void crash_elsewhere(void *caller, uint32_t index) {
  (void)index;
  if (!pthread_equal(*(pthread_t *)caller, pthread_self())) crash();
  usleep(20000);
}

static void crash_in_parallel(const imgcoder_host *host) {
  pthread_t caller = pthread_self();
  host->parallel_for(host, 64, crash_elsewhere, &caller);
  crash();
}

// Does what a name says; returns if it says none of these, or what a process survives.
static void commit(const imgcoder_host *host, const char *name) {
#define IS(text) (strcmp(name, text) == 0)
  if (IS("segv")) crash();
  if (IS("bus")) raise(SIGBUS);
  if (IS("ill")) __builtin_trap();
  if (IS("fpe")) raise(SIGFPE);
  if (IS("abort")) abort();
  if (IS("raise-abort")) raise(SIGABRT);
  if (IS("throw")) throw_int();
  if (IS("stack")) fill_the_stack(1);
  if (IS("thread-segv")) with_thread(crash_on_a_thread);
  if (IS("parallel-segv") && host) crash_in_parallel(host);
  if (IS("exit")) exit(0);
  if (IS("err")) errx(3, "the unruly plugin gives up");
  if (IS("_exit")) _exit(0);
  if (IS("_Exit")) _Exit(7);
  if (IS("quick_exit")) quick_exit(0);
  if (IS("pthread_exit")) pthread_exit(NULL);
  if (IS("thrd_exit")) thrd_exit(0);
  if (IS("thread-ends")) with_thread(end_a_thread);  // which is allowed
  if (IS("child-exits")) {                           // so is this
    pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, NULL, 0);
  }
  if (IS("print")) puts("printed by a plugin"), fflush(stdout);
  if (IS("print-late")) printf("printed by a plugin");
  if (IS("chdir") && chdir("/")) abort();
  if (IS("hang")) hang(NULL, 0);
  if (IS("parallel-hang") && host) host->parallel_for(host, 2, hang, NULL);
#undef IS
}

// The same for what comes after a prefix.
static void commit_after(const char *prefix, const imgcoder_host *host, const char *name) {
  size_t length = strlen(prefix);
  if (strncmp(name, prefix, length) == 0) commit(host, name + length);
}

static const char *chosen(void) {
  const char *name = getenv("UNRULY");
  return name ? name : "";
}

static void at_exit(void) { commit_after("atexit-", NULL, chosen()); }

__attribute__((constructor)) static void constructed(void) {
  commit_after("load-", NULL, chosen());
  if (strncmp(chosen(), "atexit-", 7) == 0) atexit(at_exit);
}

#endif
