#include <sqlite3.h>

/// Binds a copy of a text.
static inline int csqlite_bind_text(
    sqlite3_stmt *_Nonnull statement, int parameter, const char *_Nullable text, int count) {
  return sqlite3_bind_text(statement, parameter, text ? text : "", count, SQLITE_TRANSIENT);
}

/// Binds a copy of bytes.
static inline int csqlite_bind_blob(
    sqlite3_stmt *_Nonnull statement, int parameter, const void *_Nullable bytes, int count) {
  return sqlite3_bind_blob(statement, parameter, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

/// Sets an option of a connection that is on or off, such as `SQLITE_DBCONFIG_DEFENSIVE`. Swift
/// cannot call functions with variable arguments.
static inline int csqlite_set_option(sqlite3 *_Nonnull connection, int option, int isOn) {
  return sqlite3_db_config(connection, option, isOn, (int *)0);
}
