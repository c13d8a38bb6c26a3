// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements the benchmarks of graphprof/capi.h: candidates of another language become Works.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Edge.h"
#include "bench/Fault.h"
#include "bench/Measured.h"
#include "bench/Work.h"
#include "capi/Status.h"
#include "cuda/Driver.h"
#include "graphprof/bench_result.h"

using namespace graphprof;

struct graphprof_capi_bench {
  struct One {
    bench_result result;
    std::vector<const char *> warnings, nodes;
  };
  std::deque<One> all;
  std::vector<bench_ratio> ratios;
};

namespace graphprof {
namespace {

using bench_detail::check;
using bench_detail::Work;

void called(int answer, const char *what, const std::string &name) {
  if (answer != 0)
    throw bench_error(bench_fault::callable, "graphprof: " + name + ": its " + what +
                                                 " failed with " + std::to_string(answer));
}

// A graph that was captured before. In a capture it becomes a child node.
class GivenGraph {
public:
  explicit GivenGraph(driver::Graph graph) : graph_(graph) {}
  ~GivenGraph() {
    if (exec_)
      driver::cu().graphExecDestroy(exec_);
  }
  GivenGraph(const GivenGraph &) = delete;
  GivenGraph &operator=(const GivenGraph &) = delete;

  void issue(driver::Stream stream) {
    driver::CaptureStatus status{};
    std::uint64_t id = 0;
    driver::Graph around = nullptr;
    const driver::Node *nodes = nullptr;
    const driver::EdgeData *edges = nullptr;
    std::size_t count = 0;
    check(driver::cu().streamGetCaptureInfo(stream, &status, &id, &around, &nodes, &edges, &count),
          "tell whether a stream is captured");
    if (status == driver::CaptureStatus::None)
      return launch(stream);
    driver::Node child = nullptr;
    check(driver::cu().graphAddChildGraphNode(&child, around, nodes, count, graph_),
          "put a graph into another");
    const driver::EdgeData whole{};
    check(driver::cu().streamUpdateCaptureDependencies(stream, &child, &whole, 1,
                                                       driver::setDependencies),
          "let a capture wait for a node");
  }

private:
  void launch(driver::Stream stream) {
    if (!exec_)
      check(driver::cu().graphInstantiate(&exec_, graph_, 0), "instantiate a graph");
    check(driver::cu().graphLaunch(exec_, stream), "launch a graph");
  }

