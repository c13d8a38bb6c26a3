// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Program.h's program and the rest of graphprof's functions, while allocations of graphprof's fail.
//
//     allocation-program                   does it once: GRAPHPROF_TEST_FAIL says what fails
//     allocation-program sweep WHERE STEP [FIRST]
//                                          again and again in this process, while number FIRST,
//                                          FIRST + STEP, FIRST + 2 STEP ... of WHERE (program or
//                                          threads) fails, and then again while many fail from
//                                          there on
//
// It prints what it sees; sweeping, only where that is something else than at first, or where
// records are missing that nobody has counted. The last line is about graphprof.

#include <array>
#include <atomic>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "Allocations.h"
#include "Program.h"

namespace {

using graphprof::test::Own;
using graphprof::test::Where;

// What was said in one round; it takes no memory to say something.
struct MessageLog {
  std::array<char, 1 << 16> text;
  std::size_t size = 0;
};
MessageLog said, first;

} // namespace

void graphprof::test::say(const char *format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const std::size_t room = said.text.size() - said.size;
  const int size = std::vsnprintf(said.text.data() + said.size, room, format, arguments);
  va_end(arguments);
  if (size < 0 || static_cast<std::size_t>(size) >= room)
    std::abort();
  said.size += static_cast<std::size_t>(size);
}

namespace {

using graphprof::test::say;

constexpr const char *longText = "a text that is too long to be kept where a short one would be";

// What is no call of CUDA's.
struct Rest {
  const graphprof::test::Program &program;

  void regions() const {
    for (int i = 0; i < 3; ++i) {
      const graphprof::Step step;
      GRAPHPROF_SCOPE(1, "outer {}", graphprof::on_stream(program.stream), longText,
                      graphprof::key("why", longText));
      program.set(20 + i);
      GRAPHPROF_SCOPE(2, "on the host {}", graphprof::on_capture(), longText);
    }
    graphprof::step();
    graphprof::mark(longText);
    graphprof::range_push(longText);
    graphprof::range_pop();
    cudaStreamSynchronize(program.stream);
    say("the byte is %d\n", *program.shown);
  }

  void memory() const {
    void *address = nullptr;
    SEE(graphprof::cuda::cudaMalloc(&address, 100));
    SEE(graphprof::cuda::cudaMemcpy(address, program.shown, 1, cudaMemcpyHostToDevice));
    SEE(graphprof::cuda::cudaFree(address));
  }

  void threads(cudaGraphExec_t exec) const {
    Own own;
    std::thread([&] {
      const cudaError_t status = graphprof::cuda::cudaGraphLaunch(exec, program.other);
      GRAPHPROF_SCOPE(1, "elsewhere {}", graphprof::on_stream(program.other), longText);
      say("%s\n", cudaGetErrorName(status));
    }).join();
    cudaStreamSynchronize(program.other);
    say("the byte is %d\n", *program.shown);
  }

  void profiles(cudaGraphExec_t exec) const {
    std::optional<graphprof::profile_options> options;
    {
      const Own own;
      options.emplace();
      options->schedule = graphprof::schedule(0, 1, 2, 1);
      options->profile_memory = true;
      options->on_trace_ready = [](const graphprof::Trace &trace) {
        trace.export_chrome_trace("/dev/null");
        trace.export_stacks("/dev/null");
        trace.export_memory_timeline("/dev/null");
        (void)trace.key_averages();
      };
    }
    std::optional<graphprof::profile> profile;
    profile.emplace(std::move(*options));
    for (int i = 0; i < 3; ++i) {
      program.launch(exec, program.stream);
      memory();
      profile->step();
    }
    (void)profile->stop(500);
    profile.reset();
    const Own own;
    options.reset();
  }

