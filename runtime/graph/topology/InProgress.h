// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Whether any capture is in progress, as far as was seen. Asked at calls that happen all the time,
// so it is one load.

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_INPROGRESS_H
#define GRAPHPROF_GRAPH_TOPOLOGY_INPROGRESS_H

#include <atomic>

namespace graphprof {

/// One capture's, which counts among all while it is set. Any thread may call any member.
class InProgress {
public:
  InProgress() = default;
  ~InProgress() { set(false); }
  InProgress(const InProgress &) = delete;
  InProgress &operator=(const InProgress &) = delete;

  void set(bool isInProgress) noexcept {
    if (isSet_.exchange(isInProgress) != isInProgress)
      count += isInProgress ? 1 : -1;
  }
  [[nodiscard]] static bool any() noexcept { return count.load(std::memory_order_relaxed) > 0; }

private:
  static constinit inline std::atomic<int> count{0};

  std::atomic<bool> isSet_{false};
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_INPROGRESS_H
