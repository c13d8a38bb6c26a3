// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The CUDA driver, as the command asks it about the machine. It is looked up at run time: there may
// be none, or one that is too old for the library.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_DRIVER_H
#define GRAPHPROF_TOOL_GRAPHPROF_DRIVER_H

#include <cstddef>
#include <string>

namespace graphprof::tool {

struct Device {
  std::string name;
  int major = 0, minor = 0; // compute capability
  int multiprocessors = 0;
  std::size_t memory = 0; // bytes
};

class Driver {
public:
  Driver();

  /// Why there is none, as the loader says it; empty: there is one.
  [[nodiscard]] const std::string &whyMissing() const { return whyMissing_; }
  /// 12030 is CUDA 12.3; 0: it does not say.
  [[nodiscard]] int version() const { return version_; }
  [[nodiscard]] std::string versionText() const;
  [[nodiscard]] bool isTooOld() const { return version_ < oldestVersion; }

  /// Initializes the driver. Returns cuInit's error (a CUresult, or -1); 0: none.
  int init();
  /// After init(). 0 where it failed.
  [[nodiscard]] int deviceCount() const { return count_; }
  [[nodiscard]] Device device(int number) const;

  /// Makes the device's primary context this thread's. False: that failed, and nothing is to be
  /// released.
  [[nodiscard]] bool enter(int device) const;
  void leave(int device) const;

private:
  static constexpr int oldestVersion = 12030;

  void *library_;
  std::string whyMissing_;
  int version_ = 0, count_ = 0;
};

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_DRIVER_H
