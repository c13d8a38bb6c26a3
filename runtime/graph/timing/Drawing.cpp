// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/Drawing.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "Thrown.h"
#include "clock/Device.h"
#include "cuda/Driver.h"
#include "cuda/Occupancy.h"
#include "graph/topology/NodeNames.h"
#include "services/Services.h"

namespace graphprof {

namespace {

using Numbers = std::vector<std::uint32_t>;
constexpr std::uint32_t none = GraphNodes::none;

// In GraphNodes::types.
std::size_t placeOf(driver::NodeType type) {
  using Type = driver::NodeType;
  switch (type) {
  case Type::Kernel:
    return 1;
  case Type::Memcpy:
    return 2;
  case Type::Memset:
    return 3;
  case Type::Host:
    return 4;
  case Type::Graph:
    return 5;
  case Type::Empty:
    return 6;
  case Type::WaitEvent:
    return 7;
  case Type::EventRecord:
    return 8;
  case Type::MemAlloc:
    return 9;
  case Type::MemFree:
    return 10;
  case Type::BatchMemOp:
    return 11;
  case Type::Conditional:
    return 12;
  default:
    return 0;
  }
}

std::string_view nameOf(driver::NodeType type) { return GraphNodes::types[placeOf(type)]; }

// Finds each region's parent from the depths. Regions are in the order of records.
void findParents(std::vector<GraphNodes::Region> &regions) {
  Numbers open;
  for (std::uint32_t i = 0; i < regions.size(); ++i) {
    while (!open.empty() && regions[open.back()].depth >= regions[i].depth)
      open.pop_back();
    regions[i].parent = open.empty() ? none : open.back();
    open.push_back(i);
  }
}

class Drawing {
public:
  Drawing(std::span<const Region> regions, const Device *device, std::int64_t gapNs,
          Services &services)
      : services_(services) {
    graph_->gapNs = std::max<std::int64_t>(gapNs, 0);
    if (device) {
      occupancy_.emplace(device->properties());
      graph_->multiprocessors =
          static_cast<std::uint32_t>(std::max(device->properties().numSms, 0));
    }
    graph_->regions.reserve(regions.size());
    for (const Region &region : regions)
      graph_->regions.push_back(
          {region.site, region.name, region.depth, none, none, region.kind != Kind::Region});
    findParents(graph_->regions);
  }

  // `own` are the numbers of the regions to which `owners` refers.
  void addNodes(const Shape &shape, std::span<const driver::Node> ours, const Owners &owners,
                const Numbers &own, std::span<const Region> regions) {
    const std::unordered_set<driver::Node> left(ours.begin(), ours.end());
    for (const driver::Node node : shape.created())
      if (!left.contains(node))
        numbers_.emplace(node, static_cast<std::uint32_t>(numbers_.size()));
    graph_->nodes.resize(numbers_.size());
    addTimes(regions);
    for (const auto &[node, number] : numbers_) {
      GraphNodes::Node &drawn = graph_->nodes[number];
      const std::size_t place = shape.createdAt(node);
      describe(node, shape.typeOf(place), drawn);
      drawn.cudaNode = driver::localId(node).value_or(none);
      const std::span<const driver::Node> before = shape.before(node);
      const std::span<const driver::EdgeData> edges = shape.edgesTo(place);
      for (std::size_t i = 0; i < before.size(); ++i)
        if (const auto known = numbers_.find(before[i]); known != numbers_.end()) {
          drawn.after.push_back(known->second);
          if (!isWhole(edges[i]))
            drawn.early.push_back(known->second);
        }
      std::sort(drawn.after.begin(), drawn.after.end());
      std::sort(drawn.early.begin(), drawn.early.end());
      if (const auto owner = owners.find(node); owner != owners.end() && owner->second < own.size())
        drawn.region = own[owner->second];
    }
  }

