// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/Edges.h"

#include <algorithm>
#include <optional>

#include "clock/Device.h"
#include "clock/StampLayout.h"
#include "cuda/Driver.h"
#include "cuda/Occupancy.h"
#include "graph/topology/Nodes.h"
#include "graph/topology/Reduction.h"

namespace graphprof {

using driver::cu;
using driver::isWhole;
using driver::ok;

namespace {

std::vector<bool> timelessNodes(const Shape &shape) {
  std::vector<bool> are(shape.created().size());
  for (std::size_t place = 0; place < are.size(); ++place)
    are[place] = isEventNode(shape.typeOf(place)) || shape.typeOf(place) == driver::NodeType::Empty;
  return are;
}

// Behind such a node the driver begins another piece of the graph. A stamp that waits for a stamp
// of an earlier piece comes when the first kernel of its own piece ends (H200, driver 580).
bool beginsPiece(std::optional<driver::NodeType> type) {
  switch (type.value_or(driver::NodeType::Host)) {
  case driver::NodeType::Kernel:
  case driver::NodeType::Graph:
  case driver::NodeType::Empty:
    return false;
  default:
    return true;
  }
}

// In kernels. A join costs 0.3 to 0.8 us, an open branch 0.075 us a kernel (H200, driver 580). A
// join 2 to 40 kernels behind its stamp costs the same, at 100 it is dearer.
constexpr std::size_t farFromNext = 10, firstToJoin = 4, lastToJoin = 40;

class EdgeChooser {
public:
  EdgeChooser(const Shape &shape, const JaggedArray<std::size_t> &boundaries,
              const EdgeSupport &support, const Device &device, OwnEnds ends)
      : shape_(shape), boundaries_(boundaries), support_(support), device_(device), ends_(ends),
        reduction_(shape, timelessNodes(shape)), occupancy_(device.properties()),
        isAlone_(shape.created().size(), true), isEarly_(shape.created().size(), false),
        isProgrammatic_(shape.created().size(), false),
        isInNewPiece_(shape.created().size(), false), hasEvents_(hasEventNodes(shape)),
        hasOneBranch_(hasOneBranch(shape, reduction_)) {
    if (hasEvents_ && support.launchCompletion && hasOneBranch_)
      joins_.emplace(shape, reduction_, device);
    for (std::size_t boundary = 1; boundary < boundaries.size(); ++boundary)
      if (boundaries[boundary].size() > 1)
        for (const std::size_t place : boundaries[boundary])
          isAlone_[place] = false;
    for (std::size_t place = 0; place < shape.created().size(); ++place)
      for (std::size_t i = 0; i < shape.placesBefore(place).size(); ++i)
        if (const driver::EdgeData &edge = shape.edgesTo(place)[i]; !isWhole(edge)) {
          if (edge.fromPort == driver::portProgrammatic)
            isEarly_[shape.placesBefore(place)[i]] = true;
          isProgrammatic_[shape.placesBefore(place)[i]] = isProgrammatic_[place] = true;
        }
  }

  [[nodiscard]] TimingEdges made() {
    TimingEdges edges = TimingEdges::completion(boundaries_.size(), joinsOfRoot(shape_, device_));
    if (!isTrue())
      return edges;
    edges.isJoined = joins_.has_value();
    edges.isOneBranch = hasOneBranch_;
    findPieces();
    for (std::size_t boundary = 0; boundary < boundaries_.size(); ++boundary) {
      choose(boundary, edges);
      edges.gapCauses.push_back(causeOf(boundary));
    }
    // A joined root has a Join, as any boundary. A root on a kernel's launch waits itself.
    if (joins_ || edges.boundaries[0].edge != StampEdge::Completion)
      edges.behindRoot.clear();
    if (ends_ != OwnEnds::None && !joins_)
      stampEnds(edges);
    endAround(edges);
    if (hasOneBranch_ && !hasEvents_)
      joinAgain(edges);
    return edges;
  }

