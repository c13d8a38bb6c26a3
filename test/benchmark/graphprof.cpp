// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Timing with graphprof, through the code that the tool inserts: the guard and the redirected
// calls.

#include "technique.h"

#include <cstdlib>
#include <mutex>
#include <string_view>

#include <graphprof/cuda.h>
#include <graphprof/graphprof.h>

#include "check.h"

namespace benchmark {
namespace {

std::string clockName() {
  const char *clock = std::getenv("GRAPHPROF_CLOCK");
  return clock && std::string_view(clock) == "event" ? "events" : "stamps";
}

class Graphprof : public Technique {
public:
  explicit Graphprof(std::string name) : Technique(std::move(name)) {}

  ~Graphprof() override {
    for (const cudaGraphExec_t exec : takeExecs())
      graphprof::cuda::cudaGraphExecDestroy(exec);
    if (const cudaGraph_t graph = takeGraph())
      graphprof::cuda::cudaGraphDestroy(graph);
  }

protected:
  void launchExec(cudaGraphExec_t exec, cudaStream_t stream) override {
    CHECK(graphprof::cuda::cudaGraphLaunch(exec, stream));
  }

  void beginCapture() override {
    CHECK(graphprof::cuda::cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
  }

  void time(int index, const Work &work) override {
    GRAPHPROF_SCOPE(1, "region {}", ::graphprof::on_stream(stream()), index);
    work();
  }

  cudaGraph_t endCapture() override {
    cudaGraph_t graph = nullptr;
    CHECK(graphprof::cuda::cudaStreamEndCapture(stream(), &graph));
    return graph;
  }

  cudaGraphExec_t instantiate(cudaGraph_t graph) override {
    cudaGraphExec_t exec = nullptr;
    CHECK(graphprof::cuda::cudaGraphInstantiate(&exec, graph, 0));
    return exec;
  }
};

class GraphprofRecording : public Graphprof {
public:
  explicit GraphprofRecording(const std::string &how = "")
      : Graphprof("graphprof, " + clockName() + how) {}

  void switchOn() override {
    graphprof::flush();
    const std::lock_guard lock(mutex_);
    rows_.clear();
    graphprof::start();
  }

  void switchOff() override { graphprof::stop(); }

  std::vector<std::vector<double>> readings(int launches) override {
    graphprof::flush();
    const std::lock_guard lock(mutex_);
    lost_ += launches - static_cast<long>(rows_.size());
    return rows_;
  }

  std::vector<char> areOfBegins() override {
    const std::lock_guard lock(mutex_);
    return ofBegins_;
  }

  long lostReplays() const override { return lost_; }

private:
  // Called on graphprof's thread, in launch order, and in capture order within a replay.
  void take(const graphprof::Record &record) {
    const std::lock_guard lock(mutex_);
    if (rows_.empty() || record.replay != replay_) {
      rows_.emplace_back();
      ofBegins_.clear();
    }
    replay_ = record.replay;
    ofBegins_.push_back(record.ends == graphprof::Ends::NextBegin);
    rows_.back().push_back(1e-3 * static_cast<double>(record.duration_ns));
  }

  std::mutex mutex_;
  std::vector<std::vector<double>> rows_; // guarded by mutex_
  std::vector<char> ofBegins_;            // for the last row; guarded by mutex_
  std::uint64_t replay_ = 0;              // the replay of the last row; guarded by mutex_
  long lost_ = 0;
  graphprof::Profiler profiler_{[this](const graphprof::Record &record) { take(record); }};
};

class GraphprofIdle : public Graphprof {
public:
  GraphprofIdle() : Graphprof("graphprof, " + clockName() + ", idle") {}
};

} // namespace

std::unique_ptr<Technique> makeGraphprofRecording() {
  graphprof::stop(); // until switched on
  return std::make_unique<GraphprofRecording>();
}

std::unique_ptr<Technique> makeGraphprofAtCompletion() {
  graphprof::stop();
  return std::make_unique<GraphprofRecording>(", at completion");
}

std::unique_ptr<Technique> makeGraphprofIdle() {
  graphprof::stop();
  return std::make_unique<GraphprofIdle>();
}

} // namespace benchmark
