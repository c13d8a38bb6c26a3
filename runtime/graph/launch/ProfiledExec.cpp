// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/ProfiledExec.h"

#include <algorithm>
#include <utility>

#include "Thrown.h"
#include "cuda/Driver.h"
#include "graph/memory/GraphMemory.h"
#include "graph/registry/Children.h"
#include "graph/registry/RebuiltTiming.h"
#include "graph/timing/Edges.h"
#include "graph/timing/KernelTwins.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;
using internal::ChildChange;
using internal::Launch;

namespace {

/// Destroys an exec and retires its buffer, unless both are taken.
class MadeExec {
public:
  MadeExec(driver::Exec exec, std::shared_ptr<ReplayBuffer> buffer)
      : exec_(exec), buffer_(std::move(buffer)) {}
  ~MadeExec() {
    if (!buffer_)
      return;
    if (exec_)
      cu().graphExecDestroy(exec_);
    buffer_->retire();
  }
  MadeExec(const MadeExec &) = delete;
  MadeExec &operator=(const MadeExec &) = delete;

  [[nodiscard]] driver::Exec exec() const { return exec_; }
  [[nodiscard]] ReplayBuffer &buffer() const { return *buffer_; }
  [[nodiscard]] std::shared_ptr<ReplayBuffer> take() { return std::move(buffer_); }

private:
  const driver::Exec exec_; // null: the driver refused it
  std::shared_ptr<ReplayBuffer> buffer_;
};

/// Of a kernel whose begin is known, too.
bool stampsEnds(const RegionTable &table) {
  return std::ranges::any_of(table.regions, [&](const Region &region) {
    return !region.isElsewhere && region.kind == Kind::Kernel && table.knowsBegin(region.begin) &&
           table.endsOf(region) == Ends::Completion;
  });
}

/// An exec of the graph, updated from `latest` if that is given, with its buffer; the rest is the
/// caller's.
Expected<TimedExec> instantiate(ExecContext &context, const TimedGraph &timed,
                                const TimedGraph *latest) {
  GraphMemory::OwnPart own(context.memory.isOn() ? &context.memory : nullptr);
  context.reserveBuffer();
  auto buffer = timed.table->clock->makeBuffer(timed.bufferNeeds());
  if (!buffer)
    return Failure{"no memory for the times of its replays; lower GRAPHPROF_RING_DEPTH"};
  // The program's upload applied to its own exec and its own stream.
  const driver::Exec exec = timed.instantiate(*buffer, context.flags & ~driver::instantiateUpload);
  MadeExec made(exec, std::move(buffer));
  if (exec)
    made.buffer().attach(timed.clockNodes());
  if (!exec || (latest && !latest->update(exec, made.buffer())))
    return Failure{"the driver refused the profiled exec; free device memory"};
  TimedExec result;
  result.exec = exec;
  result.buffer = made.take();
  context.addBuffer(result.buffer);
  context.launches.note();
  if (context.memory.isOn()) {
    context.memory.own(own.end(), timed.table->graphNumber);
    context.memory.ownExecMade(timed.table->graphNumber);
  }
  return result;
}

} // namespace

Expected<std::unique_ptr<ExecTiming>> ProfiledExec::make(ExecContext &context, ExecOrigin from,
                                                         std::shared_ptr<const RegionTable> table,
                                                         ExecLimit::Place &place) {
  const auto sources = from.sources();
  const auto timed = sources.registry->timed(),
             latest = sources.latest ? sources.latest->timed() : nullptr;
  auto profiled = std::make_unique<ProfiledExec>(context, std::move(from), timed->table);
  auto made = instantiate(context, *timed, latest.get());
  if (!made)
    return made.failure();
  if (latest)
    context.plan.keepWhole();
  if (timed->table->clock->kind() == Clock::Event) // a launch sets the events of its nodes
    profiled->from_.keep(sources.registry);
  if (!context.limit.isSet())
    profiled->from_.dropLatest();
  made->table = std::move(table);
  made->place = std::move(place);
  profiled->whole_ = std::move(*made);
  profiled->twinsFollow(latest ? latest : timed);
  return std::unique_ptr<ExecTiming>(std::move(profiled));
}

ProfiledExec::ProfiledExec(ExecContext &context, ExecOrigin from,
                           std::shared_ptr<const RegionTable> made)
    : ExecTiming(context), from_(std::move(from)), made_(std::move(made)) {}

