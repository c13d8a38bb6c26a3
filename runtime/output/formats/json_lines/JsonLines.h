// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// JSON lines: an object on each line, whose "type" says what it is.
//
// | type | when | members |
// | --- | --- | --- |
// | run | first | version, host, program, pid, rank, began_ns |
// | replay | before its records | graph, exec, replay, device, stream, step, cold, |
// | | | launch_ns, begin_ns, end_ns |
// | record | | name, path, depth, kind, clock, source, function, context; graph, exec, |
// | | | replay, device, stream, step, iteration, cold, begin_ns, duration_ns |
// | graph | before its replays | graph, node_count, edge_count, multiprocessors; nodes: where nodes
// | | | | are recorded, a list of them with type, name, record, region, inside, after, early, | | |
// | blocks, threads, resident | | host_span | where asked for | kind, name, captured, source,
// function, context, thread, | | | | thread_name, step, graph, exec, replay, bytes, begin_ns,
// duration_ns | | memory | where asked for | kind, device, bytes, allocated, address, time_ns,
// step, path | | metadata | as it comes | key, value | | remark | as it comes | text | | loss | at
// the end | kind, count, text | | end | last, where the program ended in order | |
//
// What does not exist is null: duration_ns of a region that was not measured, graph of a region
// outside graphs.

#ifndef GRAPHPROF_OUTPUT_FORMATS_JSON_LINES_JSONLINES_H
#define GRAPHPROF_OUTPUT_FORMATS_JSON_LINES_JSONLINES_H

#include <string>

#include "output/BatchWriter.h"
#include "output/data/ById.h"
#include "output/data/Run.h"
#include "output/io/File.h"

namespace graphprof {

class JsonLines : public BatchWriter {
public:
  JsonLines(std::string path, Run run)
      : stream_(std::move(path), streamPatience), run_(std::move(run)) {}

  [[nodiscard]] std::string write(const Batch &batch) override;
  [[nodiscard]] std::string close(const Losses &losses) override;
  [[nodiscard]] std::string written() const override { return stream_.written(); }

private:
  void begin();
  /// A line with what `members` writes: an object that it begins.
  template <class Members> void line(Members members);
  void add(const Batch::Graph &graph);
  void add(const Batch::Span &span);
  void add(const Batch::Memory &memory);
  void add(const GraphMemoryStep &step);
  void add(const Replay &replay);
  void add(const Replay &replay, const Batch::Timing &timing);
  void add(const KernelRun &run);

  TextStream stream_;
  const Run run_;
  bool begun_ = false;
  std::string text_;            // of one batch
  ById<std::string> texts_;     // of regions
  std::uint64_t nextGraph_ = 1; // the first that is not written
  ById<std::string> acts_, threads_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_JSON_LINES_JSONLINES_H
