// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Registry.h"

#include <algorithm>
#include <atomic>

#include "cuda/Driver.h"
#include "graph/Nodes.h"
#include "session/Session.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Whether the graph holds what no graph can be copied with.
bool isUnique(driver::Graph graph) {
  for (const driver::Node node : nodesOf(graph).value_or(std::vector<driver::Node>())) {
    driver::NodeType type{};
    if (!ok(cu().graphNodeGetType(node, &type)))
      continue;
    driver::Graph child = nullptr;
    if (type == driver::NodeType::MemAlloc || type == driver::NodeType::MemFree ||
        type == driver::NodeType::Conditional ||
        (type == driver::NodeType::Graph && ok(cu().graphChildGraphNodeGetGraph(node, &child)) &&
         isUnique(child)))
      return true;
  }
  return false;
}

std::uint64_t nextGraphNumber() {
  static std::atomic<std::uint64_t> number{0};
  return ++number;
}

} // namespace

Frontier::Status Frontier::read(driver::Stream stream, Frontier &frontier) {
  driver::CaptureStatus status{};
  const driver::Node *nodes = nullptr;
  const driver::EdgeData *edges = nullptr;
  std::size_t count = 0;
  if (!ok(cu().streamGetCaptureInfo(stream, &status, &frontier.captureId, &frontier.graph, &nodes,
                                    &edges, &count)))
    return Status::Refused;
  if (status == driver::CaptureStatus::None)
    return Status::Eager;
  if (status != driver::CaptureStatus::Active)
    return Status::Refused;
  frontier.nodes.assign(nodes, nodes + count);
  return Status::Capturing;
}

Registry::Registry(GraphClock &clock, driver::Stream origin, const Frontier &frontier)
    : clock_(clock), captureId_(frontier.captureId), origin_(origin) {
  const driver::Node root = clock_.addRoot(origin, frontier.graph, frontier.nodes);
  if (!root) {
    state_ = State::Inert;
    return;
  }
  timing_.push_back(root);
  if (clock_.kind() ==
      Clock::Event) // it stands in the stream, so a region that begins now shares it
    chains_.emplace(origin, Chain{0, {root}});
}

Registry::Registry(GraphClock &clock, std::uint64_t captureId)
    : clock_(clock), captureId_(captureId), state_(State::Inert) {}

Registry::Registry(GraphClock &clock, Profile profile)
    : clock_(clock), captureId_(0), timing_(std::move(profile.timing)),
      regions_(std::move(profile.regions)), profiled_(profile.graph), final_(profile.final),
      twins_(std::move(profile.twins)) {
  settled();
}

Registry::~Registry() {
  if (profiled_) {
    const driver::RelaxedCapture relaxed;
    if (relaxed)
      cu().graphDestroy(profiled_);
  }
}

Registry::State Registry::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

bool Registry::hasRegions() const {
  const std::lock_guard lock(mutex_);
  return !regions_.empty();
}

bool Registry::claim() {
  if (claimed_.exchange(true))
    spoil();
  return !spoiled();
}

void Registry::spoil() { *spoiled_ = true; }

std::size_t Registry::unused() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::Split && !used_ ? table_->regions.size() : 0;
}

std::size_t Registry::open(const Site &site, std::vector<Value> context, int depth,
                           driver::Stream stream, const Frontier &frontier) {
  Session &session = Session::instance();
  const std::lock_guard lock(mutex_);
  if (regions_.size() >= session.config().maxRegions) {
    ++session.counters.notMarked;
    return noRegion;
  }
  const std::uint32_t begin =
      state_ == State::Capturing ? boundary(stream, frontier) : Region::unfinished;
  if (begin == Region::unfinished) {
    ++session.counters.incomplete;
    return noRegion;
  }
  std::string name = session.nameOf(site, context);
  regions_.push_back(Region{&site, std::move(context), std::move(name), depth, begin});
  return regions_.size() - 1;
}

void Registry::close(std::size_t region, driver::Stream stream, const Frontier &frontier) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::Capturing)
    regions_[region].end = boundary(stream, frontier);
}

void Registry::discard(std::size_t region) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::Capturing && region + 1 == regions_.size())
    regions_.pop_back();
}

std::uint32_t Registry::boundary(driver::Stream stream, const Frontier &frontier) {
  // Nothing precedes this boundary: it is where the replay begins.
  if (frontier.nodes.empty())
    return 0;
  const auto found = chains_.find(stream);
  if (found != chains_.end() && found->second.frontier == frontier.nodes)
    return found->second.last;

  const driver::Node previous =
      found != chains_.end() ? timing_[found->second.last] : timing_.front();
  const driver::Node node = clock_.addBoundary(stream, frontier.graph, frontier.nodes, previous);
  if (!node)
    return Region::unfinished;
  timing_.push_back(node);

  const auto index = static_cast<std::uint32_t>(timing_.size() - 1);
  // A clock that records in the stream has moved its frontier.
  Chain chain{index, frontier.nodes};
  if (clock_.kind() == Clock::Event)
    chain.frontier = {node};
  chains_.insert_or_assign(stream, std::move(chain));
  return index;
}

