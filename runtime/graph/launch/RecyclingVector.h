// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A vector whose removed items stay in their places, so that the next items can reuse what they
// own, above all memory.

#ifndef GRAPHPROF_GRAPH_LAUNCH_RECYCLINGVECTOR_H
#define GRAPHPROF_GRAPH_LAUNCH_RECYCLINGVECTOR_H

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "CacheLine.h"

namespace graphprof {

template <class Item> class RecyclingVector {
public:
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] bool empty() const { return used_ == 0; }
  [[nodiscard]] Item &operator[](std::size_t index) { return places_[index]; }
  [[nodiscard]] const Item &operator[](std::size_t index) const { return places_[index]; }
  [[nodiscard]] Item &back() { return places_[used_ - 1]; }
  [[nodiscard]] std::span<Item> all() { return {places_.data(), used_}; }
  [[nodiscard]] std::span<const Item> all() const { return {places_.data(), used_}; }

  /// The place of the next item: a new one, or a removed one in its old state.
  [[nodiscard]] Item &next() {
    makeRoom(1);
    return places_[used_];
  }
  /// Adds next() to the items.
  Item &add() {
    Item &item = next();
    if (++used_ < places_.size()) // the one after it, which another processor may hold
      fetchToWrite(&places_[used_], sizeof(Item));
    return item;
  }
  /// Reserves places for `count` more items.
  void makeRoom(std::size_t count) {
    while (places_.size() < used_ + count)
      places_.emplace_back();
  }
  /// Removes the last items.
  void shrinkTo(std::size_t size) { used_ = size; }
  /// Removes all items. If there were many once, keeps only some places.
  void clear() {
    if (places_.size() > mostKept && used_ < places_.size() / 2)
      places_.resize(mostKept);
    used_ = 0;
  }

private:
  static constexpr std::size_t mostKept = 1024;
  std::vector<Item> places_;
  std::size_t used_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_RECYCLINGVECTOR_H