  void addInner(const InnerGraph &inner) {
    const GraphNodes *const drawn = inner.table->drawn.get();
    const auto holder = numbers_.find(inner.holder);
    if (!drawn || holder == numbers_.end())
      return;
    const auto firstNode = static_cast<std::uint32_t>(graph_->nodes.size());
    const auto shifted = [](std::uint32_t number, std::uint32_t by) {
      return number == none ? none : number + by;
    };
    for (GraphNodes::Node node : drawn->nodes) {
      for (std::uint32_t &before : node.after)
        before += firstNode;
      for (std::uint32_t &before : node.early)
        before += firstNode;
      node.region = node.region == none ? graph_->nodes[holder->second].region
                                        : node.region + inner.firstRegion;
      node.timed = shifted(node.timed, inner.firstRegion);
      node.inside = node.inside == none ? holder->second : node.inside + firstNode;
      graph_->nodes.push_back(std::move(node));
    }
    if (!inner.isBody) // a child's regions belong to the graph
      return;
    graph_->regions.resize(inner.firstRegion); // no other regions are between them
    for (GraphNodes::Region region : drawn->regions) {
      region.parent = region.parent == none ? graph_->nodes[holder->second].region
                                            : region.parent + inner.firstRegion;
      region.inside = region.inside == none ? holder->second : region.inside + firstNode;
      graph_->regions.push_back(std::move(region));
    }
  }

  std::shared_ptr<const GraphNodes> finished() {
    graph_->looks = looksOf(*graph_);
    return graph_;
  }

private:
  void addTimes(std::span<const Region> regions) {
    for (std::uint32_t i = 0; i < regions.size(); ++i)
      if (const auto timed = numbers_.find(regions[i].node); timed != numbers_.end())
        graph_->nodes[timed->second].timed = i;
  }
  void describe(driver::Node node, std::optional<driver::NodeType> type, GraphNodes::Node &drawn) {
    if (!type) {
      drawn.type = drawn.name = "node";
      return;
    }
    drawn.type = nameOf(*type);
    if (drawn.timed != none) // its region has the name, for which the driver was asked already
      drawn.name = graph_->regions[drawn.timed].name;
    else
      drawn.name = isWork(*type) && *type != driver::NodeType::Graph
                       ? workOf(node, *type, services_).name
                       : std::string(drawn.type);
    if (type != driver::NodeType::Kernel || !occupancy_)
      return;
    if (const auto grid = driver::Occupancy::gridOf(node)) {
      drawn.blocks = grid->blocks;
      drawn.threads = grid->threads;
      drawn.resident = occupancy_->resident(node, *grid);
    }
  }

  Services &services_;
  std::optional<driver::Occupancy> occupancy_;
  const std::shared_ptr<GraphNodes> graph_ = std::make_shared<GraphNodes>();
  std::unordered_map<driver::Node, std::uint32_t> numbers_;
};

std::shared_ptr<const GraphNodes> picture(const Shape &shape, std::span<const driver::Node> ours,
                                          const Owners &owners, std::span<const Region> regions,
                                          std::span<const InnerGraph> inner, const Device *device,
                                          std::int64_t gapNs, Services &services) {
  const driver::RelaxedCapture relaxed; // names depend on where memory is
  const auto isChilds = [inner](std::uint32_t number) {
    return std::any_of(inner.begin(), inner.end(), [number](const InnerGraph &child) {
      return !child.isBody && number >= child.firstRegion &&
             number < child.firstRegion + child.table->regions.size();
    });
  };
  Numbers own;
  for (std::uint32_t i = 0; i < regions.size(); ++i)
    if (regions[i].kind == Kind::Region && !isChilds(i))
      own.push_back(i);
  Drawing drawing(regions, device, gapNs, services);
  drawing.addNodes(shape, ours, owners, own, regions);
  for (const InnerGraph &graph : inner)
    drawing.addInner(graph);
  return drawing.finished();
}

} // namespace

std::shared_ptr<const GraphNodes> draw(const Shape &shape, std::span<const driver::Node> ours,
                                       const Owners &owners, std::span<const Region> regions,
                                       std::span<const InnerGraph> inner, const Device *device,
                                       std::int64_t gapNs, Services &services) noexcept {
  std::shared_ptr<const GraphNodes> drawn;
  (void)survived(
      [&] { drawn = picture(shape, ours, owners, regions, inner, device, gapNs, services); });
  return drawn;
}

} // namespace graphprof
