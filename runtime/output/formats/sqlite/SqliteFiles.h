// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Keeps SQLite's descriptors out of the program's way, and checks them before each write, as
// Descriptor does for graphprof's own.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEFILES_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEFILES_H

namespace graphprof::sqlite {

/// Call this before the first database is opened. If the program closes the descriptor of a
/// database, SQLite cannot write it any more, and the output reports that.
void keepFilesOutOfTheWay();

} // namespace graphprof::sqlite

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEFILES_H