  const driver::Graph graph_;
  driver::Exec exec_ = nullptr;
};

Work workOf(const graphprof_capi_candidate &given) {
  detail::BenchWork flat;
  flat.name = given.name && *given.name ? given.name : "benchmark";
  flat.peekError = flat.takeError = [] { return 0; };
  for (std::size_t i = 0; i < given.range_count; ++i)
    flat.ranges.add(given.ranges[i].data, given.ranges[i].bytes);
  if (given.graph) {
    const auto graph = std::make_shared<GivenGraph>(static_cast<driver::Graph>(given.graph));
    flat.call = [graph](CUstream_st *stream, const device_moves *) { graph->issue(stream); };
    return Work(std::move(flat));
  }
  if (!given.call)
    throw capi::Failure{graphprof_capi_bad_argument,
                        "the candidate " + flat.name + " has neither a call nor a graph"};
  if (given.range_count > 0 && (!given.ranges || !given.make_copies))
    throw capi::Failure{graphprof_capi_bad_argument,
                        "the candidate " + flat.name + " has ranges, and no make_copies"};
  const auto call = [call = given.call, user = given.user, name = flat.name](driver::Stream stream,
                                                                             std::size_t copy) {
    called(call(user, stream, static_cast<int>(copy)), "call", name);
  };
  flat.call = [call](CUstream_st *stream, const device_moves *) { call(stream, 0); };
  Work work(std::move(flat));
  work.callWith = call;
  work.makeCopies = [make = given.make_copies, user = given.user, name = work.name](int copies) {
    if (make)
      called(make(user, copies), "make_copies", name);
  };
  if (given.capture)
    work.capture = [capture = given.capture, user = given.user,
                    name = work.name](driver::Stream stream, const std::function<void()> &issue) {
      struct Issuing {
        const std::function<void()> &issue;
        std::exception_ptr failure; // must not pass through the other language
      } issuing{issue, nullptr};
      void *graph = nullptr;
      const int answer = capture(
          user, stream,
          [](void *of) {
            auto &mine = *static_cast<Issuing *>(of);
            try {
              mine.issue();
              return 0;
            } catch (...) {
              mine.failure = std::current_exception();
              return 1;
            }
          },
          &issuing, &graph);
      if (issuing.failure)
        std::rethrow_exception(issuing.failure);
      called(answer, "capture", name);
      return static_cast<driver::Graph>(graph);
    };
  return work;
}

bench_options flatOptions(const graphprof_capi_bench_options &given) {
  bench_options options;
  const auto among = [](int value, int most, const char *name) {
    if (value < 0 || value > most)
      throw capi::Failure{graphprof_capi_bad_argument,
                          std::string(name) + " must be from 0 to " + std::to_string(most)};
    return value;
  };
  if (given.dry_run_iters >= 0)
    options.dry_run_iters = given.dry_run_iters;
  if (given.repeat_iters >= 0)
    options.repeat_iters = given.repeat_iters;
  options.dry_run_time_ms = given.dry_run_time_ms;
  options.repeat_time_ms = given.repeat_time_ms;
  options.num_iters_within_graph = given.num_iters_within_graph;
  options.sleep_after_run = given.sleep_after_run != 0;
  options.cold_l2_cache = given.cold_l2_cache != 0;
  options.cold_method = static_cast<cold_l2>(among(given.cold_method, 2, "cold_method"));
  options.stop = static_cast<bench_stop>(among(given.stop, 2, "stop"));
  options.relative_precision = given.relative_precision;
  options.max_time_ms = given.max_time_ms;
  options.min_sm_clock = given.min_sm_clock;
  options.bytes = given.bytes;
  options.flops = given.flops;
  options.stream = static_cast<CUstream_st *>(given.stream);
  static_cast<void>(among(given.timer, 2, "timer"));
  return options;
}

std::vector<const char *> pointersTo(const std::vector<std::string> &texts) {
  std::vector<const char *> pointers;
  pointers.reserve(texts.size());
  for (const std::string &text : texts)
    pointers.push_back(text.c_str());
  return pointers;
}

} // namespace
} // namespace graphprof

int graphprof_capi_bench_defaults(graphprof_capi_bench_options *options) {
  const bench_options defaults;
  graphprof_capi_bench_options all{};
  all.dry_run_iters = all.repeat_iters = -1;
  all.dry_run_time_ms = defaults.dry_run_time_ms;
  all.repeat_time_ms = defaults.repeat_time_ms;
  all.num_iters_within_graph = defaults.num_iters_within_graph;
  all.cold_l2_cache = 1;
  all.relative_precision = defaults.relative_precision;
  all.max_time_ms = defaults.max_time_ms;
  all.min_sm_clock = defaults.min_sm_clock;
  return capi::write(options, all) ? graphprof_capi_ok : capi::missing("options");
}

