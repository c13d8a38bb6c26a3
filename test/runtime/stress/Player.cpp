// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Player.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "graphprof/cuda.h"

namespace graphprof::test {

namespace {

constexpr std::size_t mostGraphs = 6, mostExecs = 8;

constexpr std::array captureModes = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                                     cudaStreamCaptureModeRelaxed};

} // namespace

unsigned Player::Shape::regions() const {
  unsigned regions = 0;
  for (const Section &section : sections)
    regions += section.regions;
  return regions;
}

Player::Player(Ledger &ledger, unsigned seed) : ledger_(ledger), random_(seed) {}

Player::~Player() = default;

void Player::check(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    wrong_ +=
        "round " + std::to_string(round_) + ": " + what + ": " + cudaGetErrorName(status) + "\n";
}
#define CHECK(call) check(call, #call)

void Player::note(Exec &exec, const std::string &what) {
  exec.plan.family->history += "  round " + std::to_string(round_) + ": " + what + "\n";
}

void Player::play(int rounds) {
  // Other threads capture in global mode, which forbids others a few calls: not this one, and
  // graphprof's own threads know how to live with it.
  cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  for (cudaStream_t *each : {&streams_[0], &streams_[1], &captured_, &side_})
    CHECK(cudaStreamCreateWithFlags(each, cudaStreamNonBlocking));
  for (cudaEvent_t *each : {&fork_, &join_})
    CHECK(cudaEventCreateWithFlags(each, cudaEventDisableTiming));
  for (round_ = 0; round_ < rounds && wrong_.empty(); ++round_)
    act();
}

void Player::act() {
  const unsigned what = random(100);
  if (what < 10)
    makeGraph();
  else if (what < 13)
    cloneGraph();
  else if (what < 20)
    destroyGraph();
  else if (what < 32)
    instantiate();
  else if (what < 64)
    launch();
  else if (what < 74)
    update();
  else if (what < 79)
    changeNode();
  else if (what < 82)
    switchNode();
  else if (what < 84)
    upload();
  else if (what < 90)
    destroyExec();
  else if (what < 92)
    failCapture();
  else if (what < 97)
    eager();
  else
    control();
}

// Captures

Player::Shape Player::randomShape() {
  Shape shape{{}, random(5) == 0};
  const unsigned sections = 1 + random(4);
  for (unsigned i = 0; i < sections; ++i)
    shape.sections.push_back({random(4) == 0, random(3)});
  return shape;
}

void Player::kernel(Work work, cudaStream_t stream, Plan &plan) {
  const Piece piece{work, 1 + random(1000)};
  CHECK(test::launch(work, plan.family->cell, piece.amount, stream));
  plan.pieces.push_back(piece);
}

void Player::captureSection(const Section &section, unsigned &region, unsigned regions,
                            Plan &plan) {
  const auto opens = [&](unsigned nth) { return active() && section.regions >= nth; };
  static const Site site{"region {} of {}", __FILE__, __LINE__, __func__};
  static const Site inner{"inner {} of {}", __FILE__, __LINE__, __func__};
  if (section.forked) {
    CHECK(cudaEventRecord(fork_, captured_));
    CHECK(cudaStreamWaitEvent(side_, fork_, 0));
    {
      const Scope scope = opens(1) ? Scope(site, on_stream(captured_), region++, regions) : Scope();
      kernel(Work::Fold, captured_, plan);
    }
    {
      const Scope scope = opens(2) ? Scope(inner, on_stream(side_), region++, regions) : Scope();
      kernel(Work::Add, side_, plan);
    }
    CHECK(cudaEventRecord(join_, side_));
    CHECK(cudaStreamWaitEvent(captured_, join_, 0));
    return;
  }
  const StreamRef where = beginSeen_ && random(2) ? on_capture() : on_stream(captured_);
  const Scope scope = opens(1) ? Scope(site, where, region++, regions) : Scope();
  kernel(Work::Fold, captured_, plan);
  const Scope nested = opens(2) ? Scope(inner, on_stream(captured_), region++, regions) : Scope();
  kernel(Work::Add, captured_, plan);
}

