// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Times in the order in which they were measured, in bounded memory: each by itself while they are
// few, then as many neighbours together as needed.

#ifndef GRAPHPROF_TOOL_HTML_SERIES_H
#define GRAPHPROF_TOOL_HTML_SERIES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphprof {

class Series {
public:
  /// Neighbours.
  struct Bin {
    std::uint64_t number = 0; ///< of its first one, as given
    std::int64_t atNs = 0;    ///< when that began, since the Unix epoch
    std::uint64_t count = 0, notMeasured = 0;
    std::int64_t minNs = 0, maxNs = 0, sumNs = 0; ///< of the measured ones
  };

  explicit Series(std::size_t mostBins) : most_(mostBins) {}

  /// The next one, with what numbers it. `ns` negative: not measured.
  void add(std::uint64_t number, std::int64_t atNs, std::int64_t ns);
  /// At most `mostBins`; each but the last holds perBin().
  [[nodiscard]] const std::vector<Bin> &bins() const { return bins_; }
  [[nodiscard]] std::uint64_t perBin() const { return perBin_; }
  [[nodiscard]] bool empty() const { return bins_.empty(); }

private:
  void halve();

  std::size_t most_; // even
  std::uint64_t perBin_ = 1;
  std::vector<Bin> bins_;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_HTML_SERIES_H
