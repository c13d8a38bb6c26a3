// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A model of how much memory the device has left, exact to the byte: what the program allocates
// takes its size, execs take memory by their nodes, and what graphs allocate comes from one pool.

#ifndef CUDASIM_SRC_MEMORYLEFT_H
#define CUDASIM_SRC_MEMORYLEFT_H

#include "cudasim/cudasim.h"

#include <cstddef>
#include <map>

struct CUgraphExec_st;

namespace cudasim {

struct Device;

// The memory that graphs allocate while they run. All graphs share it: it grows to what is in use
// at once, in whole granules, and shrinks only when it is trimmed.
class GraphPool {
public:
  void allocate(const void *pointer, std::size_t bytes);
  // Ignores what is not of the pool.
  void free(const void *pointer);
  void trim() { reserved_ = rounded(used_); }
  void forgetHighs() {
    usedHigh_ = used_;
    reservedHigh_ = reserved_;
  }

  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] std::size_t usedHigh() const { return usedHigh_; }
  [[nodiscard]] std::size_t reserved() const { return reserved_; }
  [[nodiscard]] std::size_t reservedHigh() const { return reservedHigh_; }

private:
  static std::size_t rounded(std::size_t bytes) {
    return (bytes + poolGranularity - 1) / poolGranularity * poolGranularity;
  }

  std::map<const void *, std::size_t> blocks_;
  std::size_t used_ = 0, usedHigh_ = 0, reserved_ = 0, reservedHigh_ = 0;
};

// What an exec takes when it is instantiated, and at its first launch or upload.
void takeInstantiated(CUgraphExec_st &exec);
void takeUploaded(CUgraphExec_st &exec);

// The bytes that everything there is takes, and those that are left.
std::size_t memoryTaken(const Device &device);
std::size_t memoryLeft(const Device &device);

} // namespace cudasim

#endif // CUDASIM_SRC_MEMORYLEFT_H