  // As isTrueIn().
  [[nodiscard]] bool isTrue() const { return !hasEvents_ || !support_.launchCompletion || joins_; }

private:
  // The table of Edges.h.
  void choose(std::size_t boundary, TimingEdges &edges) {
    const auto frontier = boundaries_[boundary];
    BoundaryEdge &edge = edges.boundaries[boundary];
    Join &join = edges.joins[boundary];
    if (joins_)
      join = joins_->behind(frontier,
                            frontier.empty() ? std::nullopt : std::optional(frontier.back()));
    if (frontier.size() > 1)
      return;
    if (frontier.size() == 1 && isEarly_[frontier.front()] && isKernel(frontier.front())) {
      if (support_.programmatic)
        edge = {StampEdge::Programmatic, frontier.front()};
      return;
    }
    if (!support_.launchCompletion || (!frontier.empty() && isInNewPiece_[frontier.front()]))
      return;
    const std::optional<std::size_t> next =
        frontier.empty() ? onlyRoot() : onlyFollower(frontier.front());
    if (!next || !isKernel(*next) || isProgrammatic_[*next] || !isOnDevice(*next))
      return;
    const driver::Node kernel = shape_.created()[*next];
    const auto grid = driver::Occupancy::gridOf(kernel);
    if (grid && beginIsRead(occupancy_, kernel, *grid, stampThreads, joins_.has_value())) {
      edge = {StampEdge::LaunchCompletion, *next};
      join = {joins_ ? joins_->kernelBehind(*next) : Join::nobody, stampThreads};
      return;
    }
    const auto work = frontier.empty() ? std::nullopt : reduction_.workAt(frontier.front());
    const auto inChain = joins_ && support_.programmatic && work ? joins_->at(*next) : std::nullopt;
    if (inChain) {
      edge = {StampEdge::BeforeSuccessor, *work, *next};
      join = *inChain;
    } else if (!frontier.empty() && mayWaitBeside(frontier.front())) {
      waitBeside(frontier.front(), edge, join);
    }
  }

  // A stamp may be on the device while that node runs, and wait for its end. Not if kernels of
  // other branches may need the room: that one may wait for them.
  [[nodiscard]] bool mayWaitBeside(std::size_t place) {
    return !joins_ && hasOneBranch_ && support_.around && isKernel(place) &&
           !isProgrammatic_[place] && isOnDevice(place) &&
           occupancy_.leavesRoom(shape_.created()[place], stampThreads);
  }
  static void waitBeside(std::size_t place, BoundaryEdge &edge, Join &join) {
    edge = {StampEdge::WaitsBeside, place};
    join = {Join::nobody, stampThreads};
  }

  // Why what is behind a boundary does not begin at once.
  [[nodiscard]] GapCause causeOf(std::size_t boundary) {
    const auto frontier = boundaries_[boundary];
    if (frontier.size() != 1)
      return GapCause::Unknown;
    const auto next = reduction_.onlyFollower(frontier.front());
    if (!next)
      return reduction_.isFollowedByJoin(frontier.front()) ? GapCause::Dependency
                                                           : GapCause::Unknown;
    if (!isKernel(*next) || !isOnDevice(*next))
      return GapCause::Unknown;
    if (!occupancy_.leavesRoom(shape_.created()[*next], stampThreads))
      return GapCause::DeviceFull;
    // Beside other branches it may also have waited for room.
    return hasOneBranch_ ? GapCause::Launch : GapCause::Unknown;
  }

  // Moves every second stamp of a chain from the next kernel's begin to the end before it, if that
  // is the end of a kernel whose begin is known.
  void stampEnds(TimingEdges &edges) {
    std::vector<bool> hasBegin(shape_.created().size(), false), knowsBegin = hasBegin;
    for (const BoundaryEdge &boundary : edges.boundaries)
      if (boundary.edge == StampEdge::LaunchCompletion)
        hasBegin[boundary.at] = knowsBegin[boundary.at] = true;
      else if (boundary.edge == StampEdge::WaitsBeside)
        if (const auto next = onlyFollower(boundary.at))
          knowsBegin[*next] = true;
    std::vector<bool> isSecond(shape_.created().size(), false); // by place, in its chain
    for (const std::size_t place : inOrder())
      if (const auto before = shape_.placesBefore(place); before.size() == 1)
        isSecond[place] = !isSecond[before.front()];
    for (std::size_t number = 1; number < boundaries_.size(); ++number) {
      BoundaryEdge &boundary = edges.boundaries[number];
      if (boundary.edge != StampEdge::LaunchCompletion)
        continue;
      const std::size_t kernel = boundaries_[number].front();
      if (!knowsBegin[kernel] || isSecond[kernel] != (ends_ == OwnEnds::SecondHalf))
        continue;
      boundary = {};
      edges.joins[number] = {};
      if (!hasBegin[kernel] && mayWaitBeside(kernel))
        waitBeside(kernel, boundary, edges.joins[number]);
    }
  }

