// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The times of one region in one process, in bounded memory: as the medians of blocks of
// consecutive executions. Executions that follow each other are alike (clocks, caches), so a block,
// not an execution, is what repeats; and a median ignores single late ones. Does not know what they
// are compared with.

#ifndef GRAPHPROF_TOOL_DIFF_BLOCKS_H
#define GRAPHPROF_TOOL_DIFF_BLOCKS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphprof {

class Blocks {
public:
  /// The next execution.
  void add(std::int64_t ns);
  /// No more come. Frees what is needed only until then.
  void finish();

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// After finish(): the values of the blocks, which are of equal length. Few executions are in
  /// blocks of at least eight, many in at most 128 blocks.
  [[nodiscard]] const std::vector<double> &values() const { return values_; }
  /// After finish(): their mean. The time of the region in this process.
  [[nodiscard]] double meanNs() const { return meanNs_; }

private:
  static constexpr std::size_t ofBlock = 32, mostRaw = 512, mostValues = 128;

  void fold(std::size_t count);
  void push(double medianNs);

  std::uint64_t count_ = 0;
  bool folded_ = false;
  std::vector<double> raw_;    // executions that are in no block yet
  std::vector<double> values_; // each the mean of `perValue_` medians
  std::size_t perValue_ = 1, pending_ = 0;
  double pendingSum_ = 0; // of the medians that make the next value
  double meanNs_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_DIFF_BLOCKS_H
