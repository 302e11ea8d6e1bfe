// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CWorker.h"
#include "worker.h"

static char reason[1024];
static uint32_t reason_length;

_Noreturn static void give_up(uint32_t kind, const char *why) {
  isolation_message message = {.kind = ISOLATION_FAILED, .words = {kind}};
  message.length = (uint32_t)strnlen(why, 1000);
  isolation_send(ISOLATION_SOCKET, message, why, -1);
  _exit(1);
}

static imgcoder_status keep_reason(const imgcoder_host *host, imgcoder_status status, int64_t offset,
                                   imgcoder_string message) {
  (void)host;
  (void)offset;
  reason_length = message.length < sizeof reason - 1 ? (uint32_t)message.length : (uint32_t)sizeof reason - 1;
  memcpy(reason, message.bytes ? message.bytes : "", reason_length);
  return status;
}

static void say_nothing(const imgcoder_host *host, uint32_t severity, imgcoder_string message) {
  (void)host;
  (void)severity;
  (void)message;
}

static uint32_t never(const imgcoder_host *host) {
  (void)host;
  return 0;
}

static const void *no_extension(const imgcoder_host *host, imgcoder_string id) {
  (void)host;
  (void)id;
  return NULL;
}

static cworker_describe entry_of(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) give_up(ISOLATION_FAILED_LOAD, dlerror());
  const imgcoder_entry *symbol = dlsym(library, IMGCODER_ENTRY_SYMBOL);
  if (!symbol) give_up(ISOLATION_FAILED_ENTRY_MISSING, "the library exports no " IMGCODER_ENTRY_SYMBOL);
  imgcoder_entry entry = imgcoder_entry_read(symbol);
  static const uint8_t magic[8] = IMGCODER_ENTRY_MAGIC;
  if (memcmp(entry.magic, magic, sizeof magic) != 0 || !entry.describe) {
    give_up(ISOLATION_FAILED_ENTRY, IMGCODER_ENTRY_SYMBOL " is no entry");
  }
  if (entry.abi_major != IMGCODER_ABI_MAJOR) {
    give_up(ISOLATION_FAILED_ABI, "the library is built for another version of the interface");
  }
  return entry.describe;
}

static const imgcoder_coder *load(const char *id, cworker_describe describe) {
  imgcoder_limits limits = {.struct_size = sizeof limits};
  services_begin(&limits);
  imgcoder_host host = the_session.host;
  host.fail = keep_reason;
  host.fail_with = NULL;
  host.log = say_nothing;
  host.is_cancelled = never;
  host.get_extension = no_extension;
  const imgcoder_coder *coder = describe(&host);
  if (!coder) give_up(ISOLATION_FAILED_REFUSED, reason_length > 0 ? reason : "the coder gives no reason");
  imgcoder_coder described = imgcoder_coder_read(coder);
  if (described.id.length != strlen(id) || memcmp(described.id.bytes, id, strlen(id)) != 0) {
    give_up(ISOLATION_FAILED_CODER, "the library holds another coder than the manifest promises");
  }
  if (described.reader) {
    imgcoder_reader_table table = imgcoder_reader_table_read(described.reader);
    if (!table.open || !table.info || !table.frame_info || !table.negotiate || !table.decode || !table.close) {
      give_up(ISOLATION_FAILED_CODER, "the reader's table lacks a call");
    }
  }
  return coder;
}

// What a library has installed when it was loaded would run inside the filter, and hide how the process ends.
static void reset_signals(void) {
  for (int number = 1; number < NSIG; number++) {
    // A library may try to write a file; it gets an error then.
    if (number != SIGKILL && number != SIGSTOP) signal(number, number == SIGXFSZ || number == SIGPIPE ? SIG_IGN : SIG_DFL);
  }
  stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, NULL);
}

// What the layout of text asks for each text: the language of what says none.
static const char *const language_variables[] = {"LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES"};

static void clear_environment(uint32_t needs) {
  enum { COUNT = sizeof language_variables / sizeof *language_variables };
  char *kept[COUNT] = {NULL};
  for (int index = 0; index < COUNT && (needs & ISOLATION_NEEDS_FONTS); index++) {
    const char *value = getenv(language_variables[index]);
    kept[index] = value ? strdup(value) : NULL;
  }
  clearenv();
  for (int index = 0; index < COUNT; index++) {
    if (kept[index]) setenv(language_variables[index], kept[index], 1);
    free(kept[index]);
  }
}

