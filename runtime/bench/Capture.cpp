// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Capture.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bench/Fault.h"
#include "cuda/Driver.h"
#include "graph/topology/NodeNames.h"
#include "graph/topology/Shape.h"
#include "graphprof/detail/seam.h"
#include "process/OpenRegions.h"
#include "process/Process.h"

namespace graphprof::bench_detail {

using driver::CaptureMode;
using driver::cu;
using driver::ok;

namespace {

// CUresult and cudaError_t use the same numbers.
constexpr int captureUnsupported = 900, captureUnjoined = 904, captureImplicit = 906;

struct Attempt {
  CapturedGraph graph;
  bool complete = false;
  int error = 0; // from the callable's runtime API
  driver::Result result = driver::Result::Success;
};

// Ends the capture in its destructor, even after an exception.
class Capturing {
public:
  Capturing(Gpu &gpu, CaptureMode mode, bool timed) : gpu_(gpu), timed_(timed) {
    check(cu().streamBeginCapture(gpu.stream(), mode), "capture the stream");
    if (timed_)
      graphprof_seam_captureBegan(gpu.stream(), 0);
  }
  ~Capturing() {
    if (!ended_)
      CapturedGraph(end().first);
  }
  Capturing(const Capturing &) = delete;
  Capturing &operator=(const Capturing &) = delete;
  std::pair<driver::Graph, driver::Result> end() noexcept {
    ended_ = true;
    if (timed_)
      graphprof_seam_captureEnding(gpu_.stream());
    driver::Graph graph = nullptr;
    const driver::Result result = cu().streamEndCapture(gpu_.stream(), &graph);
    if (timed_)
      graphprof_seam_captureEnded(gpu_.stream(), ok(result), graph);
    return {graph, result};
  }

private:
  Gpu &gpu_;
  const bool timed_;
  bool ended_ = false;
};

Attempt attempt(Gpu &gpu, const Work &work, CaptureMode mode, bool timed,
                const std::function<void()> &issue) {
  // An earlier error of the program is kept. It hides errors of this capture, but the driver
  // reports most of them.
  const bool pending = work.peekError() != 0;
  Attempt made;
  Capturing capturing(gpu, mode, timed);
  issue();
  made.error = pending ? 0 : work.takeError();
  const auto [graph, result] = capturing.end();
  made.graph = CapturedGraph(graph);
  made.result = result;
  made.complete = ok(result) && graph && made.error == 0;
  return made;
}

[[noreturn]] void fail(bench_fault fault, const Work &work, std::string_view text) {
  throw bench_error(fault, fmt::format("graphprof: {} {}", work.name, text));
}

// Tries the same capture in relaxed mode, to distinguish unsafe calls from calls that can never be
// captured.
[[noreturn]] void explain(Gpu &gpu, const Work &work, const Attempt &failed,
                          const std::function<void()> &issue) {
  const int ended = static_cast<int>(failed.result);
  if (failed.error == captureImplicit || ended == captureImplicit)
    fail(bench_fault::legacy_stream, work,
         "uses the default stream, which cannot be captured; give its work the stream that it is "
         "called with");
  if (failed.error == captureUnjoined || ended == captureUnjoined)
    fail(bench_fault::unjoined, work,
         "leaves work in another stream that its own does not wait for; record an event there and "
         "let its own stream wait for it");
  if (attempt(gpu, work, CaptureMode::Relaxed, false, issue).complete)
    fail(bench_fault::allocates, work,
         "allocates or frees memory, or calls another function that cannot be captured; do that "
         "before, once");
  if (failed.error == captureUnsupported || (failed.error == 0 && !ok(failed.result)))
    fail(bench_fault::synchronises, work,
         "waits for the device, a stream or an event, which cannot be captured; bench_timer::eager "
         "times it without a graph");
  fail(bench_fault::capture, work,
       fmt::format(
           "cannot be captured: {}",
           nameOf(failed.error != 0 ? static_cast<driver::Result>(failed.error) : failed.result)));
}

} // namespace

CapturedGraph::CapturedGraph(CapturedGraph &&other) noexcept
    : graph_(std::exchange(other.graph_, nullptr)), owned_(other.owned_) {}
CapturedGraph &CapturedGraph::operator=(CapturedGraph &&other) noexcept {
  std::swap(graph_, other.graph_);
  std::swap(owned_, other.owned_);
  return *this;
}
CapturedGraph::~CapturedGraph() {
  if (graph_ && owned_)
    cu().graphDestroy(graph_);
}

namespace {

// The capture is one of code that may run under the preload library, which then tells of it.
CapturedGraph captureByItself(Gpu &gpu, const Work &work, bool timed,
                              const std::function<void()> &issue) {
  bool tell = false;
  const driver::Graph graph = work.capture(gpu.stream(), [&] {
    tell = timed && !OpenRegions::ofThisThread().hasBegun(gpu.stream());
    if (tell)
      graphprof_seam_captureBegan(gpu.stream(), 0);
    issue();
    if (tell)
      graphprof_seam_captureEnding(gpu.stream());
  });
  if (tell)
    graphprof_seam_captureEnded(gpu.stream(), graph ? 1 : 0, graph);
  if (!graph)
    fail(bench_fault::capture, work, "gave no graph of its capture");
  return CapturedGraph(graph, false);
}

} // namespace

CapturedGraph capture(Gpu &gpu, const Work &work, bool timed, const std::function<void()> &issue) {
  if (work.capture)
    return captureByItself(gpu, work, timed, issue);
  Attempt made = attempt(gpu, work, CaptureMode::ThreadLocal, timed, issue);
  if (!made.complete)
    explain(gpu, work, made, issue);
  return std::move(made.graph);
}

Captured inspect(driver::Graph graph, const Work &work) {
  const Shape shape(graph);
  if (!shape.known())
    throw bench_error(bench_fault::device, "graphprof: CUDA did not list the nodes of a graph");
  Captured result;
  result.nodes = shape.created().size();
  if (result.nodes == 0)
    fail(
        bench_fault::nothing, work,
        "captured nothing: its work goes to another stream than the one that it is called with, or "
        "there is none");
  std::size_t allocations = 0, frees = 0;
  for (std::size_t i = 0; i < result.nodes; ++i) {
    const std::optional<driver::NodeType> type = shape.typeOf(i);
    if (!type)
      continue;
    allocations += *type == driver::NodeType::MemAlloc;
    frees += *type == driver::NodeType::MemFree;
    if (isWork(*type))
      result.names.push_back(workOf(shape.created()[i], *type, process().session).name);
  }
  if (allocations != frees)
    fail(bench_fault::allocates, work,
         "allocates memory in its stream that it does not free there, so its graph can be launched "
         "only once; free it there, or allocate it before");
  if (allocations > 0)
    result.warnings.push_back(
        "it allocates and frees memory in its stream, which is part of the time");
  return result;
}

bool callsOverlap(driver::Graph graph, std::size_t nodesOfCall) {
  std::size_t count = 0;
  if (!ok(cu().graphGetEdges(graph, nullptr, nullptr, nullptr, &count)))
    return false;
  std::vector<driver::Node> from(count), to(count);
  std::vector<driver::EdgeData> edges(count);
  if (!ok(cu().graphGetEdges(graph, from.data(), to.data(), edges.data(), &count)))
    return false;
  const Shape shape(graph);
  const auto callOf = [&](driver::Node node) { return shape.createdAt(node) / nodesOfCall; };
  for (std::size_t i = 0; i < count; ++i)
    if (edges[i].type != 0 && callOf(from[i]) != callOf(to[i]))
      return true;
  return false;
}

void separate(Gpu &gpu) {
  driver::CaptureStatus status{};
  std::uint64_t id = 0;
  driver::Graph graph = nullptr;
  const driver::Node *nodes = nullptr;
  const driver::EdgeData *edges = nullptr;
  std::size_t count = 0;
  check(cu().streamGetCaptureInfo(gpu.stream(), &status, &id, &graph, &nodes, &edges, &count),
        "tell what a capture waits for");
  if (count == 0)
    return;
  driver::Node between = nullptr;
  check(cu().graphAddEmptyNode(&between, graph, nodes, count), "add a node to a capture");
  const driver::EdgeData whole{};
  check(cu().streamUpdateCaptureDependencies(gpu.stream(), &between, &whole, 1,
                                             driver::setDependencies),
        "let a capture wait for a node");
}

} // namespace graphprof::bench_detail
