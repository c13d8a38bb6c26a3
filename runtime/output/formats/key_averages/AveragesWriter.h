// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Key averages at the end of the program: GRAPHPROF_OUTPUT=key_averages. table_options choose
// columns, order and length. A crash leaves none.

#ifndef GRAPHPROF_OUTPUT_FORMATS_KEY_AVERAGES_AVERAGESWRITER_H
#define GRAPHPROF_OUTPUT_FORMATS_KEY_AVERAGES_AVERAGESWRITER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "output/BatchWriter.h"
#include "output/data/BatchView.h"
#include "output/data/Collection.h"
#include "output/data/NotRecorded.h"
#include "output/io/File.h"
#include "output/statistics/Averages.h"

namespace graphprof {

class AveragesWriter : public BatchWriter {
public:
  /// The default: all rows, ordered by their own time on the device.
  [[nodiscard]] static table_options defaults();

  /// Writes to the file `path`, or to standard error if it is empty. Keeps at most `maxRecords`
  /// host spans, as many single durations, and as many allocations and frees. Without `hostSpans`
  /// the host's times come from the records.
  AveragesWriter(const std::string &path, table_options options, std::size_t maxRecords,
                 bool hostSpans);

  [[nodiscard]] std::string write(const Batch &batch) override;
  [[nodiscard]] std::uint64_t dropped() const override { return dropped_; }
  [[nodiscard]] std::string close(const Losses &losses) override;
  [[nodiscard]] std::string written() const override { return file_.written(); }

private:
  const table_options options_;
  const std::size_t maxKept_;
  WholeFile file_;
  BatchView view_;
  Averages averages_;
  Collection kept_; // host spans, and memory events without paths
  std::uint64_t dropped_ = 0;
  std::string remarks_; // one on each line
  NotRecorded notRecorded_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_KEY_AVERAGES_AVERAGESWRITER_H