  // Places, each after those that it waits for.
  [[nodiscard]] std::vector<std::size_t> inOrder() const {
    std::vector<std::size_t> places;
    places.reserve(shape_.order().size());
    for (const driver::Node node : shape_.order())
      places.push_back(shape_.createdAt(node));
    return places;
  }

  // A boundary behind a kernel that has a stamp at its begin, where the next has none: that stamp
  // stays and reads the end, too. A stamp of its own would come when all blocks of the next kernel
  // have found room; at the graph's end it would be one more node for which the next launch waits.
  void endAround(TimingEdges &edges) const {
    if (!support_.around || edges.isJoined)
      return;
    std::vector<unsigned> begins(shape_.created().size(), 0); // by place: stamps there
    for (const BoundaryEdge &boundary : edges.boundaries)
      if (boundary.edge == StampEdge::LaunchCompletion)
        ++begins[boundary.at];
    for (std::size_t number = 1; number < boundaries_.size(); ++number) {
      const auto frontier = boundaries_[number];
      BoundaryEdge &boundary = edges.boundaries[number];
      if (frontier.size() != 1 || begins[frontier.front()] != 1 ||
          (boundary.edge != StampEdge::Completion && boundary.edge != StampEdge::WaitsBeside))
        continue;
      const bool isEnd = number + 1 == boundaries_.size() &&
                         shape_.after(shape_.created()[frontier.front()]).empty();
      if (!isEnd && !hasOneBranch_) // as mayWaitBeside()
        continue;
      boundary = {StampEdge::SharedWithBegin, frontier.front()};
      edges.joins[number] = {};
      begins[frontier.front()] = 0; // one node is one end
    }
  }

  // While a branch of stamps is open, each kernel behind it costs more, to the graph's end. So a
  // stamp that is far from the next one is joined into a kernel a little behind it, where it is
  // over long before. Nearer, the join costs more than the open branch.
  void joinAgain(TimingEdges &edges) const {
    std::optional<Joins> joins;
    std::vector<std::size_t> kernels; // before each place
    kernels.reserve(shape_.created().size() + 1);
    for (std::size_t place = 0, count = 0; place <= shape_.created().size(); ++place) {
      kernels.push_back(count);
      count += place < shape_.created().size() && isKernel(place) ? 1 : 0;
    }
    const std::vector<std::size_t> begins = branchBegins(edges);
    std::size_t next = shape_.created().size(); // where the next stamp is
    for (std::size_t number = begins.size(); number-- > 0;) {
      const std::size_t begin = begins[number];
      if (begin == Join::nobody)
        continue;
      if (kernels[next] - kernels[begin] > farFromNext) {
        if (!joins)
          joins.emplace(shape_, reduction_, device_);
        Join &join = edges.joins[number];
        if (const auto found = joinBehind(*joins, begin, next, kernels))
          join = {found->by, std::min(join.threads, found->threads)};
      }
      next = begin;
    }
  }

  // By boundary: the place of the node at which its stamp leaves the chain; nobody: it has no stamp
  // of its own, or one in front of all that the first kernels wait for.
  [[nodiscard]] std::vector<std::size_t> branchBegins(const TimingEdges &edges) const {
    std::vector<std::size_t> begins(boundaries_.size(), Join::nobody);
    for (std::size_t number = 0; number < begins.size(); ++number) {
      const BoundaryEdge &boundary = edges.boundaries[number];
      if (boundary.edge == StampEdge::Completion) {
        if (number > 0)
          begins[number] = boundaries_[number].back();
      } else if (boundary.edge != StampEdge::SharedWithBegin) {
        begins[number] = boundary.at;
      }
    }
    return begins;
  }

