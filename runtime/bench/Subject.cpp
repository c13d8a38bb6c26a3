// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Subject.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "Mutex.h"
#include "bench/Fault.h"
#include "bench/Sites.h"
#include "cuda/Driver.h"
#include "graphprof/control.h"
#include "graphprof/detail/seam.h"
#include "graphprof/scope.h"

namespace graphprof::bench_detail {

using driver::cu;
using driver::ok;

namespace {

constexpr int warmUpCalls = 3; // as in flashinfer
// More graphs have no benefit: their copies would be small, and one flush does the same.
constexpr int mostGraphs = 128;
// The share of the free memory that copies may take.
constexpr double mostMemory = 0.9;

std::size_t freeMemory() {
  std::size_t free = 0, total = 0;
  check(cu().memGetInfo(&free, &total), "tell how much memory is free");
  return free;
}

} // namespace

// The times of each replay's calls, from graphprof's own records. Another thread calls the
// callback.
struct Subject::Replays {
  explicit Replays(const std::string &name)
      : site(siteOf(name)), profiler([this](const Record &record) { take(record); }) {}

  // A run: the graph, and how often it was launched before.
  using Run = std::pair<std::int64_t, std::uint64_t>;

  void take(const Record &record) {
    if (record.contextSize != 3 || record.context[2].asSigned() != number || !record.measured() ||
        std::strcmp(record.site->file, siteFile) != 0)
      return;
    const MutexLock lock(mutex);
    events = events || record.clock != Clock::Stamp;
    times[{record.context[1].asSigned(), record.replay}].push_back(
        static_cast<double>(record.durationNs) * 1e-6);
  }

  // Part of the regions' values, because other measurements with the same name may run at the same
  // time.
  static std::int64_t nextNumber() {
    static std::atomic<std::int64_t> next{0};
    return next++;
  }

