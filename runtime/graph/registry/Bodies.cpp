// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/Bodies.h"

#include <algorithm>
#include <iterator>

namespace graphprof {

bool Bodies::isBody(driver::Graph graph) const {
  return std::any_of(all_.begin(), all_.end(), [graph](const Conditional &conditional) {
    const auto &bodies = conditional.bodies;
    return std::find(bodies.begin(), bodies.end(), graph) != bodies.end();
  });
}

bool Bodies::hold(driver::Graph graph) const {
  return std::any_of(all_.begin(), all_.end(), [graph](const Conditional &conditional) {
    return conditional.graph == graph;
  });
}

std::vector<Conditional> Bodies::of(driver::Graph graph) const {
  std::vector<Conditional> found;
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(found),
               [graph](const Conditional &conditional) { return conditional.graph == graph; });
  return found;
}

template <class Goes> std::vector<driver::Graph> Bodies::forgetIf(Goes goes) {
  std::vector<driver::Graph> gone;
  std::erase_if(all_, [&](const Conditional &conditional) {
    if (!goes(conditional))
      return false;
    gone.insert(gone.end(), conditional.bodies.begin(), conditional.bodies.end());
    return true;
  });
  for (std::size_t outer = 0, direct = gone.size(); outer < direct; ++outer) {
    const std::vector<driver::Graph> inner = forget(gone[outer]);
    gone.insert(gone.end(), inner.begin(), inner.end());
  }
  return gone;
}

std::vector<driver::Graph> Bodies::forget(driver::Graph graph) {
  return forgetIf([graph](const Conditional &conditional) { return conditional.graph == graph; });
}

std::vector<driver::Graph> Bodies::forget(driver::Node node) {
  return forgetIf([node](const Conditional &conditional) { return conditional.node == node; });
}

} // namespace graphprof
