// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What every measurement needs of a GPU: a stream, a gate that holds it until all is enqueued,
// readings of the SM clock, and a way to empty the L2 cache. Knows nothing of what is measured.

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
  /// Throws bench_error where there is not enough.
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

/// Of the context that is current on this thread, which uses it alone.
class Gpu {
public:
  /// In the program's stream, or where that is null one of its own. It is a blocking one: what is
  /// captured in it and uses the default stream is then found out. Throws bench_error.
  explicit Gpu(driver::Stream programs);
  ~Gpu();
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  [[nodiscard]] driver::Stream stream() const { return stream_; }
  [[nodiscard]] Device &device() const { return *device_; }
  [[nodiscard]] std::size_t l2Bytes() const { return l2Bytes_; }
  /// The highest SM clock; 0 where unknown.
  [[nodiscard]] double peakMhz() const { return peakMhz_; }
  /// Device memory that it holds.
  [[nodiscard]] std::size_t bytes() const { return flushed_.bytes(); }

  /// Waits for the stream.
  void synchronize();
  /// Enqueues reading twice the cache's size; the other form captures it. The memory for it is
  /// taken by needFlush() before.
  void needFlush();
  void flush();
  void captureFlush();

  /// While it lives the stream's work waits, a tenth of a second at most. Then late() is true: the
  /// host could not enqueue all of it in that time.
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

  /// Enqueues a reading of the SM clock, of which there are `clockReadings`.
  static constexpr std::size_t clockReadings = 128;
  void readClock(std::size_t reading);
  /// The mean clock between two readings; nullopt where one is missing. After synchronize().
  [[nodiscard]] std::optional<double> mhzBetween(std::size_t first, std::size_t last) const;

private:
  // A kernel with its parameters, which are copied.
  struct Launch {
    driver::Function function;
    unsigned blocks, threads;
    void **parameters;
  };
  void loadKernels();
  // Makes `exec` of the kernel alone where it is null, and launches it. Plain launches in two
  // streams of a process make every kernel of its graphs up to 0.18 us slower, as long as both
  // streams live (H200, driver 580): so none of ours is one.
  void launch(driver::Exec &exec, const Launch &kernel);
  template <class Use> void withFlush(Use use);
  void giveBack() noexcept;

  Device *device_ = nullptr;
  driver::Stream stream_ = nullptr;
  bool ownStream_ = false;
  driver::Library library_ = nullptr;
  driver::Function gate_ = nullptr, clock_ = nullptr, flush_ = nullptr;
  driver::Exec gateExec_ = nullptr, flushExec_ = nullptr;
  std::array<driver::Exec, clockReadings> clockExecs_{}; // one a reading
  Pinned words_; // the gate's two, then two a reading of the clock
  Memory flushed_;
  int multiprocessors_ = 0;
  std::size_t l2Bytes_ = 0;
  double peakMhz_ = 0;
};

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_GPU_H
