// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/topology/Shape.h"

#include <algorithm>

#include "cuda/Driver.h"
#include "graph/topology/Nodes.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Where the entries of each number begin if they are sorted by `numbers`.
std::vector<std::size_t> beginsOf(const std::vector<std::size_t> &numbers, std::size_t count) {
  std::vector<std::size_t> begins(count + 1, 0);
  for (const std::size_t number : numbers)
    ++begins[number + 1];
  for (std::size_t i = 0; i < count; ++i)
    begins[i + 1] += begins[i];
  return begins;
}

} // namespace

Nodes frontier(Nodes nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

Nodes Shape::sinks() const {
  Nodes found;
  std::copy_if(created_.begin(), created_.end(), std::back_inserter(found),
               [this](driver::Node node) { return after(node).empty(); });
  return frontier(std::move(found));
}

Shape::Shape(driver::Graph graph) {
  auto nodes = nodesOf(graph);
  const auto edges = edgesOf(graph);
  if (!edges || !nodes)
    return;
  known_ = true;
  created_ = std::move(*nodes);
  types_.resize(created_.size());
  places_.reserve(created_.size());
  for (const driver::Node node : created_)
    places_.emplace(node, places_.size());

  const std::size_t count = edges->from.size();
  std::vector<std::size_t> from(count), to(count);
  for (std::size_t i = 0; i < count; ++i) {
    from[i] = createdAt(edges->from[i]);
    to[i] = createdAt(edges->to[i]);
  }
  before_ = {beginsOf(to, created_.size()), Nodes(count), std::vector<std::size_t>(count)};
  after_ = {beginsOf(from, created_.size()), Nodes(count), std::vector<std::size_t>(count)};
  edges_.resize(count);
  std::vector<std::size_t> nextBefore = before_.begins, nextAfter = after_.begins;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t before = nextBefore[to[i]]++;
    before_.nodes[before] = edges->from[i];
    before_.places[before] = from[i];
    edges_[before] = edges->data[i];
    const std::size_t after = nextAfter[from[i]]++;
    after_.nodes[after] = edges->to[i];
    after_.places[after] = to[i];
  }
  sort();
}

std::optional<driver::NodeType> Shape::typeOf(std::size_t place) const {
  std::optional<driver::NodeType> &known = types_[place];
  driver::NodeType type{};
  if (!known && ok(cu().graphNodeGetType(created_[place], &type)))
    known = type;
  return known;
}

// A node that was created before one that it waits for, or that may begin before that one has
// ended, does not count as waiting for it.
void Shape::keepNewest(std::vector<std::uint32_t> &places) const {
  if (places.size() < 2)
    return;
  if (!newest_) {
    newest_.emplace();
    std::vector<std::uint32_t> before;
    for (std::size_t place = 0; place < created_.size(); ++place) {
      before.clear();
      for (std::size_t i = 0; i < placesBefore(place).size(); ++i)
        if (const std::size_t from = placesBefore(place)[i];
            from < place && driver::isWhole(edgesTo(place)[i]))
          before.push_back(static_cast<std::uint32_t>(from));
      newest_->keepNewest(before);
      newest_->add(before);
    }
  }
  newest_->keepNewest(places);
}

void Shape::sort() {
  std::vector<std::size_t> waiting(created_.size()), order;
  order.reserve(created_.size());
  for (std::size_t place = 0; place < created_.size(); ++place) {
    waiting[place] = before_.of(place).size();
    if (waiting[place] == 0)
      order.push_back(place);
  }
  order_.reserve(created_.size());
  positions_.resize(created_.size());
  for (std::size_t next = 0; next < order.size(); ++next) {
    const std::size_t place = order[next];
    positions_[place] = next;
    order_.push_back(created_[place]);
    for (const std::size_t after : after_.placesOf(place))
      if (--waiting[after] == 0)
        order.push_back(after);
  }
}

} // namespace graphprof
