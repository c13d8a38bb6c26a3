// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The table at the end of the program: a line for each region, in the form of torch.profiler's.
//
// Regions of all execs share a line if their names and the names around them are equal. So a graph
// that is captured in several sizes needs different names. Written when the program ends: a crash
// leaves no table.
//
// On a stream it fits a screen: regions that differ in numbers only share a row, the longest come
// first, and what is beyond 25 rows is one line. A file has every row, with whole names.

#ifndef GRAPHPROF_OUTPUT_FORMATS_TABLE_TABLE_H
#define GRAPHPROF_OUTPUT_FORMATS_TABLE_TABLE_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "output/BatchWriter.h"
#include "output/data/NotRecorded.h"
#include "output/formats/table/TableText.h"
#include "output/io/File.h"
#include "output/statistics/GraphMemoryRows.h"
#include "output/statistics/InsideKernels.h"
#include "output/statistics/Statistics.h"

namespace graphprof {

class Table : public BatchWriter {
public:
  /// Writes to the file `path`, or to standard error if it is empty. Keeps at most `maxRecords`
  /// single durations for exact quantiles. What goes to a stream fits a screen, unless `all` rows
  /// are asked for.
  Table(const std::string &path, std::size_t maxRecords, bool all = false)
      : file_(path, Existing::KeepForeign), path_(path), all_(all), statistics_(maxRecords),
        inside_(maxRecords) {}

  [[nodiscard]] std::string write(const Batch &batch) override;
  [[nodiscard]] std::string close(const Losses &losses) override;
  [[nodiscard]] std::uint64_t dropped() const override {
    return statistics_.leftOut() + inside_.leftOut();
  }
  [[nodiscard]] std::string written() const override { return file_.written(); }

private:
  WholeFile file_;
  const std::string path_;
  const bool all_;
  Statistics statistics_;
  InsideKernels inside_;
  GraphMemoryRows graphMemory_;
  std::string remarks_; // one on each line
  NotRecorded notRecorded_;
};

/// All rows, in the order in which they ran.
inline constexpr RowChoice everyRow{.fold = false, .longestFirst = false};

/// The lines below it: how many replays, and which are not in it.
[[nodiscard]] std::string belowTable(const Statistics &statistics,
                                     const std::vector<TableRow> &rows);

/// The text of the table with its footer.
[[nodiscard]] std::string formatTable(const Statistics &statistics, const Losses &losses,
                                      const NotRecorded &notRecorded = {},
                                      const RowChoice &choice = everyRow,
                                      const TableLook &look = {});

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_TABLE_TABLE_H