int graphprof_capi_bench_run(const graphprof_capi_candidate *candidates, size_t count,
                             const graphprof_capi_bench_options *given,
                             graphprof_capi_bench **bench) {
  graphprof_capi_bench_options options{};
  options.size = sizeof options;
  static_cast<void>(graphprof_capi_bench_defaults(&options));
  if (!candidates || count == 0 || !bench)
    return capi::missing(bench ? "candidates" : "bench");
  const Edge edge;
  return capi::guarded([&] {
    if (given) { // what the caller's struct lacks keeps its default
      if (given->size < sizeof(std::size_t))
        throw capi::Failure{graphprof_capi_bad_argument, "the `size` of options is not set"};
      std::memcpy(&options, given, std::min(given->size, sizeof options));
    }
    std::deque<Work> works;
    const auto *each = reinterpret_cast<const char *>(candidates);
    for (std::size_t i = 0; i < count; ++i, each += candidates->size) {
      graphprof_capi_candidate candidate;
      if (!capi::read(reinterpret_cast<const graphprof_capi_candidate *>(each), candidate))
        throw capi::Failure{graphprof_capi_bad_argument, "the `size` of a candidate is not set"};
      works.push_back(workOf(candidate));
    }
    bench_detail::Works pointers;
    for (const Work &work : works)
      pointers.push_back(&work);
    const bench_options wanted = flatOptions(options);
    bench_comparison found = bench_detail::measured(
        pointers, wanted, static_cast<bench_timer>(options.timer),
        options.per_run ? bench_detail::SampleOf::Run : bench_detail::SampleOf::Call);
    auto made = std::make_unique<graphprof_capi_bench>();
    for (bench_result &result : found.results) {
      graphprof_capi_bench::One &one = made->all.emplace_back();
      one.result = std::move(result);
      one.warnings = pointersTo(one.result.warnings);
      one.nodes = pointersTo(one.result.nodes);
    }
    made->ratios = std::move(found.ratios);
    *bench = made.release();
  });
}

void graphprof_capi_bench_release(graphprof_capi_bench *bench) { delete bench; }

int graphprof_capi_bench_get(const graphprof_capi_bench *bench, size_t candidate,
                             graphprof_capi_bench_result *result) {
  if (!bench)
    return capi::missing("bench");
  if (candidate >= bench->all.size())
    return capi::failed(graphprof_capi_bad_argument, "there is no candidate of that number");
  const graphprof_capi_bench::One &one = bench->all[candidate];
  const bench_result &from = one.result;
  const bench_ratio &ratio = bench->ratios[candidate];
  graphprof_capi_bench_result all{};
  all.name = from.name.c_str();
  all.device = from.device.c_str();
  all.throttle = from.throttle.c_str();
  all.times_ms = from.times_ms.data();
  all.time_count = from.times_ms.size();
  all.discarded = from.discarded;
  all.median_ms = from.median_ms;
  all.low_ms = from.low_ms;
  all.high_ms = from.high_ms;
  all.mean_ms = from.mean_ms;
  all.stddev_ms = from.stddev_ms;
  all.min_ms = from.min_ms;
  all.max_ms = from.max_ms;
  all.p5_ms = from.p5_ms;
  all.p25_ms = from.p25_ms;
  all.p75_ms = from.p75_ms;
  all.p95_ms = from.p95_ms;
  all.p99_ms = from.p99_ms;
  all.converged = from.converged ? 1 : 0;
  all.cold = from.cold ? 1 : 0;
  all.cold_method = static_cast<int>(from.cold_method);
  all.timer = static_cast<int>(from.timer);
  all.bytes_per_s = from.bytes_per_s;
  all.flops_per_s = from.flops_per_s;
  all.l2_bytes = from.l2_bytes;
  all.argument_bytes = from.argument_bytes;
  all.reuse_bytes = from.reuse_bytes;
  all.memory_bytes = from.memory_bytes;
  all.node_count = from.node_count;
  all.copies = from.copies;
  all.graphs = from.graphs;
  all.iterations_within_graph = from.iterations_within_graph;
  all.dry_runs = from.dry_runs;
  all.peak_sm_clock_mhz = from.peak_sm_clock_mhz;
  all.warnings = one.warnings.data();
  all.warning_count = one.warnings.size();
  all.nodes = one.nodes.data();
  all.work_count = one.nodes.size();
  all.ratio = ratio.ratio;
  all.ratio_low = ratio.low;
  all.ratio_high = ratio.high;
  all.verdict = static_cast<int>(ratio.verdict);
  return capi::write(result, all) ? graphprof_capi_ok : capi::missing("result");
}
