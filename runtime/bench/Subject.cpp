// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Subject.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "Edge.h"
#include "Mutex.h"
#include "bench/Fault.h"
#include "bench/Sites.h"
#include "cuda/Driver.h"
#include "graph/Graphs.h"
#include "graph/harvest/Harvester.h"
#include "graphprof/control.h"
#include "graphprof/detail/seam.h"
#include "graphprof/scope.h"
#include "graphprof/step.h"
#include "process/Lifetime.h"
#include "process/Process.h"
#include "process/Signals.h"
#include "session/Session.h"

namespace graphprof::bench_detail {

using driver::cu;
using driver::ok;

namespace {

constexpr int warmUpCalls = 3; // as in flashinfer
constexpr std::int64_t patienceMs = 10'000;

} // namespace

// The times of each replay's calls, from graphprof's own records. The outputs do not get the
// replays: only the caller knows which of them are samples. The harvest thread calls take().
struct Subject::Replays {
  Replays(Process &own, const std::string &name) : own(own), site(siteOf(name)) {
    Session &session = own.session;
    session.takers.add(this, [this](const Replay &replay) { return take(replay); });
    if (!scheduledOutputs()) // which decides what is recorded
      session.recordingSwitch.request(this, {.device = true});
    session.recordingBudget.exempt(true); // each replay is a sample
  }
  ~Replays() {
    settle(); // what comes later would be taken for a replay of the program's
    own.session.recordingBudget.exempt(false);
    own.session.recordingSwitch.withdraw(this);
    own.session.takers.remove(this);
  }
  Replays(const Replays &) = delete;
  Replays &operator=(const Replays &) = delete;

  // A run: the graph, and how often it was launched before.
  using Run = std::pair<std::int64_t, std::uint64_t>;

  void settle() noexcept { own.harvester.flush(patienceMs); }

  [[nodiscard]] bool isOwn(const Record &record) const {
    return record.context_size == 3 && std::strcmp(record.site->file, siteFile) == 0 &&
           record.context[2].as_signed() == number;
  }

  bool take(const Replay &replay) noexcept {
    const auto first = std::find_if(replay.records.begin(), replay.records.end(),
                                    [this](const Record &record) { return isOwn(record); });
    if (first == replay.records.end())
      return false;
    try {
      const MutexLock lock(mutex);
      Reading &reading = readings[{first->context[1].as_signed(), replay.number}];
      for (const Record &record : replay.records) {
        if (!isOwn(record) || !record.measured())
          continue;
        events = events || record.clock != Clock::Stamp;
        reading.ms.push_back(static_cast<double>(record.duration_ns) * 1e-6);
      }
      reading.replay = held.hold(replay);
    } catch (...) { // no memory: its times are lost
      own.session.counters.dropped += replay.records.size();
    }
    return true;
  }

  // Part of the regions' values, because other measurements with the same name may run at the same
  // time.
  static std::int64_t nextNumber() {
    static std::atomic<std::int64_t> next{0};
    return next++;
  }

