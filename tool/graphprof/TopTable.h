// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What `graphprof top` shows, as text: the rows of one answer, sorted and filtered. Does not know
// terminals and sockets.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_TOPTABLE_H
#define GRAPHPROF_TOOL_GRAPHPROF_TOPTABLE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace graphprof::tool {

/// In the order in which the key for them goes round.
enum class TopSort : std::uint8_t { Share, Median, Rate, Trend, Name };
[[nodiscard]] std::string_view wordOf(TopSort sort);

class TopTable {
public:
  struct Row {
    std::string path, kind;
    int device = -1;
    double share = -1; ///< in per cent; negative: unknown
    double medianNs = -1, p95Ns = -1;
    double busyNs = -1, gapNs = -1; ///< medians; negative: not known
    std::optional<double> trend;    ///< how much longer the newer half of the last ones takes
    double perSecond = -1;          ///< recorded executions; negative: not known yet
  };

  /// Takes an answer to the command `metrics`. Throws nlohmann::json::exception if that is of
  /// another version.
  void take(const nlohmann::json &answer);

  /// The lines above the table.
  [[nodiscard]] std::vector<std::string> heading() const;
  [[nodiscard]] std::vector<Row> rows(TopSort sort, std::string_view filter) const;
  /// The table's own first line, and one of its lines. Busy times and gaps have columns if any is
  /// known.
  [[nodiscard]] std::string columns() const;
  [[nodiscard]] std::string line(const Row &row) const;

private:
  /// How often a row's count grew since the last answer; negative: not known yet.
  [[nodiscard]] double perSecond(const std::string &key, std::uint64_t count) const;
  /// Adds the replays of graphs that have names: their share is of the time of all replays on the
  /// device.
  void addGraphs(std::vector<Row> &rows, std::string_view filter) const;

  struct Counts {
    std::int64_t ns = 0;
    std::uint64_t launches = 0, replays = 0;
    std::map<std::string, std::uint64_t> rows; // by key
  };

  nlohmann::json answer_;
  Counts before_, now_;
  bool anyBusy_ = false; // the answer knows a busy time
};

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_TOPTABLE_H
