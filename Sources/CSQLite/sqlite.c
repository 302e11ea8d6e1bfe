// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "csqlite.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/vfs.h>

// What is used of sqlite3.h.
enum {
  OPEN_READ_WRITE = 0x2,
  OPEN_NO_MUTEX = 0x8000,
  PREPARE_PERSISTENT = 0x1,
  CONFIGURE_DEFENSIVE = 1010,
  CONFIGURE_TRUSTED_SCHEMA = 1017,
  CHECKPOINT_TRUNCATE = 3
};

static struct {
  int (*version)(void);
  int (*open)(const char *, csqlite_connection **, int, const char *);
  int (*close)(csqlite_connection *);
  int (*configure)(csqlite_connection *, int, ...);
  int (*busy_timeout)(csqlite_connection *, int);
  int (*execute)(csqlite_connection *, const char *, int (*)(void *, int, char **, char **), void *, char **);
  const char *(*message)(csqlite_connection *);
  int (*autocommit)(csqlite_connection *);
  int (*changes)(csqlite_connection *);
  int (*checkpoint)(csqlite_connection *, const char *, int, int *, int *);
  int (*prepare)(csqlite_connection *, const char *, int, unsigned, csqlite_statement **, const char **);
  int (*finalize)(csqlite_statement *);
  int (*step)(csqlite_statement *);
  int (*reset)(csqlite_statement *);
  int (*bind_integer)(csqlite_statement *, int, int64_t);
  int (*bind_bytes)(csqlite_statement *, int, const void *, uint64_t, void (*)(void *));
  int64_t (*column_integer)(csqlite_statement *, int);
  int (*column_type)(csqlite_statement *, int);
  const void *(*column_blob)(csqlite_statement *, int);
  int (*column_bytes)(csqlite_statement *, int);
  int loaded;
} library;

static int find(void *handle, const char *name, void *place) {
  void *symbol = dlsym(handle, name);
  memcpy(place, &symbol, sizeof symbol);
  return symbol != NULL;
}

static void load(void) {
  void *handle = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
  int is_complete = find(handle, "sqlite3_libversion_number", &library.version) &&
                    find(handle, "sqlite3_open_v2", &library.open) &&
                    find(handle, "sqlite3_close", &library.close) &&
                    find(handle, "sqlite3_db_config", &library.configure) &&
                    find(handle, "sqlite3_busy_timeout", &library.busy_timeout) &&
                    find(handle, "sqlite3_exec", &library.execute) &&
                    find(handle, "sqlite3_errmsg", &library.message) &&
                    find(handle, "sqlite3_get_autocommit", &library.autocommit) &&
                    find(handle, "sqlite3_changes", &library.changes) &&
                    find(handle, "sqlite3_wal_checkpoint_v2", &library.checkpoint) &&
                    find(handle, "sqlite3_prepare_v3", &library.prepare) &&
                    find(handle, "sqlite3_finalize", &library.finalize) &&
                    find(handle, "sqlite3_step", &library.step) &&
                    find(handle, "sqlite3_reset", &library.reset) &&
                    find(handle, "sqlite3_bind_int64", &library.bind_integer) &&
                    find(handle, "sqlite3_bind_blob64", &library.bind_bytes) &&
                    find(handle, "sqlite3_column_int64", &library.column_integer) &&
                    find(handle, "sqlite3_column_type", &library.column_type) &&
                    find(handle, "sqlite3_column_blob", &library.column_blob) &&
                    find(handle, "sqlite3_column_bytes", &library.column_bytes);
  if (is_complete && library.version() >= CSQLITE_MINIMUM_VERSION) library.loaded = library.version();
}

int csqlite_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return library.loaded;
}

int csqlite_file_system_type(const char *path, uint32_t *type) {
  struct statfs status;
  if (statfs(path, &status)) return 0;
  *type = (uint32_t)status.f_type;
  return 1;
}

int csqlite_open(const char *path, csqlite_connection **connection) {
  return library.open(path, connection, OPEN_READ_WRITE | OPEN_NO_MUTEX, NULL);
}

int csqlite_close(csqlite_connection *connection) { return library.close(connection); }

void csqlite_set_defensive(csqlite_connection *connection) {
  library.configure(connection, CONFIGURE_DEFENSIVE, 1, (int *)NULL);
  library.configure(connection, CONFIGURE_TRUSTED_SCHEMA, 0, (int *)NULL);
}

int csqlite_set_busy_timeout(csqlite_connection *connection, int milliseconds) {
  return library.busy_timeout(connection, milliseconds);
}

int csqlite_execute(csqlite_connection *connection, const char *statements) {
  return library.execute(connection, statements, NULL, NULL, NULL);
}

const char *csqlite_message(csqlite_connection *connection) { return library.message(connection); }
int csqlite_is_in_autocommit(csqlite_connection *connection) { return library.autocommit(connection); }
int csqlite_changes(csqlite_connection *connection) { return library.changes(connection); }

int csqlite_checkpoint(csqlite_connection *connection) {
  return library.checkpoint(connection, NULL, CHECKPOINT_TRUNCATE, NULL, NULL);
}

int csqlite_prepare(csqlite_connection *connection, const char *text, csqlite_statement **statement) {
  return library.prepare(connection, text, -1, PREPARE_PERSISTENT, statement, NULL);
}

int csqlite_finalize(csqlite_statement *statement) { return library.finalize(statement); }
int csqlite_step(csqlite_statement *statement) { return library.step(statement); }
int csqlite_reset(csqlite_statement *statement) { return library.reset(statement); }

int csqlite_bind_integer(csqlite_statement *statement, int index, int64_t value) {
  return library.bind_integer(statement, index, value);
}

int csqlite_bind_bytes(csqlite_statement *statement, int index, const void *bytes, int64_t count, int is_copied) {
  // SQLITE_TRANSIENT, which is not a function, or SQLITE_STATIC. To SQLite a null pointer is NULL, not an empty blob.
  void (*ownership)(void *) = is_copied ? (void (*)(void *))(intptr_t)-1 : NULL;
  return library.bind_bytes(statement, index, bytes ? bytes : "", bytes ? (uint64_t)count : 0, ownership);
}

int64_t csqlite_column_integer(csqlite_statement *statement, int column) {
  return library.column_integer(statement, column);
}

int csqlite_column_type(csqlite_statement *statement, int column) { return library.column_type(statement, column); }

const void *csqlite_column_bytes(csqlite_statement *statement, int column, int64_t *count) {
  // In this order: the bytes are converted by the first call, and counted by the second.
  const void *bytes = library.column_blob(statement, column);
  *count = bytes ? library.column_bytes(statement, column) : 0;
  return bytes;
}
