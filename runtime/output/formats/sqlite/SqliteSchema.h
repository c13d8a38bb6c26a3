// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The tables and views of the database. docs/sqlite.md describes them.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITESCHEMA_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITESCHEMA_H

#include "output/formats/sqlite/SqliteDatabase.h"

namespace graphprof::sqlite {

/// Makes the tables in a new file, in the caller's transaction. Refuses a file with tables of
/// another program or of another version (PRAGMA user_version), and leaves it unchanged.
void prepareTables(Database &database);

} // namespace graphprof::sqlite

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITESCHEMA_H
