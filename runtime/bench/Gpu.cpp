// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Gpu.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "bench/Fault.h"
#include "cuda/DeviceImages.h"
#include "cuda/Driver.h"
#include "process/Process.h"

namespace graphprof::bench_detail {

using driver::cu;
using driver::ok;

namespace {

constexpr unsigned long long gatePatienceNs = 100'000'000;
constexpr std::size_t wordOpen = 0, wordLate = 1, wordsOfGate = 2;
constexpr std::size_t wordsOfReading = 2;

} // namespace

std::string nameOf(driver::Result error) {
  const char *name = nullptr;
  const bool known = driver::functions() && ok(cu().getErrorName(error, &name)) && name;
  return fmt::format("{} ({})", known ? name : "error", static_cast<int>(error));
}

void check(driver::Result result, std::string_view what) {
  if (!ok(result))
    throw bench_error(bench_fault::device,
                      fmt::format("graphprof: CUDA did not {}: {}", what, nameOf(result)));
}

Memory::Memory(std::size_t bytes) : bytes_(bytes) {
  const driver::Result result = cu().memAlloc(&address_, bytes);
  if (!ok(result))
    throw bench_error(bench_fault::memory,
                      fmt::format("graphprof: no {} bytes of device memory are left for a "
                                  "measurement ({}); free some",
                                  bytes, nameOf(result)));
}
Memory::Memory(Memory &&other) noexcept
    : address_(std::exchange(other.address_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}
Memory &Memory::operator=(Memory &&other) noexcept {
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}
Memory::~Memory() {
  if (address_ != 0)
    cu().memFree(address_);
}

Gpu::Gpu(driver::Stream programs) : stream_(programs) {
  if (!driver::functions())
    throw bench_error(bench_fault::device,
                      "graphprof: nothing can be measured: " + driver::whyNot());
  device_ = process().devices.current();
  if (!device_)
    throw bench_error(
        bench_fault::device,
        "graphprof: no CUDA device is current on this thread; call cudaSetDevice first");
  try {
    if (!programs) {
      check(cu().streamCreateWithPriority(&stream_, 0, 0), "make a stream");
      ownStream_ = true;
    }
    loadKernels();
  } catch (...) {
    giveBack();
    throw;
  }
}

void Gpu::loadKernels() {
  check(cu().libraryLoadData(&library_, benchImage(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "load graphprof's kernels");
  for (const auto &[name, function] :
       {std::pair("graphprof_gate", &gate_), std::pair("graphprof_sm_clock", &clock_),
        std::pair("graphprof_flush", &flush_)}) {
    driver::Kernel kernel = nullptr;
    check(cu().libraryGetKernel(&kernel, library_, name), "find a kernel of graphprof's");
    check(cu().kernelGetFunction(function, kernel), "find a kernel of graphprof's");
  }
  const auto attribute = [this](driver::DeviceAttribute which) {
    int value = 0;
    return ok(cu().deviceGetAttribute(&value, which, device_->ordinal())) ? value : 0;
  };
  multiprocessors_ = std::max(1, attribute(driver::DeviceAttribute::Multiprocessors));
  l2Bytes_ =
      static_cast<std::size_t>(std::max(0, attribute(driver::DeviceAttribute::L2CacheBytes)));
  peakMhz_ = attribute(driver::DeviceAttribute::ClockRate) / 1e3; // from kHz
  words_ = device_->pinned().take(wordsOfGate + clockReadings * wordsOfReading);
  if (!words_.host)
    throw bench_error(bench_fault::device,
                      "graphprof: CUDA takes no host memory for a measurement; free pinned memory");
  words_.host[wordOpen] = words_.host[wordLate] = 0; // a measurement may have no gate
}

Gpu::~Gpu() { giveBack(); }

void Gpu::giveBack() noexcept {
  if (stream_)
    cu().streamSynchronize(stream_); // no work of graphprof's runs any more
  for (driver::Exec exec : clockExecs_)
    if (exec)
      cu().graphExecDestroy(exec);
  for (driver::Exec exec : {gateExec_, flushExec_})
    if (exec)
      cu().graphExecDestroy(exec);
  if (words_.host) {
    words_.zeroed = false;
    device_->pinned().giveBack(words_);
  }
  if (library_)
    cu().libraryUnload(library_);
  if (ownStream_)
    cu().streamDestroy(stream_);
}

void Gpu::synchronize() { check(cu().streamSynchronize(stream_), "wait for what is measured"); }

void Gpu::launch(driver::Exec &exec, const Launch &kernel) {
  if (!exec) {
    driver::KernelNodeParams params{};
    params.function = kernel.function;
    params.gridX = kernel.blocks;
    params.blockX = kernel.threads;
    params.gridY = params.gridZ = params.blockY = params.blockZ = 1;
    params.parameters = kernel.parameters;
    driver::Graph graph = nullptr;
    check(cu().graphCreate(&graph, 0), "make a graph");
    driver::Node node = nullptr;
    driver::Result made = cu().graphAddKernelNode(&node, graph, nullptr, 0, &params);
    if (ok(made))
      made = cu().graphInstantiate(&exec, graph, 0);
    cu().graphDestroy(graph);
    if (!ok(made))
      exec = nullptr;
    check(made, "make a graph of a kernel of graphprof's");
  }
  check(cu().graphLaunch(exec, stream_), "launch a kernel of graphprof's");
}

void Gpu::needFlush() {
  if (flushed_.bytes() == 0)
    flushed_ = Memory(2 * std::max<std::size_t>(l2Bytes_, 1 << 20));
}

template <class Use> void Gpu::withFlush(Use use) {
  constexpr unsigned threads = 256, bytesOfLoad = 16;
  driver::DevicePointer data = flushed_.address(), never = 0;
  unsigned long long count = flushed_.bytes() / bytesOfLoad;
  void *parameters[] = {&data, &count, &never};
  // Leaves room for a stamp on every multiprocessor. Otherwise the stamp behind the previous call
  // waits until the flush has ended.
  constexpr unsigned blocksOfEach = 6;
  use(Launch{flush_, blocksOfEach * static_cast<unsigned>(multiprocessors_), threads, parameters});
}

void Gpu::flush() {
  withFlush([&](const Launch &kernel) { launch(flushExec_, kernel); });
}

void Gpu::captureFlush() {
  withFlush([&](const Launch &kernel) {
    check(cu().launchKernel(kernel.function, kernel.blocks, 1, 1, kernel.threads, 1, 1, 0, stream_,
                            kernel.parameters, nullptr),
          "capture a kernel of graphprof's");
  });
}

Gpu::Gate::Gate(Gpu &gpu) : gpu_(gpu) {
  gpu.words_.host[wordOpen] = gpu.words_.host[wordLate] = 0;
  driver::DevicePointer open = gpu.words_.device + wordOpen * sizeof(std::uint64_t);
  driver::DevicePointer late = gpu.words_.device + wordLate * sizeof(std::uint64_t);
  unsigned long long patience = gatePatienceNs;
  void *parameters[] = {&open, &late, &patience};
  gpu.launch(gpu.gateExec_, {gpu.gate_, 1, 1, parameters});
}

void Gpu::Gate::open() noexcept {
  std::atomic_ref<std::uint64_t>(gpu_.words_.host[wordOpen]).store(1, std::memory_order_release);
}

bool Gpu::late() const { return words_.host[wordLate] != 0; }

void Gpu::readClock(std::size_t reading) {
  const std::size_t first = wordsOfGate + reading * wordsOfReading;
  words_.host[first] = words_.host[first + 1] = 0;
  driver::DevicePointer to = words_.device + first * sizeof(std::uint64_t);
  void *parameters[] = {&to};
  launch(clockExecs_[reading],
         {clock_, 2 * static_cast<unsigned>(multiprocessors_), 1, parameters});
}

std::optional<Gpu::Passed> Gpu::between(std::size_t first, std::size_t last) const {
  const std::uint64_t *const from = words_.host + wordsOfGate + first * wordsOfReading;
  const std::uint64_t *const to = words_.host + wordsOfGate + last * wordsOfReading;
  if (from[0] == 0 || to[0] <= from[0] || to[1] <= from[1])
    return std::nullopt;
  return Passed{to[0] - from[0], to[1] - from[1]};
}

std::optional<double> Gpu::mhzBetween(std::size_t first, std::size_t last) const {
  const std::optional<Passed> passed = between(first, last);
  if (!passed)
    return std::nullopt;
  return static_cast<double>(passed->cycles) * 1e3 / static_cast<double>(passed->ns);
}

std::optional<double> Gpu::msBetween(std::size_t first, std::size_t last) const {
  const std::optional<Passed> passed = between(first, last);
  if (!passed)
    return std::nullopt;
  return static_cast<double>(passed->ns) * 1e-6;
}

} // namespace graphprof::bench_detail
