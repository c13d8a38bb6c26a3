// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Items one behind the other, as in a vector; but what is taken off stays in its place, and what it
// owns (memory above all) is there for the next one.

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

  /// The place of the next one: a new item, or one that was taken off, as it was then.
  [[nodiscard]] Item &next() {
    makeRoom(1);
    return places_[used_];
  }
  /// Counts the next one in.
  Item &add() {
    Item &item = next();
    if (++used_ < places_.size()) // the one behind it, which another processor may have
      fetchToWrite(&places_[used_], sizeof(Item));
    return item;
  }
  /// So many can be added without more memory.
  void makeRoom(std::size_t count) {
    while (places_.size() < used_ + count)
      places_.emplace_back();
  }
  /// Takes the last ones off.
  void shrinkTo(std::size_t size) { used_ = size; }
  /// Takes all off. Where there were many once, only some stay.
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
