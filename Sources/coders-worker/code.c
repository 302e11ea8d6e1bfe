// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker.h"

// Pages of a library that a relocation may have written are no longer those of its file.
static int has_written_code(const struct dl_phdr_info *library) {
  for (unsigned index = 0; index < library->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &library->dlpi_phdr[index];
    if (segment->p_type != PT_DYNAMIC) continue;
    for (const ElfW(Dyn) *entry = (const void *)(library->dlpi_addr + segment->p_vaddr); entry->d_tag != DT_NULL; entry++) {
      if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL)) return 1;
    }
  }
  return 0;
}

static int give_back(struct dl_phdr_info *library, size_t size, void *none) {
  (void)size;
  (void)none;
  if (has_written_code(library)) return 0;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (unsigned index = 0; index < library->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &library->dlpi_phdr[index];
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    const uintptr_t start = (library->dlpi_addr + segment->p_vaddr) & ~(page - 1);
    const uintptr_t end = library->dlpi_addr + segment->p_vaddr + segment->p_memsz;
    // Where it fails, the pages stay.
    madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

void code_give_back(void) { dl_iterate_phdr(give_back, NULL); }