std::vector<cudaGraphNode_t> Player::kernelsOf(cudaGraph_t graph) {
  std::size_t count = 0;
  cudaGraphGetNodes(graph, nullptr, &count);
  std::vector<cudaGraphNode_t> nodes(count);
  cudaGraphGetNodes(graph, nodes.data(), &count);
  // In the order of their capture. Graphs with memory nodes hold kernels of graphprof's, too.
  std::erase_if(nodes, [](cudaGraphNode_t node) {
    cudaGraphNodeType type{};
    cudaKernelNodeParams params{};
    cudaGraphNodeGetType(node, &type);
    if (type != cudaGraphNodeTypeKernel)
      return true;
    const bool known = cudaGraphKernelNodeGetParams(node, &params) == cudaSuccess;
    (void)cudaGetLastError();
    return !known || (params.func != kernelOf(Work::Fold) && params.func != kernelOf(Work::Add));
  });
  return nodes;
}

std::shared_ptr<Player::Graph>
Player::capture(const Shape &shape, const std::shared_ptr<Family> &family, bool beginSeen) {
  auto graph = std::make_shared<Graph>(Graph{nullptr, shape, {family, {}, Timed::No}, {}});
  const cudaStreamCaptureMode mode = captureModes[random(3)];
  beginSeen_ = graph->beginSeen = beginSeen;
  CHECK(beginSeen ? cuda::cudaStreamBeginCapture(captured_, mode)
                  : ::cudaStreamBeginCapture(captured_, mode));
  void *memory = nullptr;
  if (shape.memory)
    CHECK(cudaMallocAsync(&memory, 256, captured_));
  unsigned region = 0;
  for (const Section &section : shape.sections)
    captureSection(section, region, shape.regions(), graph->plan);
  if (shape.memory)
    CHECK(cudaFreeAsync(memory, captured_));
  if (!execs_.empty() && random(4) == 0)
    launch(execs_[random(static_cast<unsigned>(execs_.size()))], stream());
  CHECK(random(10) > 0 ? cuda::cudaStreamEndCapture(captured_, &graph->handle)
                       : ::cudaStreamEndCapture(captured_, &graph->handle));
  graph->plan.timed = shape.regions() > 0 ? Timed::Surely : Timed::No;
  graph->nodes = kernelsOf(graph->handle);
  if (graph->nodes.size() != graph->plan.pieces.size())
    wrong_ += "a graph does not hold its kernels\n";
  return graph;
}

void Player::makeGraph() {
  if (graphs_.size() == mostGraphs)
    return destroyGraph();
  families_.push_back(std::make_shared<Family>());
  graphs_.push_back(capture(randomShape(), families_.back(), random(10) > 0));
}

void Player::failCapture() {
  Plan plan{std::make_shared<Family>(), {}, Timed::No};
  families_.push_back(plan.family);
  beginSeen_ = true;
  CHECK(cuda::cudaStreamBeginCapture(captured_, cudaStreamCaptureModeThreadLocal));
  unsigned region = 0;
  captureSection({false, 2}, region, 2, plan);
  if (cudaStreamSynchronize(captured_) == cudaSuccess)
    wrong_ += "a stream under capture was waited for\n";
  cudaGraph_t none = nullptr;
  if (cuda::cudaStreamEndCapture(captured_, &none) != cudaErrorStreamCaptureInvalidated || none)
    wrong_ += "a capture that failed has ended well\n";
  if (cudaGetLastError() != cudaErrorStreamCaptureInvalidated)
    wrong_ += "the program's error is another one\n";
  ++ledger_.failedCaptures;
}

void Player::cloneGraph() {
  if (graphs_.empty() || graphs_.size() == mostGraphs)
    return;
  const Graph &graph = *graphs_[random(static_cast<unsigned>(graphs_.size()))];
  if (graph.shape.memory)
    return; // refused by CUDA
  cudaGraph_t clone = nullptr;
  CHECK(cuda::cudaGraphClone(&clone, graph.handle));
  auto copy = std::make_shared<Graph>(graph);
  copy->handle = clone;
  copy->nodes = kernelsOf(clone);
  graphs_.push_back(std::move(copy));
}

void Player::destroy(Graph &graph) {
  CHECK(cuda::cudaGraphDestroy(graph.handle));
  graph.alive = false;
}

