// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_CLOCK_GROWINGCAPACITY_H
#define GRAPHPROF_CLOCK_GROWINGCAPACITY_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace graphprof {

/// Room for `count` items, so that adding them cannot fail. Grows as adding does, unlike reserve().
template <class Item> void reserveAtLeast(std::vector<Item> &items, std::size_t count) {
  if (items.capacity() < count)
    items.reserve(std::max(count, 2 * items.capacity()));
}

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_GROWINGCAPACITY_H
