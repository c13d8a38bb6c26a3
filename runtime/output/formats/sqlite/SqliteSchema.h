// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The tables and views of the database, version by version. What they hold, docs/sqlite.md says.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITESCHEMA_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITESCHEMA_H

#include "output/formats/sqlite/SqliteDatabase.h"

namespace graphprof::sqlite {

/// Makes the tables where there are none, in a transaction of the caller's. Nothing of anybody
/// else's is touched: neither another program's tables nor a later version's, which are refused. An
/// earlier one's get what they lack.
void prepareTables(Database &database);

} // namespace graphprof::sqlite

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITESCHEMA_H