  // The kernel that waits for a stamp at `begin`, of those before the stamp at `next`.
  [[nodiscard]] std::optional<Join> joinBehind(const Joins &joins, std::size_t begin,
                                               std::size_t next,
                                               const std::vector<std::size_t> &kernels) const {
    for (std::size_t place = begin + 1; place < next; ++place) {
      const std::size_t behind = kernels[place] - kernels[begin];
      if (behind >= lastToJoin)
        break;
      if (behind < firstToJoin || isProgrammatic_[place])
        continue;
      if (const auto join = joins.at(place))
        return join;
    }
    return std::nullopt;
  }

  // Joined stamps do not wait for other stamps, so pieces do not matter to them.
  void findPieces() {
    if (hasEvents_)
      return;
    std::vector<bool> hasBoundary(shape_.created().size(), false);
    for (std::size_t boundary = 1; boundary < boundaries_.size(); ++boundary)
      if (boundaries_[boundary].size() == 1)
        hasBoundary[boundaries_[boundary].front()] = true;
    for (std::size_t place = 0; place < shape_.created().size(); ++place)
      isInNewPiece_[place] =
          beginsPiece(shape_.typeOf(place)) ||
          std::ranges::any_of(shape_.placesBefore(place), [&](std::size_t before) {
            return isInNewPiece_[before] && !hasBoundary[before];
          });
  }

  // The node with which the replay begins, if it is the only one and was created before all others.
  // Event nodes and empty ones are ignored.
  [[nodiscard]] std::optional<std::size_t> onlyRoot() const {
    std::optional<std::size_t> root;
    for (std::size_t place = 0; place < shape_.created().size(); ++place) {
      if (reduction_.isTransparent(place))
        continue;
      if (reduction_.isRoot(place) == root.has_value())
        return std::nullopt;
      if (!root)
        root = place;
    }
    return root;
  }

  [[nodiscard]] std::optional<std::size_t> onlyFollower(std::size_t place) const {
    return isAlone_[place] ? reduction_.onlyFollower(place) : std::nullopt;
  }

  [[nodiscard]] bool isKernel(std::size_t place) const {
    return shape_.typeOf(place) == driver::NodeType::Kernel;
  }

  // The device on which the stamps run.
  [[nodiscard]] bool isOnDevice(std::size_t place) const {
    driver::KernelNodeParams params{};
    return ok(cu().graphKernelNodeGetParams(shape_.created()[place], &params)) &&
           (!params.context || params.context == device_.context());
  }

