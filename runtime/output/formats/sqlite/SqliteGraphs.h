// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The tables graphs, graph_nodes and graph_edges of a database: what graphs are made of.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEGRAPHS_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEGRAPHS_H

#include <cstdint>

#include "output/data/Batch.h"
#include "output/data/ById.h"
#include "output/formats/sqlite/SqliteDatabase.h"

namespace graphprof::sqlite {

/// Of one run. Throws Refused.
class GraphRows {
public:
  GraphRows(Database &database, std::int64_t run);
  /// Adds the graphs of a batch that are new. `regions`: their rows.
  void add(const Batch &batch, const ById<std::int64_t> &regions);

private:
  const std::int64_t run_;
  std::uint64_t next_ = 1; // the first that is not written
  Statement graph_, noNodes_, noEdges_, node_, edge_;
};

} // namespace graphprof::sqlite

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEGRAPHS_H