  Process &own;
  const std::int64_t number = nextNumber();
  const Site &site;
  Mutex mutex;
  HeldReplays held GUARDED_BY(mutex);
  std::map<Run, Reading> readings GUARDED_BY(mutex);
  bool events GUARDED_BY(mutex) = false; // events were used instead of stamps
  std::vector<std::uint64_t> launches;   // of each graph
  std::vector<Run> slots;
};

Subject::Subject(Gpu &gpu, const Work &work, const bench_options &options, bench_timer timer,
                 const Coldness &coldness)
    : gpu_(gpu), work_(work), options_(options), flush_(coldness.flushes()), handles_(gpu) {
  result_.name = work.name;
  std::array<char, 256> device{};
  if (ok(cu().deviceGetName(device.data(), device.size(), gpu.device().ordinal())))
    result_.device = device.data();
  result_.timer = timer;
  result_.l2_bytes = gpu.l2Bytes();
  result_.peak_sm_clock_mhz = gpu.peakMhz();
  result_.argument_bytes = work.ranges.bytes();
  result_.iterations_within_graph =
      timer == bench_timer::eager ? 1 : options.num_iters_within_graph;
  if (timer == bench_timer::graph && flush_)
    result_.timer = bench_timer::stamps; // which leave the flushes out
  describe(coldness);
  if (result_.timer == bench_timer::stamps) {
    handles_.stamps = true;
    replays_ = std::make_unique<Replays>(process(), work.name);
    replays_->slots.resize(slots);
    if (!recording())
      throw bench_error(
          bench_fault::device,
          fmt::format(
              "graphprof: {} cannot be timed with stamps: graphprof is off by GRAPHPROF_ENABLED=0, "
              "stop() or a schedule; turn it on, or choose another timer",
              work.name));
  }
  if (work.makeCopies)
    work.makeCopies(result_.copies);
  else
    copies_ = Copies(gpu, work.ranges, result_.copies);
  if (flush_)
    gpu.needFlush();
  result_.memory_bytes = Copies::bytesOf(work.ranges, result_.copies) + (flush_ ? gpu.bytes() : 0);
  warmUp();
  if (result_.timer != bench_timer::eager)
    captureAll();
  for (std::size_t i = 0; i < (replays_ ? 0 : 2 * slots); ++i) {
    driver::Event event = nullptr;
    check(cu().eventCreate(&event, driver::eventDefault), "make an event");
    handles_.events.push_back(event);
  }
}

Subject::~Subject() = default;

Subject::Handles::~Handles() {
  cu().streamSynchronize(gpu.stream());
  for (const driver::Exec exec : execs) {
    if (stamps)
      graphprof_seam_execDestroying(exec);
    cu().graphExecDestroy(exec);
  }
  for (const driver::Event event : events)
    cu().eventDestroy(event);
}

// In a stream that exists only for them, as in flashinfer: they are plain launches, which would
// slow down the graphs' kernels (Gpu::launch).
void Subject::warmUp() {
  driver::Stream side = options_.stream;
  if (!side)
    check(cu().streamCreateWithPriority(&side, 0, 0), "make a stream");
  const auto end = [&] {
    const driver::Result result = cu().streamSynchronize(side);
    if (!options_.stream)
      cu().streamDestroy(side);
    return result;
  };
  try {
    for (int i = 0; i < warmUpCalls; ++i)
      work_.call(side, nullptr);
  } catch (...) {
    end();
    throw;
  }
  check(end(), "run the callable");
}

void Subject::describe(const Coldness &coldness) {
  result_.cold = coldness.method != cold_l2::automatic;
  result_.cold_method = coldness.method;
  if (flush_) {
    result_.reuse_bytes = 2 * gpu_.l2Bytes();
    if (!coldness.why.empty())
      result_.warnings.push_back(fmt::format(
          "the L2 cache is flushed before each call, and {} leave that out of the time: {}",
          result_.timer == bench_timer::eager ? "events" : "stamps", coldness.why));
  } else if (result_.cold) {
    graphs_ = coldness.rotation.graphs;
    result_.copies = coldness.rotation.copies;
    result_.reuse_bytes = result_.argument_bytes *
                          static_cast<std::size_t>(result_.copies == 1 ? 1 : result_.copies - 1);
  }
}

void Subject::issue(std::size_t call) {
  const std::size_t copy = call % static_cast<std::size_t>(result_.copies);
  if (work_.callWith)
    work_.callWith(gpu_.stream(), copy);
  else
    work_.call(gpu_.stream(), copies_.moves(copy));
}

void Subject::captureAll() {
  {
    const CapturedGraph one = capture(gpu_, work_, false, [&] { issue(0); });
    Captured captured = inspect(one.get(), work_);
    result_.node_count = captured.nodes;
    result_.nodes = std::move(captured.names);
    for (std::string &warning : captured.warnings)
      result_.warnings.push_back(std::move(warning));
  }
  bool apart = false;
  if (!flush_) {
    const CapturedGraph two = capture(gpu_, work_, false, [&] {
      issue(0);
      issue(1);
    });
    apart = callsOverlap(two.get(), result_.node_count);
    if (apart)
      result_.warnings.emplace_back(
          "its programmatic launches would let calls overlap; each waits for the one before");
  }
  result_.graphs = graphs_;
  for (int graph = 0; graph < graphs_; ++graph)
    captureOne(apart);
}

void Subject::captureOne(bool apart) {
  const auto graphIndex = static_cast<std::int64_t>(handles_.execs.size());
  CapturedGraph graph = capture(gpu_, work_, replays_ != nullptr, [&] {
    // A repeated capture begins with the same copy.
    for (int i = 0; i < result_.iterations_within_graph; ++i) {
      if (flush_)
        gpu_.captureFlush();
      else if (apart && i > 0)
        separate(gpu_);
      const auto call = nextCall_ + static_cast<std::size_t>(i);
      if (!replays_) {
        issue(call);
        continue;
      }
      const Scope scope(replays_->site, StreamRef(gpu_.stream()), key("iteration", i),
                        key("graph", graphIndex), key("measurement", replays_->number));
      issue(call);
    }
  });
  nextCall_ += static_cast<std::size_t>(result_.iterations_within_graph);
  instantiate(std::move(graph));
}

void Subject::instantiate(CapturedGraph graph) {
  driver::Exec exec = nullptr;
  if (replays_)
    graphprof_seam_instantiating(graph.get(), 0);
  const driver::Result made = cu().graphInstantiate(&exec, graph.get(), 0);
  if (replays_) {
    graphprof_seam_instantiated(ok(made) ? exec : nullptr, graph.get(), 0);
    graphprof_seam_graphDestroying(graph.get());
  }
  check(made, "instantiate a graph");
  handles_.execs.push_back(exec);
  if (replays_)
    replays_->launches.push_back(0);
}

std::size_t Subject::nodesOfRun() const {
  return result_.node_count * static_cast<std::size_t>(result_.iterations_within_graph);
}

std::size_t Subject::runsToUseAll() const {
  return static_cast<std::size_t>(result_.timer == bench_timer::eager ? result_.copies : graphs_);
}

void Subject::enqueue(std::size_t slot) {
  if (replays_)
    return enqueueTimed(slot);
  const driver::Event begin = handles_.events[2 * slot], end = handles_.events[2 * slot + 1];
  if (handles_.execs.empty() && flush_)
    gpu_.flush();
  check(cu().eventRecord(begin, gpu_.stream()), "record an event");
  if (handles_.execs.empty())
    issue(nextCall_++);
  else
    check(cu().graphLaunch(handles_.execs[nextExec_++ % handles_.execs.size()], gpu_.stream()),
          "launch a graph");
  check(cu().eventRecord(end, gpu_.stream()), "record an event");
}

// Unlike a launch of the program's, it begins no step, and outputs show no call of it.
void Subject::enqueueTimed(std::size_t slot) {
  const std::size_t which = nextExec_++ % handles_.execs.size();
  const driver::Exec exec = handles_.execs[which];
  Process &own = replays_->own;
  const std::shared_ptr<Pair> pair = own.execs.pairOf(exec);
  Edge edge;
  const internal::Launch launched =
      pair ? pair->launch(edge, gpu_.stream(), current_step(), nullptr) : internal::Launch::Plain;
  if (launched != internal::Launch::Done)
    check(cu().graphLaunch(exec, gpu_.stream()), "launch a graph");
  if (launched == internal::Launch::PlainThenMark)
    pair->launchedPlain(gpu_.stream());
  if (own.session.recording()) {
    own.harvester.wake();
    watchSignals();
  }
  replays_->slots[slot] = {static_cast<std::int64_t>(which), replays_->launches[which]++};
}

void Subject::settle() {
  if (replays_)
    replays_->settle();
}

Subject::Reading Subject::read(std::size_t slot) {
  if (replays_) {
    const MutexLock lock(replays_->mutex);
    const auto found = replays_->readings.find(replays_->slots[slot]);
    if (found == replays_->readings.end())
      return {};
    Reading reading = std::move(found->second);
    replays_->readings.erase(found);
    if (std::exchange(replays_->events, false) && !std::exchange(byEvents_, true))
      result_.warnings.emplace_back(
          "calls are timed by CUDA events, which add about 2 us to each: "
          "GRAPHPROF_CLOCK says so (unset it), or stamps do not work here");
    return reading;
  }
  float ms = 0;
  check(cu().eventElapsedTime(&ms, handles_.events[2 * slot], handles_.events[2 * slot + 1]),
        "tell the time between two events");
  return {{static_cast<double>(ms) / result_.iterations_within_graph}, std::nullopt};
}

} // namespace graphprof::bench_detail