  const Shape &shape_;
  const JaggedArray<std::size_t> &boundaries_;
  const EdgeSupport &support_;
  const Device &device_;
  const OwnEnds ends_;
  const Reduction reduction_; // event nodes and empty ones are transparent in it
  driver::Occupancy occupancy_;
  // By place:
  std::vector<bool> isAlone_;        // no boundary is behind it and other nodes
  std::vector<bool> isEarly_;        // what follows it may begin before it ends
  std::vector<bool> isProgrammatic_; // an edge from it or to it is programmatic
  std::vector<bool> isInNewPiece_;   // the stamp before it is in an earlier piece of the graph
  const bool hasEvents_, hasOneBranch_;
  std::optional<Joins> joins_; // for event nodes in one branch
};

} // namespace

bool beginIsRead(driver::Occupancy &occupancy, driver::Node kernel, const driver::Grid &grid,
                 unsigned threads, bool isJoined) {
  return occupancy.leavesRoom(kernel, grid, threads) && (isJoined || occupancy.leavesTime(grid));
}

bool hasOneBranch(const Shape &shape) {
  return hasOneBranch(shape, Reduction(shape, timelessNodes(shape)));
}

bool isTrueIn(const Shape &shape, const EdgeSupport &support) {
  return !support.launchCompletion || !hasEventNodes(shape) || hasOneBranch(shape);
}

bool holdsKernels(const Shape &shape) {
  for (std::size_t place = 0; place < shape.created().size(); ++place)
    switch (shape.typeOf(place).value_or(driver::NodeType::Kernel)) {
    case driver::NodeType::Kernel:
    case driver::NodeType::Graph:
    case driver::NodeType::Conditional:
      return true;
    default:
      break;
    }
  return false;
}

bool hasProgrammaticEdges(const Shape &shape) {
  for (std::size_t place = 0; place < shape.created().size(); ++place)
    if (!std::ranges::all_of(shape.edgesTo(place), isWhole))
      return true;
  return false;
}

bool isEventNode(std::optional<driver::NodeType> type) {
  return type == driver::NodeType::WaitEvent || type == driver::NodeType::EventRecord;
}

bool hasEventNodes(const Shape &shape) {
  for (std::size_t place = 0; place < shape.created().size(); ++place)
    if (isEventNode(shape.typeOf(place)) ||
        (shape.typeOf(place) == driver::NodeType::Graph && holdsEventNodes(shape.created()[place])))
      return true;
  return false;
}

bool holdsEventNodes(driver::Node node) {
  driver::NodeType type{};
  if (!ok(cu().graphNodeGetType(node, &type)))
    return false;
  driver::Graph inner = nullptr;
  if (type != driver::NodeType::Graph || !ok(cu().graphChildGraphNodeGetGraph(node, &inner)))
    return isEventNode(type);
  return std::ranges::any_of(nodesOf(inner).value_or(Nodes()), holdsEventNodes);
}

TimingEdges TimingEdges::completion(std::size_t boundaries, const RootJoins &ofRoot) {
  TimingEdges edges{std::vector<BoundaryEdge>(boundaries),
                    std::vector<Join>(boundaries),
                    ofRoot.by,
                    false,
                    {},
                    false};
  edges.joins[0].threads = ofRoot.threads;
  return edges;
}

bool TimingEdges::allComplete() const {
  return std::ranges::all_of(boundaries, [](const BoundaryEdge &boundary) {
    return boundary.edge == StampEdge::Completion;
  });
}

std::vector<StampEdge> TimingEdges::kinds() const {
  std::vector<StampEdge> kinds;
  if (allComplete())
    return kinds;
  kinds.reserve(boundaries.size());
  for (const BoundaryEdge &boundary : boundaries)
    kinds.push_back(boundary.edge);
  return kinds;
}

Nodes TimingEdges::kernels(const Shape &shape) const {
  Nodes nodes;
  for (const BoundaryEdge &boundary : boundaries)
    nodes.push_back(boundary.edge == StampEdge::LaunchCompletion ? shape.created()[boundary.at]
                                                                 : nullptr);
  return std::ranges::any_of(nodes, [](driver::Node node) { return node != nullptr; }) ? nodes
                                                                                       : Nodes();
}

std::vector<WaitingKernel> TimingEdges::waiting(const Shape &shape) const {
  std::vector<WaitingKernel> kernels;
  kernels.reserve(behindRoot.size() + joins.size());
  for (const std::size_t place : behindRoot)
    kernels.push_back({shape.created()[place], joins[0].threads});
  // For a stamp at its begin, the kernel right behind it waits in a joined graph, whatever it
  // needs.
  for (std::size_t i = 0; i < joins.size(); ++i)
    if (joins[i].by != Join::nobody &&
        !(isJoined && boundaries[i].edge == StampEdge::LaunchCompletion))
      kernels.push_back({shape.created()[joins[i].by], joins[i].threads});
  return kernels;
}

std::vector<unsigned> TimingEdges::threads() const {
  std::vector<unsigned> threads;
  threads.reserve(joins.size());
  for (const Join &join : joins)
    threads.push_back(join.threads);
  return threads;
}

std::uint64_t TimingEdges::structure() const {
  std::uint64_t number = 0;
  const auto add = [&number](std::uint64_t next) { number = number * 31 + next + 1; };
  for (const StampEdge edge : kinds())
    add(static_cast<std::uint64_t>(edge));
  for (const std::size_t place : behindRoot)
    add(place);
  for (const Join &join : joins)
    add(join.by);
  return number * 2 + (isJoined ? 1 : 0);
}

TimingEdges chooseEdges(const Shape &shape, const JaggedArray<std::size_t> &boundaries,
                        const EdgeSupport &support, const Device &device, OwnEnds ends) {
  if (!support.launchCompletion && !support.programmatic)
    return TimingEdges::completion(boundaries.size(), joinsOfRoot(shape, device));
  return EdgeChooser(shape, boundaries, support, device, ends).made();
}

} // namespace graphprof