_Noreturn static void run(char *const *arguments, cworker_describe describe) {
  uint32_t without = (uint32_t)strtoul(arguments[3], NULL, 10);
  uint32_t needs = (uint32_t)strtoul(arguments[4], NULL, 10);
  uint32_t layers = layers_of_process(without);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  layers |= layers_of_namespaces(without);
  pid_t server = fork();
  if (server < 0) give_up(ISOLATION_FAILED_LOAD, strerror(errno));
  if (server > 0) {
    // Only to be there: when this process is killed, the server and its workers go with it.
    close(ISOLATION_SOCKET);
    int status = 0;
    while (waitpid(server, &status, 0) < 0 && errno == EINTR) {
    }
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  threads_prepare();
  // Libraries that a plugin loads when it first needs them have to be there before the lock.
  setenv("IMGCODER_LOAD_ALL", "1", 1);
  const imgcoder_coder *coder = load(arguments[2], describe ? describe : entry_of(arguments[1]));
  reset_signals();
  if (needs & ISOLATION_NEEDS_FONTS) fonts_find();
  clear_environment(needs);
  server_run(coder, layers, without, needs);
}

void cworker_run_plugin(char *const *arguments) { run(arguments, NULL); }

// Whether the other end of the socket was made by the process that started this one: nobody else makes workers of it.
static int is_started_by_program(void) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  int kind = 0;
  socklen_t size_of_kind = sizeof kind;
  return getsockopt(ISOLATION_SOCKET, SOL_SOCKET, SO_TYPE, &kind, &size_of_kind) == 0 && kind == SOCK_SEQPACKET &&
         getsockopt(ISOLATION_SOCKET, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getppid();
}

int cworker_is_asked(int count, char *const *arguments, const char *build) {
  if (count < 1 || strcmp(arguments[0], ISOLATION_OWN_NAME) != 0) return 0;
  if (count == ISOLATION_ARGUMENTS && !cworker_obstacle(build) && is_started_by_program()) return 1;
  fputs("this program is started as a worker by itself alone.\n", stderr);
  _exit(64);
}

// What belongs to the program comes first of all that is loaded.
static int look_into_program(struct dl_phdr_info *program, size_t size, void *found) {
  const uintptr_t own = (uintptr_t)&look_into_program;
  (void)size;
  for (unsigned index = 0; index < program->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &program->dlpi_phdr[index];
    const uintptr_t start = program->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && own >= start && own - start < segment->p_memsz) *(int *)found = 1;
  }
  return 1;
}

const char *cworker_obstacle(const char *build) {
  int is_of_program = 0;
  if (getauxval(AT_SECURE)) return "it runs with raised privileges";
  if (build) return *build ? NULL : "the library was linked without a build id";
  dl_iterate_phdr(look_into_program, &is_of_program);
  return is_of_program ? NULL : "the coders are part of a library, not of the program itself";
}

static unsigned threads_of_process(void) {
  DIR *list = opendir("/proc/self/task");
  if (!list) return 1;
  unsigned found = 0;
  struct dirent *entry;
  while ((entry = readdir(list))) found += entry->d_name[0] != '.';
  closedir(list);
  return found;
}

// Whether a word is the first one of a text.
static int begins_with_word(const char *text, const char *word) {
  size_t length = strlen(word);
  return strncmp(text, word, length) == 0 && (text[length] == 0 || text[length] == ' ');
}

void cworker_run(char *const *arguments, const cworker_describe *coders, uint64_t count, const char *build) {
  // Layers hold for the thread that makes them, and for those that it starts.
  if (threads_of_process() != 1) {
    give_up(ISOLATION_FAILED_PROGRAM, "the program has threads before it calls CoderWorker.runIfAsked");
  }
  char *end = NULL;
  unsigned long number = strtoul(arguments[1], &end, 10);
  if (build && !(*end == ' ' && begins_with_word(end + 1, build))) {
    give_up(ISOLATION_FAILED_PROGRAM, "the command has another build of the library: install both of the same one");
  }
  if (end == arguments[1] || (*end != 0 && !build) || number >= count) {
    give_up(ISOLATION_FAILED_PROGRAM, "the program has other coders when it is a worker");
  }
  cworker_thread_calls *calls = build ? dlsym(RTLD_DEFAULT, CWORKER_THREAD_CALLS) : NULL;
  if (calls) *calls = (cworker_thread_calls){pthread_create, pthread_join, pthread_detach, pthread_key_create, pthread_key_delete};
  run(arguments, coders[number]);
}
