// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How this copy of SQLite holds its files: out of the program's way, and looked at before they are
// written, as Descriptor holds ours.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEFILES_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEFILES_H

namespace graphprof::sqlite {

/// Before the first database is opened. A file whose descriptor the program has closed cannot be
/// written any more: SQLite says that of the database, and graphprof of the output.
void keepFilesOutOfTheWay();

} // namespace graphprof::sqlite

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEFILES_H