ProfiledExec::~ProfiledExec() {
  dropParts();
  release(whole_);
}

void ProfiledExec::release(TimedExec &timed) noexcept {
  if (!timed.exec)
    return;
  if (!context().deferBufferReuse(timed))
    context().dropBuffer(timed.buffer);
  // After a device reset that was not seen, the handle belongs to another exec, if any.
  if (context().device->isAlive()) {
    const driver::RelaxedCapture relaxed; // otherwise destroying an exec invalidates a capture
    if (relaxed)
      cu().graphExecDestroy(timed.exec); // running replays still finish
  }
  timed = {};
  context().launches.mayHaveUnretired = true;
}

void ProfiledExec::changing() noexcept {
  keepWhole();
  loseTwins("the program set a node of its exec; it runs its timed twin again from the next update "
            "of the exec on");
}

void ProfiledExec::keepWhole() noexcept {
  dropParts();
  context().plan.keepWhole();
}

// An update gives every node what the graph says, but nodes that are disabled stay so. The variant
// is made again when it is next launched, which takes as long as to instantiate the graph: so not
// for an exec that is updated all the time.
void ProfiledExec::twinsFollow(std::shared_ptr<const TimedGraph> now) noexcept {
  constexpr unsigned mostMade = 16;
  twinsFrom_.reset();
  if (!now->twinsFrom)
    return;
  twinsFrom_ = std::move(now);
  if (from_.isEdited())
    loseTwins("nodes of its exec were enabled or disabled; instantiate a new exec");
  else if (twinsMade_ >= mostMade)
    loseTwins("its exec is updated often");
}

void ProfiledExec::loseTwins(std::string_view why) noexcept {
  release(twins_);
  if (const auto from = std::exchange(twinsFrom_, nullptr))
    loseInside(from->table->twinned.size(), why, context().services);
}

void ProfiledExec::dropParts() noexcept {
  release(bare_);
  release(twins_);
  releaseParts();
}

void ProfiledExec::releaseParts() noexcept {
  for (auto *const execs : {&parts_, &ends_}) {
    for (TimedExec &part : *execs)
      release(part);
    execs->clear();
  }
}

bool ProfiledExec::writesTo(const ReplayBuffer *buffer) const noexcept {
  const auto isOfOne = [buffer](const TimedExec &timed) { return buffer == timed.buffer.get(); };
  return isOfOne(whole_) || isOfOne(bare_) || isOfOne(twins_) ||
         std::ranges::any_of(parts_, isOfOne) || std::ranges::any_of(ends_, isOfOne);
}

// One that was edited could not be made again. And the program may be about to repeat an edit on it
// just now, without the lock: it has the handle from twin().
std::unique_ptr<ExecTiming> ProfiledExec::makeRoom() noexcept {
  if (from_.isEdited())
    return nullptr;
  std::unique_ptr<ExecTiming> deferred;
  const bool isMade = survived([&] {
    const auto [registry, latest] = from_.sources();
    if (registry)
      deferred =
          std::make_unique<DeferredExec>(context(), from_, (latest ? latest : registry)->table());
  });
  return isMade ? std::move(deferred) : nullptr;
}

Launch ProfiledExec::launch(const LaunchCall &call) {
  LaunchOrder &order = context().order;
  RecordingPlan &plan = context().plan;
  Counters &counters = context().services.counters;
  const bool mayTime = call.recording && held_.empty();
  const Take take = mayTime ? nextTake(call.number) : Take{};
  TimedExec *const timed = mayTime ? execFor(take) : nullptr;
  const bool isLeftOut = mayTime && !timed;
  order.begin(call);
  if (timed && order.lacksMark(call)) {
    ++(plan.samples() ? counters.notSampled : counters.notLaunched);
    plan.postpone();
    return order.launchPlain(call, true, context().device);
  }
  if (timed && launchTimed(*timed, call, take.isSample))
    return Launch::Done;
  if (isLeftOut)
    ++counters.notSampled;
  else if (call.recording)
    ++counters.notLaunched;
  // The next launch, which will be recorded, may have to wait for this one.
  const bool mark = isLeftOut && order.changesStreams() && plan.takesNext();
  return order.launchPlain(call, mark, context().device);
}

