// SPDX-License-Identifier: Apache-2.0
//
// Hands the worker's code for operations a parcel that is cut at every byte, and one whose every byte is changed, each in
// a process of its own and in front of a page that cannot be read. A parcel that is not whole ends the process before the
// plugin is called. Prints the number of parcels of each kind that did what they should.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../Sources/coders-worker/worker.h"

enum { CALLED = 3, PAGE = 4096 };

session the_session;
imgcoder_output the_output;
static uint8_t *end_of_page;
static uint32_t length;

// What operations.c and parcels.c need of the worker.
uint8_t *payload(void) { return end_of_page - length; }
void bytes_update(uint64_t available, uint64_t size) { (void)available, (void)size; }
void chunks_end(void) {}
imgcoder_properties properties_begin(void) { return imgcoder_properties_sized(); }
void output_begin(void) {}
void output_end(void) {}
void output_reply(imgcoder_status status, const void *results, uint32_t count) { (void)status, (void)results, (void)count; }
void reply(imgcoder_status status, const void *results, uint32_t count) { (void)status, (void)results, (void)count; }
imgcoder_status services_fail_without(const char *call, imgcoder_status status) { return (void)call, status; }
imgcoder_status services_lacks(const char *call) { return (void)call, IMGCODER_STATUS_LIBRARY; }

static int is(imgcoder_string text, const char *expected) {
  return text.length == strlen(expected) && !memcmp(text.bytes, expected, text.length);
}

static imgcoder_status run(const imgcoder_coder *coder, const imgcoder_host *host, const imgcoder_source *source,
                           const imgcoder_operation *operation, const imgcoder_output *output,
                           const imgcoder_properties *facts) {
  (void)coder, (void)host, (void)source, (void)output, (void)facts;
  int isWhole = is(operation->name, "org.example.mark") && is(operation->from, "a.b") && is(operation->to, "c.d") &&
                operation->value_count == 2 && operation->values[0]->number == 7 &&
                is(operation->values[0]->name, "level") && is(operation->values[1]->text, "words") &&
                operation->block_count == 2 && is(operation->blocks[0]->name, "mark") &&
                operation->blocks[0]->length == 3 && operation->blocks[1]->length == 0;
  _exit(isWhole ? CALLED : CALLED + 1);
}

static const void *extension(const imgcoder_coder *coder, imgcoder_string id) {
  static const imgcoder_file_operations_table table = {.struct_size = sizeof table, .run = run};
  (void)coder;
  return is(id, IMGCODER_EXTENSION_FILE_OPERATIONS) ? &table : NULL;
}

static uint8_t whole[PAGE];
static uint32_t size;
static void add(const void *bytes, size_t count) { memcpy(whole + size, bytes, count), size += (uint32_t)count; }
static void add_number(uint32_t number) { add(&number, sizeof number); }
static void add_text(const char *text) {
  uint64_t count = strlen(text);
  add(&count, sizeof count);
  add(text, count);
}
static void add_value(uint32_t type, double number, const char *name, const char *text) {
  add_number(type);
  add(&number, sizeof number);
  add_text(name);
  add_text(text);
}

// The exit status of a process that gets the first bytes of a parcel, or -1 if a signal ended it.
static int outcome(const uint8_t *parcel, uint32_t count) {
  length = count;
  memcpy(payload(), parcel, count);
  pid_t child = fork();
  if (child == 0) {
    isolation_message request = {.kind = ISOLATION_OPERATE, .length = count};
    operations_call(&request, -1);
    _exit(CALLED + 2);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void) {
  uint32_t refused = 0, survived = 0;
  uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE)) return 1;
  end_of_page = pages + PAGE;
  the_session.described.get_extension = extension;
  add_number(0);
  add_text("org.example.mark"), add_text("a.b"), add_text("c.d");
  add_number(2);
  add_value(IMGCODER_OPTION_INTEGER, 7, "level", ""), add_value(IMGCODER_OPTION_TEXT, 0, "note", "words");
  add_number(2);
  add_text("mark"), add_text("abc"), add_text("other"), add_text("");
  for (uint32_t count = 0; count < size; count++) refused += outcome(whole, count) == 0;
  for (uint32_t place = 0; place < size; place++) {
    whole[place] ^= 0xFF;
    survived += outcome(whole, size) >= 0;
    whole[place] ^= 0xFF;
  }
  printf("%u of %u cuts, %u of %u changes, whole %d\n", refused, size, survived, size, outcome(whole, size));
  return 0;
}
