// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Replaces Sqlite.cpp if graphprof is built without SQLite.

#include "output/formats/sqlite/Sqlite.h"

namespace graphprof {

bool sqliteBuiltIn() { return false; }
std::unique_ptr<BatchWriter> makeSqlite(const std::string &, const Run &, std::size_t, bool) {
  return nullptr;
}
std::unique_ptr<BatchWriter> makeStepSqlite(const std::string &, const Run &, std::size_t, bool) {
  return nullptr;
}

} // namespace graphprof