bool ProfiledExec::launchTimed(TimedExec &timed, const LaunchCall &call, bool isSample) {
  if (!context().order.waitForLast(call, timed.buffer.get()) ||
      !timed.buffer->arm(timed.exec, true))
    return false;
  const std::int64_t launchNs = context().launches.note();
  if (!launchExec(timed.exec, call))
    return false;
  context().order.launched(call, timed.exec, timed.buffer);
  context().launched(timed, call, launchNs, isSample);
  return true;
}

Take ProfiledExec::nextTake(std::uint64_t launch) {
  Take take = context().plan.next(launch);
  if (take.what == Take::What::Whole && twinsFrom_ && context().plan.takesTwins())
    take.what = Take::What::Twins;
  return take;
}

TimedExec *ProfiledExec::execFor(const Take &take) {
  if (take.what == Take::What::Nothing)
    return nullptr;
  if (take.what == Take::What::Whole)
    return &whole_;
  if (take.what == Take::What::Part && parts_.size() != take.parts) {
    releaseParts();
    parts_.resize(take.parts);
    ends_.resize(std::size_t{2} * take.parts);
  }
  if (take.ends != OwnEnds::None)
    if (TimedExec *const stampsEnds = execForEnds(take))
      return stampsEnds;
  TimedExec &part = take.what == Take::What::Bare    ? bare_
                    : take.what == Take::What::Twins ? twins_
                                                     : parts_[take.part];
  if (part.exec || makePart(part, {take.what, take.part, take.parts}))
    return &part;
  if (take.what == Take::What::Twins) {
    loseTwins("there is no memory, or no place, for a second exec");
    return &whole_;
  }
  keepWhole();
  return nullptr;
}

// Without it, ends are not measured, and the part is recorded as ever.
TimedExec *ProfiledExec::execForEnds(const Take &take) {
  TimedExec &timed = ends_[std::size_t{2} * take.part + (take.ends == OwnEnds::SecondHalf ? 1 : 0)];
  if (!timed.exec && !timed.isRefused)
    timed.isRefused = !makePart(timed, take);
  return timed.exec ? &timed : nullptr;
}

// Where parts cannot be had, for lack of memory or places, whole replays are recorded less often.
bool ProfiledExec::makePart(TimedExec &part, const Take &take) {
  const driver::RelaxedCapture relaxed;
  if (!relaxed || !context().device->isAlive())
    return false;
  const driver::CurrentContext current(context().device->context());
  bool isMade = false;
  return survived([&] {
           auto place = context().limit.spare(context().pair.lock());
           const auto timed = place ? graphFor(take) : nullptr;
           if (!timed || (take.ends != OwnEnds::None && !stampsEnds(*timed->table)))
             return;
           auto made = instantiate(context(), *timed, nullptr);
           if (!made)
             return;
           made->table = timed->table;
           made->part = timed;
           made->take = take;
           made->place = std::move(*place);
           part = std::move(*made);
           isMade = true;
         }) &&
         isMade;
}

std::shared_ptr<const TimedGraph> ProfiledExec::graphFor(const Take &take) {
  if (take.what == Take::What::Twins) {
    ++twinsMade_;
    return timeTwins(*twinsFrom_);
  }
  const auto registry = from_.registry();
  if (!registry)
    return nullptr;
  const auto whole = registry->timed();
  return whole->parts ? timePart(*whole, take.part, take.what == Take::What::Bare ? 0 : take.parts,
                                 take.ends)
                      : nullptr;
}

// If graphprof is recording, the next launch will be recorded.
void ProfiledExec::upload(driver::Stream stream) { cu().graphUpload(whole_.exec, stream); }

bool ProfiledExec::update(const std::shared_ptr<Registry> &registry, bool switched) {
  const auto timed = timedLike(*whole_.table, registry.get());
  if (!timed || !timed->rebuilt() || timed->table->structure != whole_.table->structure)
    return false;
  const driver::CurrentContext current(context().device->context());
  if (!timed->update(whole_.exec, *whole_.buffer))
    return false;
  registry->used();
  keepWhole();
  from_.updated(context().limit.isSet() ? registry : nullptr, switched);
  if (timed->table->clock->kind() == Clock::Stamp)
    from_.leave();
  twinsFollow(timed);
  whole_.table = timed->table;
  return true;
}

driver::Node ProfiledExec::twinOf(driver::Node node) {
  const auto registry = from_.registry();
  return registry ? registry->twin(node) : nullptr;
}

internal::Twin ProfiledExec::twin(driver::Node node) {
  changing();
  from_.edited();
  return {whole_.exec, twinOf(node), shownAs(node) != nullptr};
}

