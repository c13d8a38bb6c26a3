// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_KERNELS: what is recorded inside kernels.

#ifndef GRAPHPROF_SERVICES_KERNELRECORDING_H
#define GRAPHPROF_SERVICES_KERNELRECORDING_H

namespace graphprof {

struct KernelRecording {
  /// Not by itself: the compiler may fuse multiplications and additions in a twin otherwise than in
  /// the kernel, so a program's results may differ in their last place in replays with twins.
  bool on = false;
  bool isSet = false;     ///< also to `off`
  unsigned warps = 1;     ///< of each block that is recorded: the first ones
  unsigned blocks = 0;    ///< of each kernel, evenly over its grid; 0: two for each multiprocessor
  unsigned entries = 512; ///< of each warp: begins and ends
  bool operator==(const KernelRecording &) const = default;

  static constexpr unsigned mostWarps = 32, mostBlocks = 65'536, mostEntries = 65'534;
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_KERNELRECORDING_H
