// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Writes the replays of a trace as events of Kineto's JSON, one on a line.

#ifndef GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_TRACEWRITER_H
#define GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_TRACEWRITER_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "graphprof/control.h"
#include "output/data/Run.h"
#include "output/formats/chrome_trace/ChromeTrace.h"
#include "output/formats/chrome_trace/TraceLayout.h"
#include "output/io/File.h"
#include "output/io/JsonWriter.h"
#include "output/statistics/Overlap.h"

namespace graphprof {

class TraceWriter {
public:
  TraceWriter(const TraceData &data, const Run &run, WholeFile &file, TraceAmong among = {});

  /// The parts of a trace, in this order; several traces in one file have one head and one tail.
  /// `dropped` records were not kept. Each returns why it failed, or an empty text.
  [[nodiscard]] std::string writeHead(std::uint64_t dropped, const Losses &losses);
  [[nodiscard]] std::string writeEvents(std::uint64_t dropped, const Losses &losses, bool isFirst);
  [[nodiscard]] std::string writeTail(std::string_view traceName);

private:
  void writeThreads();
  void writeSpans();
  void writeReplays();
  void writeGaps();
  [[nodiscard]] Overlap computing() const;
  void writeRegions();
  void writeWarps();
  void writeWarp(const KernelRun &run, const KernelRun::Warp &warp,
                 std::span<const KernelRun::Time> times, std::span<const KernelRun::Span> spans,
                 std::size_t thread);
  void writeInside(const KernelRun &run, const KernelRun::Warp &warp,
                   std::span<const KernelRun::Span> spans, std::size_t thread);
  void writeMemory();
  void writeLosses(std::uint64_t dropped, const Losses &losses);
  // An event, in the list of all: begin, its members, end.
  void begin(std::string_view phase);
  void end();
  // Members of the object that is open.
  void placeAt(std::size_t thread, std::int64_t ns);
  void step(std::int64_t step);
  void replay(const TraceData::Replay &replay);
  void busy(const Batch::Busy &busy);
  void modules(std::string_view modules);
  void arrow(std::string_view phase, std::size_t id, std::size_t thread, std::int64_t ns);
  void flush();

  const TraceData &data_;
  const Run &run_;
  WholeFile &file_;
  std::string failed_; // the first failure; nothing is written after it
  std::string text_;   // not yet in the file
  JsonWriter json_{text_};
  const TraceAmong among_;
  const TraceLayout layout_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_CHROME_TRACE_TRACEWRITER_H