void Player::destroyGraph() {
  if (graphs_.empty())
    return;
  const auto which = graphs_.begin() + random(static_cast<unsigned>(graphs_.size()));
  destroy(**which);
  graphs_.erase(which);
}

// Execs

void Player::instantiate() {
  if (graphs_.empty() || execs_.size() == mostExecs)
    return;
  const auto &graph = graphs_[random(static_cast<unsigned>(graphs_.size()))];
  const bool again = std::any_of(execs_.begin(), execs_.end(),
                                 [&](const Exec &exec) { return exec.origin == graph; });
  if (again && graph->shape.memory)
    return; // refused by CUDA
  Family &family = *graph->plan.family;
  if (!inOrderOfLaunches && family.execs > 0)
    return; // what they compute together would depend on which is faster
  if (!inOrderOfLaunches && std::exchange(family.running, false))
    for (const cudaStream_t each : streams_)
      CHECK(cudaStreamSynchronize(each));
  ++family.execs;
  Exec exec{nullptr, graph->shape, graph->plan, graph};
  CHECK(cuda::cudaGraphInstantiateWithFlags(&exec.handle, graph->handle, 0));
  execs_.push_back(std::move(exec));
  note(execs_.back(), "instantiated, " + std::to_string(execs_.back().plan.pieces.size()) +
                          " kernels, " + std::to_string(execs_.back().shape.regions()) +
                          " regions" + (execs_.back().shape.memory ? ", memory" : ""));
}

void Player::launch(Exec &exec, cudaStream_t stream) {
  const Switch::Look look(ledger_.recording);
  CHECK(cuda::cudaGraphLaunch(exec.handle, stream));
  note(exec, std::string("launch in stream ") + (stream == streams_[0] ? "0" : "1") +
                 (look.isOn() ? ", recording" : ""));
  if (exec.plan.timed == Timed::Surely)
    look.count(ledger_.launches);
  if (exec.plan.timed == Timed::Perhaps)
    ++ledger_.launches.perhaps;
  for (const Piece &piece : exec.plan.pieces) {
    if (!piece.enabled)
      continue;
    if (piece.work == Work::Fold)
      exec.plan.family->expected.fold(piece.amount);
    else
      exec.plan.family->expected.sum += piece.amount;
  }
}

void Player::launch() {
  if (execs_.empty())
    return;
  Exec &exec = execs_[random(static_cast<unsigned>(execs_.size()))];
  const unsigned times = random(10) == 0 ? 40 : 1 + random(4);
  const cudaStream_t first = stream();
  for (unsigned i = 0; i < times; ++i)
    launch(exec, random(4) == 0 ? stream() : first);
  if (random(8) == 0)
    CHECK(cudaStreamSynchronize(first));
}

// From a new capture: of the same shape, with other regions, or of another shape.
void Player::update() {
  if (execs_.empty())
    return;
  Exec &exec = execs_[random(static_cast<unsigned>(execs_.size()))];
  Shape shape = exec.shape;
  const unsigned change = random(6);
  if (change == 0 && !shape.memory) // what is timed in place must keep its regions
    for (Section &section : shape.sections)
      section.regions = random(3);
  if (change == 1)
    shape.sections.push_back({false, 1});
  const auto graph = capture(shape, exec.plan.family, exec.origin->beginSeen);
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t status = cuda::cudaGraphExecUpdate(exec.handle, graph->handle, &info);
  if (change == 1) {
    if (status != cudaErrorGraphExecUpdateFailure || cudaGetLastError() != status)
      wrong_ += "an update was not refused\n";
  } else {
    CHECK(status);
    for (std::size_t i = 0; i < graph->plan.pieces.size(); ++i)
      graph->plan.pieces[i].enabled = exec.plan.pieces[i].enabled;
    note(exec, change == 0 ? "updated with other regions" : "updated");
    if (change == 0)
      exec.followed = false;
    if (exec.switched && !exec.followed && graph->plan.timed == Timed::Surely) {
      graph->plan.timed = Timed::Perhaps;
      ++ledger_.lostUpdates;
    }
    exec.plan = graph->plan;
    exec.shape = shape;
  }
  destroy(*graph);
}

