// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The tables graphs, graph_names, graph_nodes and graph_edges of a database: what graphs are made
// of, and what they serve.

#ifndef GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEGRAPHS_H
#define GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEGRAPHS_H

#include <cstdint>
#include <string>
#include <unordered_map>

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

  /// The row of what a replay serves, which is not null.
  [[nodiscard]] std::int64_t nameOf(const GraphName &serves);

private:
  const std::int64_t run_;
  std::uint64_t next_ = 1; // the first that is not written
  std::unordered_map<std::string, std::int64_t>
      names_; // their rows, by text; some may be forgotten
  Database &database_;
  Statement name_, graph_, noNodes_, noEdges_, node_, edge_;
};

} // namespace graphprof::sqlite

#endif // GRAPHPROF_OUTPUT_FORMATS_SQLITE_SQLITEGRAPHS_H
