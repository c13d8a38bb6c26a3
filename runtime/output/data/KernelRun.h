// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One run of a kernel with regions inside, as outputs get it. In some replays the kernel's timed
// twin runs in its place, and tells what its warps did; in others the kernel itself, so that one
// can be compared with the other.

#ifndef GRAPHPROF_OUTPUT_DATA_KERNELRUN_H
#define GRAPHPROF_OUTPUT_DATA_KERNELRUN_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace graphprof {

/// What all runs of one kernel node share.
struct InsideOfKernel {
  struct Scope {
    std::string name, file;
    int line = 0;
  };
  std::string kernel;        ///< its name, as written
  std::string path;          ///< of the regions around the node, separated by slashes; or empty
  std::uint32_t node = 0;    ///< its place among the nodes of its graph, as they were created
  std::vector<Scope> scopes; ///< by their numbers
  /// Its grid and block as Nsight Compute writes them, "(300, 1, 1)x(64, 1, 1)", and its dynamic
  /// shared memory if it has any: ", 1024 B". Empty: not known.
  std::string launch;
};

struct KernelRun {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  std::shared_ptr<const InsideOfKernel> kernel;
  std::uint64_t graph = 0, exec = 0, replay = 0; ///< as in its replay's records
  std::int64_t step = -1, launchNs = 0;
  int device = -1;
  bool cold = false;
  bool isTwin = false;          ///< the twin ran; otherwise nothing inside is known
  std::int64_t durationNs = -1; ///< of the node; -1: not measured

  /// A sampled warp.
  struct Warp {
    std::uint32_t block = 0, warp = 0; ///< the block in its grid, the warp in its block
    std::uint32_t multiprocessor = 0;
    std::int64_t beginNs = 0, durationNs = 0; ///< since the Unix epoch
  };
  /// A region inside, at its place: inside which others it is.
  struct Row {
    std::uint32_t scope = 0, parent = none; ///< a row before it
  };
  /// What one warp spent in one row.
  struct Time {
    std::uint32_t row = 0, warp = 0; ///< places in the lists
    std::uint32_t iterations = 0;
    std::int64_t ns = 0; ///< of all of them together
  };
  /// A warp went through a row once.
  struct Span {
    std::uint32_t row = 0, warp = 0;           ///< as in Time
    std::uint32_t beginNs = 0, durationNs = 0; ///< since the warp's begin
  };
  /// So many of a warp are kept: the first ones.
  static constexpr std::size_t mostSpansOfWarp = 1'000;
  std::vector<Warp> warps;
  std::vector<Row> rows;
  std::vector<Time> times;
  /// By warp, then by begin; one comes before those inside it. Null: no output wanted them when
  /// the run was read, or it was read from a file. Copies of a run share them.
  std::shared_ptr<const std::vector<Span>> spans;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_KERNELRUN_H
