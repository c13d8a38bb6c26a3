// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What every measurement needs of a GPU: a stream, a gate that holds it until the work is enqueued,
// readings of the SM clock, and a way to empty the L2 cache. Does not know what is measured.

#ifndef GRAPHPROF_BENCH_GPU_H
#define GRAPHPROF_BENCH_GPU_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "clock/Device.h"
#include "cuda/DriverApi.h"

namespace graphprof::bench_detail {

/// Device memory.
class Memory {
public:
  Memory() = default;
  /// Throws bench_error if there is not enough memory.
  explicit Memory(std::size_t bytes);
  Memory(Memory &&other) noexcept;
  Memory &operator=(Memory &&other) noexcept;
  ~Memory();

  [[nodiscard]] driver::DevicePointer address() const { return address_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
  driver::DevicePointer address_ = 0;
  std::size_t bytes_ = 0;
};

/// For the current context of this thread. Only this thread uses it.
class Gpu {
public:
  /// Uses the program's stream, or its own if that is null. Its own is a blocking stream, so that a
  /// captured callable that uses the default stream is detected. Throws bench_error.
  explicit Gpu(driver::Stream programs);
  ~Gpu();
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  [[nodiscard]] driver::Stream stream() const { return stream_; }
  [[nodiscard]] Device &device() const { return *device_; }
  [[nodiscard]] std::size_t l2Bytes() const { return l2Bytes_; }
  /// The highest SM clock; 0 if unknown.
  [[nodiscard]] double peakMhz() const { return peakMhz_; }
  /// The device memory that it holds.
  [[nodiscard]] std::size_t bytes() const { return flushed_.bytes(); }

  /// Waits for the stream.
  void synchronize();
  /// flush() enqueues a read of twice the cache's size, captureFlush() captures it. Call
  /// needFlush() before, which allocates the memory.
  void needFlush();
  void flush();
  void captureFlush();

  /// While it lives, the stream's work waits, for at most a tenth of a second. After that late() is
  /// true: the host could not enqueue everything in time.
  class Gate {
  public:
    explicit Gate(Gpu &gpu);
    ~Gate() { open(); }
    Gate(const Gate &) = delete;
    Gate &operator=(const Gate &) = delete;
    void open() noexcept;

  private:
    Gpu &gpu_;
  };
  [[nodiscard]] bool late() const;

  /// Enqueues a reading of the SM clock. There are `clockReadings` of them.
  static constexpr std::size_t clockReadings = 128;
  void readClock(std::size_t reading);
  /// The mean clock between two readings; nullopt if one is missing. Call it after synchronize().
  [[nodiscard]] std::optional<double> mhzBetween(std::size_t first, std::size_t last) const;
  /// Likewise the time between them.
  [[nodiscard]] std::optional<double> msBetween(std::size_t first, std::size_t last) const;

private:
  // A kernel with its parameters, which are copied.
  struct Launch {
    driver::Function function;
    unsigned blocks, threads;
    void **parameters;
  };
  void loadKernels();
  // Makes `exec` from the kernel alone if it is null, and launches it. Plain launches in two
  // streams of a process make every kernel of its graphs up to 0.18 us slower while both streams
  // live (H200, driver 580). So graphprof makes no plain launches here.
  void launch(driver::Exec &exec, const Launch &kernel);
  // What passed between two readings, on the multiprocessor that answered both.
  struct Passed {
    std::uint64_t ns, cycles;
  };
  [[nodiscard]] std::optional<Passed> between(std::size_t first, std::size_t last) const;
  template <class Use> void withFlush(Use use);
  void giveBack() noexcept;

  Device *device_ = nullptr;
  driver::Stream stream_ = nullptr;
  bool ownStream_ = false;
  driver::Library library_ = nullptr;
  driver::Function gate_ = nullptr, clock_ = nullptr, flush_ = nullptr;
  driver::Exec gateExec_ = nullptr, flushExec_ = nullptr;
  std::array<driver::Exec, clockReadings> clockExecs_{}; // one for each reading
  Pinned words_; // two for the gate, then two for each clock reading
  Memory flushed_;
  int multiprocessors_ = 0;
  std::size_t l2Bytes_ = 0;
  double peakMhz_ = 0;
};

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_GPU_H
