// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Pictures of the replayed graphs with the times of their regions, in a file that is written at the
// end. A crash leaves none.

#ifndef GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHPICTURE_H
#define GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHPICTURE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "output/BatchWriter.h"
#include "output/formats/graph/GraphTimes.h"
#include "output/io/File.h"

namespace graphprof {

/// The form of such a file.
enum class GraphForm : std::uint8_t {
  Dot,  ///< for Graphviz
  Json, ///< the execution trace
};
/// From the path's ending: .dot or .json.
[[nodiscard]] std::optional<GraphForm> graphFormOf(std::string_view path);

class GraphPicture : public BatchWriter {
public:
  GraphPicture(std::string path, GraphForm form, std::size_t maxRecords,
               Existing others = Existing::Replaced);

  [[nodiscard]] std::string write(const Batch &batch) override;
  /// May be called again with later data.
  [[nodiscard]] std::string close(const Losses &losses) override;
  [[nodiscard]] std::string written() const override { return written_; }
  [[nodiscard]] std::uint64_t dropped() const override { return times_.dropped(); }

private:
  const std::string path_;
  const GraphForm form_;
  const Existing others_;
  std::string written_; // the file
  GraphTimes times_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHPICTURE_H
