// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Adds up what ran inside kernels: of each kernel at its place how long it took, how long its timed
// twin did, and what the twin's sampled warps spent in each region inside.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_INSIDEKERNELS_H
#define GRAPHPROF_OUTPUT_STATISTICS_INSIDEKERNELS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "output/data/KernelRun.h"
#include "output/statistics/Distribution.h"

namespace graphprof {

/// A region inside a kernel. What it shares with itself at other places is added up apart.
struct InsideRegion {
  InsideOfKernel::Scope scope;
  std::uint32_t number = 0;             ///< of the scope, in its kernel
  std::size_t parent = KernelRun::none; ///< the place of the region around it, before it
  int depth = 0;                        ///< 0: in no other
  Distribution ofWarps;         ///< what each sampled warp that entered it spent in it, in one run
  std::uint64_t iterations = 0; ///< of all of these

  /// Of each warp that entered it, on average.
  [[nodiscard]] double iterationsOfWarp() const;
};

struct InsideFigures {
  Distribution kernel;               ///< how long it took
  Distribution twin;                 ///< how long its timed twin did, in other replays
  Distribution warps;                ///< how long the twin's sampled warps ran
  std::vector<InsideRegion> regions; ///< each behind the one around it

  [[nodiscard]] bool empty() const { return kernel.empty() && twin.empty() && warps.empty(); }
  /// The share of a region in the sampled warps' time, in percent; negative: there is none.
  [[nodiscard]] double percentOf(const InsideRegion &region) const;
  /// How many times as long as the kernel the twin takes, by their medians; 0: not known.
  [[nodiscard]] double twinRatio() const;
};

/// All kernel nodes of one name inside regions of the same names that are launched alike: grids of
/// other sizes do other work.
class InsideKernels {
public:
  static constexpr std::size_t maxKernels = 1'000;

  explicit InsideKernels(std::size_t maxSamples) : samples_(maxSamples) {}

  void add(std::span<const KernelRun> runs);

  struct Kernel {
    std::string name, path, launch; ///< as in InsideOfKernel
    InsideFigures warm, cold;
    /// Those of cold replays where there are no others. A twin's first run and its kernel's are in
    /// different replays, so each is cold by itself.
    [[nodiscard]] bool isCold() const { return warm.empty() && !cold.empty(); }
    [[nodiscard]] const InsideFigures &shown() const { return isCold() ? cold : warm; }
  };
  /// In order of first appearance.
  [[nodiscard]] const std::deque<Kernel> &kernels() const { return kernels_; }
  /// Those of one name and path together, in order of first appearance.
  [[nodiscard]] std::vector<std::vector<const Kernel *>> byKernel() const;
  /// Runs of further kernels.
  [[nodiscard]] std::uint64_t leftOut() const { return leftOut_; }

private:
  SharedBound samples_;
  std::deque<Kernel> kernels_;
  std::map<std::array<std::string, 3>, std::size_t> known_; // by path, name and launch
  std::uint64_t leftOut_ = 0;
};

/// A kernel that is launched in several ways: each counts by how long the kernel took in it, not by
/// its number of warps.
struct LaunchesTogether {
  Distribution kernel, twin;
  struct Region {
    InsideOfKernel::Scope scope;
    std::uint32_t number;
    std::size_t parent; ///< as in InsideRegion
    int depth;
    double percent; ///< of the sampled warps' time; a launch whose twin did not run counts nothing
  };
  std::vector<Region> regions;            ///< each behind the one around it
  [[nodiscard]] double twinRatio() const; ///< 0: not known
  double ofKernelNs = 0, ofTwinNs = 0;    ///< the launches of which both are known
};
[[nodiscard]] LaunchesTogether together(std::span<const InsideKernels::Kernel *const> launches);

/// The figures of one run alone.
[[nodiscard]] InsideFigures figuresOf(const KernelRun &run);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_INSIDEKERNELS_H
