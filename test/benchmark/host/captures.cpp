// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The costs of captures: marking a region, splitting and instantiating the graph, the first launch,
// which makes the profiled exec, and programs that capture before every launch.

#include <stdexcept>
#include <string>

#include "../check.h"
#include "comparison.h"
#include "program.h"
#include "sections.h"

namespace benchmark::host {
namespace {

namespace cuda = graphprof::cuda;

// The steps from a capture to an exec, with the program's own calls or with the redirected ones.
class Making {
public:
  Making(cudaStream_t stream, int regions) : stream_(stream), regions_(regions) {}

  void beginPlain() { CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)); }
  void beginTimed() {
    CHECK(cuda::cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  }
  void fillPlain() const {
    for (int i = 0; i < regions_; ++i)
      launchNothing(stream_);
  }
  void fillTimed() const {
    for (int i = 0; i < regions_; ++i) {
      GRAPHPROF_SCOPE(1, "region {}", ::graphprof::on_stream(stream_), i);
      launchNothing(stream_);
    }
  }
  void endPlain() { CHECK(cudaStreamEndCapture(stream_, &graph_)); }
  void endTimed() { CHECK(cuda::cudaStreamEndCapture(stream_, &graph_)); }
  void instantiatePlain() { CHECK(cudaGraphInstantiate(&exec_, graph_, 0)); }
  void instantiateTimed() { CHECK(cuda::cudaGraphInstantiate(&exec_, graph_, 0)); }
  void launchPlain() { CHECK(cudaGraphLaunch(exec_, stream_)); }
  void launchTimed() { CHECK(cuda::cudaGraphLaunch(exec_, stream_)); }

  // Destroys what exists. The redirected calls work for both.
  void clear() {
    cudaStreamCaptureStatus status{};
    CHECK(cudaStreamIsCapturing(stream_, &status));
    if (status != cudaStreamCaptureStatusNone)
      endTimed();
    CHECK(cudaStreamSynchronize(stream_));
    if (exec_)
      CHECK(cuda::cudaGraphExecDestroy(exec_));
    if (graph_)
      CHECK(cuda::cudaGraphDestroy(graph_));
    exec_ = nullptr;
    graph_ = nullptr;
    graphprof::flush();
  }

private:
  const cudaStream_t stream_;
  const int regions_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

void steps(std::vector<Figure> &figures, cudaStream_t stream, int regions, int rounds) {
  Making making(stream, regions);
  const std::string chain = ", chain of " + std::to_string(regions);
  Comparison mark;
  mark.what = "marking, a region" + chain;
  mark.batch = 1;
  mark.parts = regions;
  mark.rounds = rounds;
  mark.beforePlain = [&] { making.beginPlain(); };
  mark.before = [&] { making.beginTimed(); };
  mark.plain = [&](int) { making.fillPlain(); };
  mark.timed = [&](int) { making.fillTimed(); };
  mark.after = [&] { making.clear(); };
  figures.push_back(compare(mark));

  Comparison split = mark;
  split.what = "the capture's end (splitting), a node" + chain;
  split.beforePlain = [&] {
    making.beginPlain();
    making.fillPlain();
  };
  split.before = [&] {
    making.beginTimed();
    making.fillTimed();
  };
  split.plain = [&](int) { making.endPlain(); };
  split.timed = [&](int) { making.endTimed(); };
  figures.push_back(compare(split));

  Comparison instantiate = split;
  instantiate.what = "the end and the instantiation, a node" + chain;
  instantiate.aim = "3";
  instantiate.plain = [&](int) {
    making.endPlain();
    making.instantiatePlain();
  };
  instantiate.timed = [&](int) {
    making.endTimed();
    making.instantiateTimed();
  };
  figures.push_back(compare(instantiate));

  Comparison launch = instantiate;
  launch.what = "the first launch, a node" + chain;
  launch.aim.clear();
  launch.beforePlain = [&] {
    making.beginPlain();
    making.fillPlain();
    making.endPlain();
    making.instantiatePlain();
  };
  launch.before = [&] {
    making.beginTimed();
    making.fillTimed();
    making.endTimed();
    making.instantiateTimed();
  };
  launch.plain = [&](int) { making.launchPlain(); };
  launch.timed = [&](int) { making.launchTimed(); };
  const Counter counter; // so that it is recorded
  figures.push_back(compare(launch));
  if (counter.count() == 0)
    throw std::runtime_error("first launches are not recorded");
}

// Captures four kernels, updates an exec with them and launches it, repeatedly.
Figure captureAnew(const Stream &stream, bool quick) {
  constexpr int regions = 4;
  const PlainExec plainExec(stream, regions);
  const TimedExec timedExec(stream, regions);
  cudaGraphExecUpdateResultInfo info{};

  Comparison anew;
  anew.what = "a capture of 4 regions, update, launch";
  anew.batch = quick ? 2 : 16;
  anew.rounds = quick ? 2 : 201;
  anew.plain = [&](int count) {
    for (int i = 0; i < count; ++i) {
      cudaGraph_t graph = nullptr;
      CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
      for (int k = 0; k < regions; ++k)
        launchNothing(stream);
      CHECK(cudaStreamEndCapture(stream, &graph));
      CHECK(cudaGraphExecUpdate(plainExec.get(), graph, &info));
      plainExec.launch(stream);
      CHECK(cudaGraphDestroy(graph));
    }
  };
  anew.timed = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const cudaGraph_t graph = captureTimed(stream, regions);
      CHECK(cuda::cudaGraphExecUpdate(timedExec.get(), graph, &info));
      timedExec.launch(stream);
      CHECK(cuda::cudaGraphDestroy(graph));
    }
  };
  anew.after = [&] {
    stream.synchronize();
    graphprof::flush();
  };
  Counter counter;
  Figure figure = compare(anew);
  counter.check(2ULL * static_cast<unsigned>(anew.batch * (anew.rounds + 1)), regions, anew.what);
  return figure;
}

} // namespace

void captures(Effort effort) {
  const bool quick = effort == Effort::Quick;
  const Stream stream;
  std::vector<Figure> figures;
  for (const int regions : {16, 200, 1000})
    if (!quick || regions == 16)
      steps(figures, stream, regions, quick ? 2 : regions < 1000 ? 101 : 31);
  figures.push_back(captureAnew(stream, quick));
  print("Captures", "us", figures);
}

} // namespace benchmark::host