  void all() const {
    graphprof::Profiler second([](const graphprof::Record &) {});
    const cudaGraph_t graph = program.setting(30);
    cudaGraphExec_t exec = nullptr;
    SEE(graphprof::cuda::cudaGraphInstantiate(&exec, graph, 0ULL));
    regions();
    memory();
    threads(exec);
    profiles(exec);
    SEE(graphprof::cuda::cudaGraphExecDestroy(exec));
    SEE(graphprof::cuda::cudaGraphDestroy(graph));
  }
};

std::atomic<unsigned long> records{0};

unsigned long lost() {
  const graphprof::Losses losses = graphprof::losses();
  return losses.overrun + losses.not_queued + losses.unfinished + losses.incomplete +
         losses.beyond_limit + losses.not_instantiated + losses.not_mirrored + losses.not_launched +
         losses.invalidated + losses.regions_outside_graphs_failed + losses.dropped +
         losses.names_truncated + losses.host_spans + losses.evicted;
}

struct Outcome {
  unsigned long records, lost;
  bool flushed;
};

Outcome round(const graphprof::test::Program &program) {
  said.size = 0;
  const unsigned long recordsBefore = records, lostBefore = lost();
  program.all();
  Rest{program}.all();
  const bool flushed = graphprof::flush(2000);
  return {records - recordsBefore, lost() - lostBefore, flushed};
}

// What was said otherwise than at first.
void printDifference() {
  const std::string now(said.text.data(), said.size), then(first.text.data(), first.size);
  std::size_t at = 0, line = 0;
  for (; at < now.size() && at < then.size() && now[at] == then[at]; ++at)
    line = now[at] == '\n' ? at + 1 : line;
  std::printf("  %s\n  instead of %s\n", now.substr(line, now.find('\n', at) - line).c_str(),
              then.substr(line, then.find('\n', at) - line).c_str());
}

// Returns how many failed.
unsigned long sweep(const graphprof::test::Program &program, Where where, unsigned long begin,
                    unsigned long step, unsigned long further, const Outcome &sound) {
  unsigned long all = 0;
  for (unsigned long number = begin;; number += step) {
    graphprof::test::failAllocations(where, number, number + further);
    const Outcome outcome = round(program);
    const unsigned long failed = graphprof::test::failedAllocations();
    graphprof::test::allocationsWork();
    if (failed == 0)
      return all;
    all += failed;
    const bool differs =
        said.size != first.size || std::memcmp(said.text.data(), first.text.data(), said.size) != 0;
    const bool missing = outcome.records < sound.records && outcome.lost <= sound.lost;
    if (!differs && !missing && outcome.flushed)
      continue;
    std::printf("number %lu and %lu behind it:%s%s\n", number, further,
                missing ? " records are missing and not counted" : "",
                outcome.flushed ? "" : " not flushed");
    if (differs)
      printDifference();
    // What did not come in time comes now.
    (void)graphprof::flush(2000);
  }
}

} // namespace

int main(int argc, char **argv) {
  const bool sweeping = argc > 3;
  std::optional<graphprof::Profiler> profiler;
  profiler.emplace(
      [](const graphprof::Record &record) { records += record.duration_ns >= 0 ? 1 : 0; });
  graphprof::test::Program program;
  program.begin();
  if (!sweeping) {
    const Outcome outcome = round(program);
    std::fwrite(said.text.data(), 1, said.size, stdout);
    std::printf("records %lu losses %lu allocations %lu %lu\n", outcome.records, outcome.lost,
                graphprof::test::allocations(Where::Program),
                graphprof::test::allocations(Where::Threads));
    std::fflush(stdout);
    profiler.reset();
    program.end();
    return 0;
  }
  graphprof::test::allocationsWork();
  (void)round(program); // what is made once is there then
  const Outcome sound = round(program);
  first = said;
  const Where where = std::strcmp(argv[2], "threads") == 0 ? Where::Threads : Where::Program;
  const unsigned long step = std::strtoul(argv[3], nullptr, 10);
  const unsigned long begin = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 1;
  const unsigned long one = sweep(program, where, begin, step, 0, sound);
  // While all fail on the harvest thread nothing is harvested, and who destroys a Profiler waits.
  const unsigned long further = where == Where::Threads ? 20 : LONG_MAX;
  const unsigned long rest = sweep(program, where, begin, step * 8, further, sound);
  std::printf("records %lu losses %lu allocations %lu %lu\n", sound.records, sound.lost, one, rest);
  std::fflush(stdout);
  profiler.reset();
  program.end();
  return 0;
}