  const std::int64_t number = nextNumber();
  const Site &site;
  Mutex mutex;
  std::map<Run, std::vector<double>> times GUARDED_BY(mutex);
  bool events GUARDED_BY(mutex) = false; // events were used instead of stamps
  std::vector<std::uint64_t> launches;   // of each graph
  std::vector<Run> slots;
  Profiler profiler; // the last member: its callback uses the others
};

Subject::Subject(Gpu &gpu, const detail::BenchWork &work, const bench_options &options,
                 bench_timer timer)
    : gpu_(gpu), work_(work), options_(options), handles_(gpu) {
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
  if (options.cold_l2_cache)
    choose();
  if (timer == bench_timer::stamps || (flush_ && timer == bench_timer::graph)) {
    handles_.stamps = true;
    result_.timer = bench_timer::stamps;
    replays_ = std::make_unique<Replays>(work.name);
    replays_->slots.resize(slots);
    if (!recording())
      throw bench_error(
          bench_fault::device,
          fmt::format(
              "graphprof: {} cannot be timed with stamps: graphprof is off by GRAPHPROF_ENABLED=0, "
              "stop() or a schedule; turn it on, or choose another timer",
              work.name));
  }
  copies_ = Copies(gpu, work.ranges, result_.copies);
  if (flush_)
    gpu.needFlush();
  result_.memory_bytes = copies_.bytes() + (flush_ ? gpu.bytes() : 0);
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

void Subject::choose() {
  const bool pointers =
      std::any_of(work_.pointers.begin(), work_.pointers.end(), [&](const void *pointer) {
        unsigned type = 0;
        return pointer &&
               ok(cu().pointerGetAttribute(&type, driver::pointerMemoryType,
                                           reinterpret_cast<driver::DevicePointer>(pointer))) &&
               type != static_cast<unsigned>(driver::MemoryType::Host) &&
               !work_.ranges.contains(pointer);
      });
  if (options_.cold_method == cold_l2::flush)
    return chooseFlush({});
  const bool must = options_.cold_method == cold_l2::rotation;
  if (result_.argument_bytes == 0 && must)
    throw bench_error(
        bench_fault::options,
        fmt::format("graphprof: no argument of {} is device memory with a size, so "
                    "there is nothing to rotate; give DeviceSpan arguments, or choose "
                    "cold_l2::flush",
                    work_.name));
  if (result_.argument_bytes == 0)
    return chooseFlush(pointers
                           ? "its arguments are bare pointers; DeviceSpan gives them a size"
                           : "no argument is device memory; what a callable holds itself cannot "
                             "be rotated");
  if (pointers && !must)
    return chooseFlush("an argument is a bare device pointer; DeviceSpan gives it a size");
  const Rotation rotation =
      rotationOf(result_.argument_bytes, gpu_.l2Bytes(), result_.iterations_within_graph);
  if (rotation.graphs > mostGraphs && !must)
    return chooseFlush(fmt::format("{} copies of its {} bytes would be needed", rotation.copies,
                                   result_.argument_bytes));
  const std::size_t needed = Copies::bytesOf(work_.ranges, rotation.copies), free = freeMemory();
  if (static_cast<double>(needed) > mostMemory * static_cast<double>(free)) {
    if (must)
      throw bench_error(
          bench_fault::memory,
          fmt::format("graphprof: {} copies of the arguments of {} take {} bytes, and "
                      "{} are free; choose cold_l2::flush, or cold_l2_cache = false",
                      rotation.copies, work_.name, needed, free));
    return chooseFlush(fmt::format("the copies take {} bytes, and {} are free", needed, free));
  }
  result_.cold = true;
  result_.cold_method = cold_l2::rotation;
  result_.copies = rotation.copies;
  result_.graphs = rotation.graphs;
  result_.reuse_bytes =
      rotation.copies == 1 ? result_.argument_bytes
                           : result_.argument_bytes * static_cast<std::size_t>(rotation.copies - 1);
}

void Subject::chooseFlush(std::string_view why) {
  flush_ = true;
  result_.cold = true;
  result_.cold_method = cold_l2::flush;
  result_.reuse_bytes = 2 * gpu_.l2Bytes();
  if (!why.empty())
    result_.warnings.push_back(fmt::format(
        "the L2 cache is flushed before each call, and stamps leave that out of the time: {}",
        why));
}

void Subject::issue(std::size_t call) {
  work_.call(gpu_.stream(), copies_.moves(call % static_cast<std::size_t>(result_.copies)));
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
  result_.graphs = std::max(1, result_.graphs);
  for (int graph = 0; graph < result_.graphs; ++graph)
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

void Subject::enqueueTimed(std::size_t slot) {
  const std::size_t which = nextExec_++ % handles_.execs.size();
  const driver::Exec exec = handles_.execs[which];
  const auto launched = graphprof_seam_launch(exec, gpu_.stream());
  if (launched != graphprof_seam_done)
    check(cu().graphLaunch(exec, gpu_.stream()), "launch a graph");
  if (launched == graphprof_seam_plainThenMark)
    graphprof_seam_launchedPlain(exec, gpu_.stream());
  replays_->slots[slot] = {static_cast<std::int64_t>(which), replays_->launches[which]++};
}

void Subject::settle() {
  if (replays_)
    replays_->profiler.flush();
}

std::vector<double> Subject::read(std::size_t slot) {
  if (replays_) {
    const MutexLock lock(replays_->mutex);
    const auto found = replays_->times.find(replays_->slots[slot]);
    if (found == replays_->times.end())
      return {};
    std::vector<double> times = std::move(found->second);
    replays_->times.erase(found);
    if (std::exchange(replays_->events, false) && !std::exchange(byEvents_, true))
      result_.warnings.emplace_back(
          "calls are timed by CUDA events, which add about 2 us to each: "
          "GRAPHPROF_CLOCK says so (unset it), or stamps do not work here");
    return times;
  }
  float ms = 0;
  check(cu().eventElapsedTime(&ms, handles_.events[2 * slot], handles_.events[2 * slot + 1]),
        "tell the time between two events");
  return {static_cast<double>(ms) / result_.iterations_within_graph};
}

} // namespace graphprof::bench_detail
