// SPDX-License-Identifier: Apache-2.0
//
// A library finds `stderr` through an entry of its own table, which the dynamic linker fills. The entry of one library is pointed to
// another stream, a few bytes that nobody reads, and nobody else's.

#define _GNU_SOURCE

#include "quiet_library.h"

#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define STDERR_ENTRY R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define STDERR_ENTRY R_AARCH64_GLOB_DAT
#endif

struct redirection {
  const void *function;
  FILE **stream;
};

// A table of a loaded library. glibc adds the load address on most machines, and leaves it out on others.
static const void *table(const struct dl_phdr_info *library, ElfW(Addr) address) {
  return (const void *)(address >= library->dlpi_addr ? address : address + library->dlpi_addr);
}

static int redirect(struct dl_phdr_info *library, size_t size, void *argument) {
  (void)size;
#ifdef STDERR_ENTRY
  const struct redirection *redirection = argument;
  uintptr_t function = (uintptr_t)redirection->function;
  const ElfW(Dyn) *dynamic = NULL;
  int has_function = 0;
  uintptr_t protected_start = 0, protected_end = 0;
  for (int i = 0; i < library->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &library->dlpi_phdr[i];
    uintptr_t start = library->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_LOAD && function >= start && function - start < part->p_memsz) has_function = 1;
    if (part->p_type == PT_GNU_RELRO) {
      protected_start = start;
      protected_end = start + part->p_memsz;
    }
    if (part->p_type == PT_DYNAMIC) dynamic = (const ElfW(Dyn) *)start;
  }
  if (!has_function || !dynamic) return 0;
  const ElfW(Rela) *entries = NULL;
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  size_t length = 0;
  for (; dynamic->d_tag != DT_NULL; dynamic++) {
    if (dynamic->d_tag == DT_RELA) entries = table(library, dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_RELASZ) length = dynamic->d_un.d_val / sizeof *entries;
    if (dynamic->d_tag == DT_SYMTAB) symbols = table(library, dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_STRTAB) names = table(library, dynamic->d_un.d_ptr);
  }
  if (!entries || !symbols || !names) return 1;
  for (size_t i = 0; i < length; i++) {
    if (ELF64_R_TYPE(entries[i].r_info) != STDERR_ENTRY) continue;
    if (strcmp(names + symbols[ELF64_R_SYM(entries[i].r_info)].st_name, "stderr") != 0) continue;
    uintptr_t place = library->dlpi_addr + entries[i].r_offset;
    uintptr_t page = place & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    size_t bytes = place + sizeof(FILE **) - page;
    // The linker has made the table read-only, or leaves it writable along with data beside it.
    int is_protected = place >= protected_start && place < protected_end;
    if (is_protected && mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) != 0) return 1;
    *(FILE ***)place = redirection->stream;
    if (is_protected) mprotect((void *)page, bytes, PROT_READ);
  }
#endif
  return 1;
}

// One for all libraries: several may be parts of one.
static FILE *nowhere;

static void open_nowhere(void) { nowhere = fmemopen(NULL, 16, "w"); }

void quiet_library(const void *function) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_nowhere);
  if (nowhere) dl_iterate_phdr(redirect, &(struct redirection){.function = function, .stream = &nowhere});
}