bool Registry::split(driver::Graph graph, std::string &why) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::Capturing)
    return true;
  state_ = State::Inert;

  const bool timed = !regions_.empty();
  std::unordered_map<driver::Node, driver::Node> twins;
  if (timed) {
    if (!ok(cu().graphClone(&profiled_, graph))) {
      profiled_ = nullptr;
      if (isUnique(graph))
        return stayIn(graph, why);
      why = "the driver refused to clone it";
    } else if (const auto nodes = nodesOf(graph); !nodes || !findTwins(*nodes, profiled_, twins)) {
      why = "a node was not found in the graph's clone";
    }
  }

  // Newest first: an event's neighbours are then put together once. A refusal is not taken for the
  // last word: what stays would make the graph another one than the program's.
  std::vector<driver::Node> profiledTiming(timing_.size());
  for (std::size_t k = timing_.size(); k-- > 0;) {
    if (!clock_.remove(graph, timing_[k]) && !clock_.remove(graph, timing_[k]) && why.empty())
      why = "a timing node could not be taken out of the graph";
    if (const auto found = twins.find(timing_[k]); found != twins.end()) {
      profiledTiming[k] = found->second;
      twins.erase(found);
    }
  }
  if (!timed)
    return true;
  timing_ = std::move(profiledTiming);
  twins_ = std::move(twins);
  const auto sinks = why.empty() ? sinksOf(profiled_) : std::nullopt;
  if (why.empty() && !(sinks && clock_.finish(profiled_, timing_, *sinks, final_)))
    why = "the driver refused the node that publishes a replay";
  if (!why.empty()) {
    if (profiled_)
      cu().graphDestroy(profiled_);
    profiled_ = nullptr;
    return false;
  }

  settled();
  return true;
}

bool Registry::stayIn(driver::Graph graph, std::string &why) {
  const driver::RelaxedCapture relaxed;
  std::shared_ptr<ReplayBuffer> buffer = relaxed ? clock_.makeBuffer(timing_.size()) : nullptr;
  const auto sinks = sinksOf(graph);
  if (!buffer || !sinks || !clock_.finish(graph, timing_, *sinks, final_)) {
    why = "its nodes cannot be copied (memory or conditional nodes), and it takes none of ours";
    if (buffer)
      buffer->retire();
    return false;
  }
  // Some nodes may write to the buffer even where the driver refuses others: then nobody else may.
  if (!buffer->bind(timing_, final_)) {
    why = "its nodes cannot be copied (memory or conditional nodes), nor ours changed";
    return false;
  }
  inPlace_ =
      std::shared_ptr<ReplayBuffer>(buffer.get(), [buffer, spoiled = spoiled_](ReplayBuffer *last) {
        if (!*spoiled)
          last->retire();
      });
  settled();
  return true;
}

void Registry::settled() {
  auto table = std::make_shared<RegionTable>();
  table->graphNumber = nextGraphNumber();
  table->regions = std::move(regions_);
  table->boundaries = static_cast<std::uint32_t>(timing_.size());
  table->clock = &clock_;
  table_ = std::move(table);
  state_ = State::Split;
}

driver::Node Registry::twin(driver::Node node) const {
  const std::lock_guard lock(mutex_);
  const auto found = twins_.find(node);
  return found == twins_.end() ? nullptr : found->second;
}

std::shared_ptr<Registry> Registry::cloned(driver::Graph clone) const {
  const std::lock_guard lock(mutex_);
  auto other = std::make_shared<Registry>(clock_, captureId_);
  if (!ok(cu().graphClone(&other->profiled_, profiled_)))
    return nullptr;
  const auto inClone = [](driver::Node node, driver::Graph graph) {
    driver::Node found = nullptr;
    return ok(cu().graphNodeFindInClone(&found, node, graph)) ? found : nullptr;
  };
  for (const driver::Node node : timing_)
    other->timing_.push_back(inClone(node, other->profiled_));
  other->final_ = inClone(final_, other->profiled_);
  for (const auto &[node, twin] : twins_)
    other->twins_.emplace(inClone(node, clone), inClone(twin, other->profiled_));
  auto table = std::make_shared<RegionTable>(*table_);
  table->graphNumber = nextGraphNumber();
  other->table_ = std::move(table);
  other->state_ = State::Split;
  return other;
}

bool Registry::edited() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::Split || edited_)
    return false;
  edited_ = true;
  return true;
}

bool Registry::usable() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::Split && !edited_;
}

} // namespace graphprof
