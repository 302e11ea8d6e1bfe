// SPDX-License-Identifier: Apache-2.0
//
// SQLite, if the machine has it: libsqlite3.so.0 is loaded when a cache on disk is first opened. Nothing of its headers is
// needed to build. What is declared here is what sqlite3.h says of version 3.31 and later; the C interface of SQLite 3 only
// grows.

#ifndef CSQLITE_H
#define CSQLITE_H

#include <stdint.h>

/// A connection to a database. One thread at a time.
typedef struct csqlite_connection csqlite_connection;

/// A prepared statement of a connection.
typedef struct csqlite_statement csqlite_statement;

/// What calls return that are named here; see the list of result codes in SQLite's documentation.
enum {
  CSQLITE_OK = 0,
  CSQLITE_BUSY = 5,
  CSQLITE_CORRUPT = 11,
  CSQLITE_FULL = 13,
  CSQLITE_NOT_A_DATABASE = 26,
  CSQLITE_ROW = 100,
  CSQLITE_DONE = 101,
};

/// The type of a column that is null.
enum { CSQLITE_NULL = 5 };

/// Loads the library when it is first called.
/// \returns the library's version, such as 3040001; 0 if there is none, or one that is too old or lacks a function
/// [any thread]
int csqlite_load(void);

/// The oldest version that is used.
enum { CSQLITE_MINIMUM_VERSION = 3031000 };

/// The type of the file system that a database would be on, as in statfs(2): not on all of them can SQLite work.
/// \returns 1, or 0 with errno set
int csqlite_file_system_type(const char *path, uint32_t *type);

// All calls below need csqlite_load to have returned a version.

/// Opens a file that exists, to read and to write it. The connection is for one thread at a time.
/// \param connection  receives the connection, also after most failures; null if there is no memory
int csqlite_open(const char *path, csqlite_connection **connection);

/// Closes a connection whose statements are all finalized.
int csqlite_close(csqlite_connection *connection);

/// Makes damaged and hostile files less dangerous: no writes to the schema, functions in it are not trusted.
void csqlite_set_defensive(csqlite_connection *connection);

/// Milliseconds for which a call waits for another process or connection that writes.
int csqlite_set_busy_timeout(csqlite_connection *connection, int milliseconds);

/// Runs statements that return no rows anybody wants.
int csqlite_execute(csqlite_connection *connection, const char *statements);

/// What the last failure was, in English. Valid until the next call.
const char *csqlite_message(csqlite_connection *connection);

/// Whether no transaction is open.
int csqlite_is_in_autocommit(csqlite_connection *connection);

/// Rows that the last statement changed.
int csqlite_changes(csqlite_connection *connection);

/// Copies what the write-ahead log contains into the database and empties it, unless others use it for too long.
int csqlite_checkpoint(csqlite_connection *connection);

/// Prepares a statement that will be used often.
int csqlite_prepare(csqlite_connection *connection, const char *text, csqlite_statement **statement);

int csqlite_finalize(csqlite_statement *statement);
int csqlite_step(csqlite_statement *statement);
int csqlite_reset(csqlite_statement *statement);

/// Binds a parameter, counted from 1.
int csqlite_bind_integer(csqlite_statement *statement, int index, int64_t value);

/// Binds bytes. A null pointer is an empty blob.
/// \param is_copied  1 to copy the bytes; 0 if they stay where they are until the statement is reset
int csqlite_bind_bytes(csqlite_statement *statement, int index, const void *bytes, int64_t count, int is_copied);

/// The value of a column, counted from 0.
int64_t csqlite_column_integer(csqlite_statement *statement, int column);
int csqlite_column_type(csqlite_statement *statement, int column);

/// The bytes of a column, which are valid until the next step or reset.
const void *csqlite_column_bytes(csqlite_statement *statement, int column, int64_t *count);

#endif
