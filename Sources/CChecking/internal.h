// SPDX-License-Identifier: Apache-2.0

#ifndef CCHECKING_INTERNAL_H
#define CCHECKING_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "CChecking.h"

enum { WATCHES = 256, LATER = 64 };

struct checking_session {
  checking_settings settings;
  checking_record record;
  imgcoder_host *host;
  imgcoder_limits *limits;
  struct block *blocks;
  pthread_mutex_t lock;
  uint32_t is_parallel;
};

// Memory between two pages that cannot be read or written. `rule` and `name` say what touching them means.
uint8_t *checking_guarded(uint64_t size, int at_start, uint32_t rule, const char *name);
void checking_unguard(uint8_t *memory, uint64_t size);
// Makes it read only.
void checking_protect(uint8_t *memory, uint64_t size);
// Makes it unreadable.
void checking_retire(uint8_t *memory, uint64_t size, uint32_t rule, const char *name);
int checking_find_watch(const void *address, uint32_t *rule, const char **text);

// Records the first violation.
void checking_violation(checking_session *session, uint32_t rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Records a call of a [session] function from a body of parallel_for.
void checking_session_call(checking_session *session, const char *name);

#endif
