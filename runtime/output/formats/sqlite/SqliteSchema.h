// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The tables and views of the database, version by version. docs/sqlite.md describes them.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITESCHEMA_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITESCHEMA_H

#include "output/formats/sqlite/SqliteDatabase.h"

namespace graphprof::sqlite {

/// The version of the tables, as PRAGMA user_version says it.
[[nodiscard]] std::int64_t schemaVersion();

/// Makes missing tables, in the caller's transaction. Refuses a file with tables of another program
/// or of a later version, and leaves it unchanged. Adds to an earlier version what it lacks.
void prepareTables(Database &database);

} // namespace graphprof::sqlite

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITESCHEMA_H
