// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reads the runs of a SQLite database back, as the writer got them: regions, replays, records,
// metadata, remarks and losses. Leaves out host spans and memory. Never changes the file.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEREADER_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEREADER_H

#include <string>

#include "output/RecordingListener.h"
#include "output/data/KeptSites.h"

namespace graphprof {

/// Each run of the file is one of the listener's. Returns why the file cannot be read; empty: it
/// was read.
[[nodiscard]] std::string readSqlite(const std::string &path, RecordingListener &listener,
                                     KeptSites &sites);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEREADER_H
