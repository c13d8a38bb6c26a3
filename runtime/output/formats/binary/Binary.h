// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The binary format, PATH.gprof: everything about a record in six or seven bytes, and about a host
// span in seven or eight. BinaryReader reads it, and so does the program graphprof-convert, which
// makes any other output of it. docs/binary-format.md describes it.

#ifndef GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARY_H
#define GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARY_H

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "output/BatchWriter.h"
#include "output/data/ById.h"
#include "output/data/Run.h"
#include "output/io/File.h"

namespace graphprof {

namespace binary {

/// Not a text. Tools that change line ends damage it visibly.
inline constexpr std::string_view magic = "\x89GPF\r\n\x1a\n";
inline constexpr std::uint64_t version = 1;

/// The kind of a message: its first byte. Readers skip unknown kinds.
enum class Tag : unsigned char {
  Run = 1,
  Region = 2,
  Replay = 3,
  Metadata = 4,
  Remark = 5,
  Loss = 6,
  Forget = 7,
  End = 8,
  Memory = 9,
  Act = 10,
  Thread = 11,
  HostSpans = 12,
  Graph = 13,
  InGraph = 14,
  CudaIds = 15,    ///< of a graph and an exec
  CudaNodes = 16,  ///< of the nodes of the next graph
  Busy = 17,       ///< busy times of records of the next replay
  Kernel = 18,     ///< a run of a kernel with regions inside
  GraphName = 19,  ///< what the next replays of a graph serve
  GraphMemory = 20 ///< what a graph took of the device's memory
};

/// Flags of the run.
enum RunFlag : unsigned {
  InJob = 1,         ///< a launcher gave it its rank
  AsksHostSpans = 2, ///< host spans, if there were any, are in the file
};

/// Flags of a kernel's run.
enum KernelFlag : unsigned {
  ColdRun = 1, ///< its replay is cold
  IsTwin = 2,  ///< the kernel's timed twin ran
};

/// Flags of a step of a graph's memory.
enum GraphMemoryFlag : unsigned {
  Overlaps = 1, ///< with one of another thread
};

/// Flags in the first byte of a replay.
enum Flag : unsigned {
  Cold = 1,       ///< the replay is cold
  InGraph = 2,    ///< it has graph, exec and number
  Iterations = 4, ///< its records have iterations
  Places = 8      ///< its records have their own devices, streams and steps
};

} // namespace binary

class Binary : public BatchWriter {
public:
  /// `hostSpans`: they were requested, which is noted in the file.
  Binary(std::string path, Run run, bool hostSpans = false)
      : stream_(std::move(path), streamPatience), run_(std::move(run)), hostSpans_(hostSpans) {}

  [[nodiscard]] std::string write(const Batch &batch) override;
  [[nodiscard]] std::string close(const Losses &losses) override;
  [[nodiscard]] std::string written() const override { return stream_.written(); }

private:
  void begin();
  void forget(const Batch &batch);

  TextStream stream_;
  const Run run_;
  bool begun_ = false;
  const bool hostSpans_;
  struct CudaIds {
    std::uint64_t graph = 0; // as in replays
    std::uint32_t cudaGraph = 0, cudaExec = 0;
    bool operator==(const CudaIds &) const = default;
  };
  void addIds(const Replay &replay);
  void addName(std::uint64_t graph, const std::shared_ptr<const GraphName> &serves);
  void addBusy(const Replay &replay, std::span<const Batch::Timing> timings);
  /// What the file says last, by exec and region. Some may be forgotten.
  std::map<std::pair<std::uint64_t, std::uint64_t>, Batch::Busy> busyOf_;
  std::unordered_map<std::uint64_t, CudaIds> idsOf_; // in the file, by exec; some may be forgotten
  /// What the file says last that a graph serves, by its number, likewise.
  std::unordered_map<std::uint64_t, std::shared_ptr<const GraphName>> serves_;
  std::uint64_t regionsFrom_ = 1, actsFrom_ = 1, threadsFrom_ = 1;
  std::uint64_t nextRegion_ = 1, nextGraph_ = 1, nextAct_ = 1,
                nextThread_ = 1; // ids that are new to the file
  ById<HostKind> kindOf_;        // of acts
  std::string bytes_;            // of one batch
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARY_H
