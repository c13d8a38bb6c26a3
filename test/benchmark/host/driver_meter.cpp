// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The only part of the benchmark that uses the library's internals: the table of driver functions.

#include "driver_meter.h"

#include <stdexcept>
#include <vector>

#include "../statistics.h"
#include "cuda/Driver.h"
#include "ticks.h"

namespace benchmark::host {
namespace {

using graphprof::driver::Functions;
using graphprof::driver::Result;

Functions original;

template <auto Member> struct Metered;
template <class... Arguments, Result (*Functions::*Member)(Arguments...)> struct Metered<Member> {
  static Result call(Arguments... arguments) {
    DriverCalls &calls = DriverCalls::ofThisThread();
    const std::int64_t begin = ticks();
    const Result result = (original.*Member)(arguments...);
    calls.ticks += ticks() - begin;
    ++calls.count;
    return result;
  }
};

// The library's table is not constant, because it is filled when the driver is found.
Functions &table() {
  const Functions *functions = graphprof::driver::functions();
  if (!functions)
    throw std::runtime_error(graphprof::driver::whyNot());
  return const_cast<Functions &>(*functions);
}

Result nothing(graphprof::driver::Stream, graphprof::driver::CaptureStatus *) {
  return Result::Success;
}

} // namespace

DriverCalls &DriverCalls::ofThisThread() {
  static thread_local DriverCalls calls;
  return calls;
}

double DriverCalls::overheadTicks() {
  static const double measured = [] {
    const Functions saved = original;
    original.streamIsCapturing = nothing;
    Result (*volatile call)(graphprof::driver::Stream, graphprof::driver::CaptureStatus *) =
        Metered<&Functions::streamIsCapturing>::call;
    std::vector<double> samples;
    for (int round = 0; round < 101; ++round) {
      constexpr int calls = 200; // mostly faster than the machine's next interrupt
      reset();
      const std::int64_t begin = host::ticks();
      for (int i = 0; i < calls; ++i)
        call(nullptr, nullptr);
      const std::int64_t took = host::ticks() - begin;
      samples.push_back(static_cast<double>(took - ofThisThread().ticks) / calls);
    }
    original = saved;
    return median(samples);
  }();
  return measured;
}

DriverMeter::DriverMeter() {
  DriverCalls::overheadTicks();
  Functions &functions = table();
  original = functions;
#define METER(member, symbol, parameters) functions.member = Metered<&Functions::member>::call;
  GRAPHPROF_DRIVER_FUNCTIONS(METER)
#undef METER
#define METER(version, member, symbol, parameters)                                                 \
  if (functions.member)                                                                            \
    functions.member = Metered<&Functions::member>::call;
  GRAPHPROF_NEWER_DRIVER_FUNCTIONS(METER)
#undef METER
}

DriverMeter::~DriverMeter() { table() = original; }

} // namespace benchmark::host
