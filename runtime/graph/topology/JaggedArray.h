// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Many short lists in one block of memory. Rebuilding a graph needs several lists for each node,
// and would otherwise mostly allocate.

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_JAGGEDARRAY_H
#define GRAPHPROF_GRAPH_TOPOLOGY_JAGGEDARRAY_H

#include <cstddef>
#include <span>
#include <vector>

namespace graphprof {

template <class T> class JaggedArray {
public:
  [[nodiscard]] std::size_t size() const { return begins_.size() - 1; }
  /// Valid until the next list is added.
  [[nodiscard]] std::span<const T> operator[](std::size_t list) const {
    return {values_.data() + begins_[list], begins_[list + 1] - begins_[list]};
  }
  /// `list` must not be part of this array.
  void add(std::span<const T> list) {
    values_.insert(values_.end(), list.begin(), list.end());
    begins_.push_back(values_.size());
  }

private:
  std::vector<std::size_t> begins_ = {0}; // and the end of the last
  std::vector<T> values_;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_JAGGEDARRAY_H