Player::Picked Player::anyPiece() {
  if (execs_.empty())
    return {};
  Exec &exec = execs_[random(static_cast<unsigned>(execs_.size()))];
  if (!exec.origin->alive || !exec.followed)
    return {};
  const unsigned which = random(static_cast<unsigned>(exec.plan.pieces.size()));
  return {&exec, &exec.plan.pieces[which], exec.origin->nodes[which]};
}

void Player::changeNode() {
  const auto [exec, piece, node] = anyPiece();
  if (!exec)
    return;
  note(*exec, "a kernel changed");
  piece->amount = 1 + random(1000);
  void *place = exec->plan.family->cell.place();
  void *arguments[] = {static_cast<void *>(&place), &piece->amount};
  cudaKernelNodeParams params{};
  params.func = kernelOf(piece->work);
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  CHECK(cuda::cudaGraphExecKernelNodeSetParams(exec->handle, node, &params));
}

void Player::switchNode() {
  const auto [exec, piece, node] = anyPiece();
  if (!exec)
    return;
  if (!inOrderOfLaunches && !piece->enabled)
    return; // some nodes do not run again (H200, driver 580), without graphprof either
  note(*exec, "a kernel switched");
  exec->switched = true;
  piece->enabled = !piece->enabled;
  CHECK(cuda::cudaGraphNodeSetEnabled(exec->handle, node, piece->enabled));
}

void Player::upload() {
  if (execs_.empty())
    return;
  Exec &exec = execs_[random(static_cast<unsigned>(execs_.size()))];
  note(exec, "uploaded");
  CHECK(cuda::cudaGraphUpload(exec.handle, stream()));
}

void Player::destroyExec() {
  if (execs_.empty())
    return;
  const auto which = execs_.begin() + random(static_cast<unsigned>(execs_.size()));
  note(*which, "destroyed");
  CHECK(cuda::cudaGraphExecDestroy(which->handle));
  --which->plan.family->execs;
  which->plan.family->running = true;
  execs_.erase(which);
}

// The rest

void Player::eager() {
  const cudaStream_t where = stream();
  Plan plan{std::make_shared<Family>(), {}, Timed::No};
  families_.push_back(plan.family);
  static const Site site{"eager", __FILE__, __LINE__, __func__};
  const auto timed = [&](auto inside) {
    const Switch::Look look(ledger_.recording);
    const Scope scope = active() ? Scope(site, on_stream(where)) : Scope();
    look.count(ledger_.eager);
    kernel(Work::Fold, where, plan);
    inside();
  };
  timed([&] {
    if (random(2))
      timed([] {});
  });
  for (const Piece &piece : plan.pieces)
    plan.family->expected.fold(piece.amount);
}

void Player::control() {
  switch (random(4)) {
  case 0:
    ledger_.recording.set(false);
    break;
  case 1:
    (void)graphprof::flush(0);
    break;
  case 2: {
    bool gone = false;
    std::atomic<bool> late{false};
    {
      const Profiler profiler([&](const Record &) { late = late || gone; });
      launch();
      // Its end waits for what is out; the simulation's time would hardly pass meanwhile.
      for (const cudaStream_t each : streams_)
        CHECK(cudaStreamSynchronize(each));
    }
    gone = true;
    if (late)
      wrong_ += "a profiler that was gone got a record\n";
    break;
  }
  default:
    ledger_.recording.set(true);
  }
}

void Player::end() {
  while (!execs_.empty() || !graphs_.empty())
    random(2) ? destroyExec() : destroyGraph();
  for (const cudaStream_t each : {streams_[0], streams_[1], captured_, side_}) {
    CHECK(cudaStreamSynchronize(each));
    CHECK(cudaStreamDestroy(each));
  }
  for (const cudaEvent_t each : {fork_, join_})
    CHECK(cudaEventDestroy(each));
  CHECK(cudaGetLastError());
}

std::string Player::wrong() const {
  std::string wrong = wrong_;
  for (const auto &family : families_)
    if (const Result result = family->cell.result(); result != family->expected)
      wrong += "the results are not those of the program's launches: chain " +
               std::to_string(result.chain) + " for " + std::to_string(family->expected.chain) +
               ", sum " + std::to_string(result.sum) + " for " +
               std::to_string(family->expected.sum) + "\n" + family->history;
  return wrong;
}

} // namespace graphprof::test