// `node` belongs to the graph that the exec was made from. After an update from another graph, the
// exec shows that graph's node that ends at the same boundary.
const Region *ProfiledExec::shownAs(driver::Node node) const {
  const Region *const made = made_->regionOf(node);
  if (!made || whole_.table == made_)
    return made;
  const auto found = std::ranges::find_if(whole_.table->regions, [made](const Region &other) {
    return other.node && other.end == made->end;
  });
  return found == whole_.table->regions.end() ? nullptr : &*found;
}

void ProfiledExec::nodeChanged(driver::Node node, const char *kernel) {
  const Region *const shown = shownAs(node);
  auto table = shown ? whole_.table->changed(*shown, kernel, context().services) : nullptr;
  if (table)
    whole_.table = std::move(table);
}

void ProfiledExec::kernelChanging(driver::Node node, const driver::Grid &grid) {
  changing();
  const driver::Node twin = twinOf(node);
  if (!twin)
    return;
  Device &device = *context().device;
  const driver::CurrentContext current(device.context());
  hold(node, HeldKernel::TooSmall, !mayWait(node, twin, grid));
  const auto boundary = made_->boundaryAt(node);
  if (!boundary)
    return;
  driver::Occupancy occupancy(device.properties());
  const bool isLate = !beginIsRead(occupancy, twin, grid, whole_.table->stampThreads[*boundary],
                                   whole_.table->isJoined);
  if (isLate != whole_.table->isLate(*boundary))
    whole_.table = whole_.table->withLate(*boundary, isLate);
}

// The exec was made from the graph of `node`, and its timing nodes are now those of the graph that
// it was updated from. Both are built alike.
bool ProfiledExec::mayWait(driver::Node node, driver::Node twin, const driver::Grid &grid) const {
  const std::vector<WaitingKernel> &made = made_->waiting, &now = whole_.table->waiting;
  const int registers = context().device->stamps().registers;
  for (std::size_t i = 0; i < std::min(made.size(), now.size()); ++i)
    if (made[i].node == node &&
        !driver::Occupancy::coversBlock(twin, grid, now[i].threads, registers))
      return false;
  return true;
}

void ProfiledExec::hold(driver::Node node, HeldKernel::Why why, bool isHeld) {
  const HeldKernel held{node, why};
  std::erase(held_, held);
  if (!isHeld)
    return;
  held_.push_back(held);
  context().services.say("launches of an exec are not timed while a kernel that waits for a stamp "
                         "is disabled, or needs less than the stamp");
}

void ProfiledExec::switching(driver::Node node, bool isOn) {
  changing();
  if (std::ranges::count(made_->waiting, node, &WaitingKernel::node) > 0)
    hold(node, HeldKernel::Disabled, !isOn);
}

ChildChange ProfiledExec::setChild(driver::Node node, driver::Graph child,
                                   const std::shared_ptr<Registry> &registry) {
  changing();
  from_.edited();
  const auto origin = from_.registry();
  const driver::Node twin = origin ? origin->twin(node) : nullptr;
  const auto range = twin ? origin->timed()->boundariesIn(twin) : std::nullopt;
  bool isFollowed = false;
  if (range)
    isFollowed = registry && exchangeChild(twin, *range, *registry);
  else if (twin && !registry)
    isFollowed = ok(cu().graphExecChildGraphNodeSetParams(whole_.exec, twin, child));
  return isFollowed ? ChildChange::Followed : ChildChange::ExecUntimed;
}

bool ProfiledExec::exchangeChild(driver::Node twin, const BoundaryRange &range,
                                 Registry &registry) {
  const auto timed = registry.usable();
  const auto table = timed && timed->rebuilt() ? timed->table : nullptr;
  if (!table || table->clock != whole_.table->clock || table->boundaries != range.count ||
      table->structure != range.structure || registry.device() != context().device)
    return false;
  const driver::RelaxedCapture relaxed;
  const driver::CurrentContext current(context().device->context());
  ChildCopy copy(*timed);
  if (!copy.timing() || !whole_.buffer->bindStamps(*copy.timing(), range.first, table->edges) ||
      !ok(cu().graphExecChildGraphNodeSetParams(whole_.exec, twin, copy.graph())))
    return false;
  registry.used();
  whole_.table = exchanged(*whole_.table, range, *table);
  return true;
}

} // namespace graphprof
