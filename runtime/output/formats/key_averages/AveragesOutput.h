// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Key averages at the end of the program: GRAPHPROF_OUTPUT=key_averages, with columns, order and
// length as table_options has them. A crash leaves none.

#ifndef GRAPHPROF_OUTPUT_AVERAGESOUTPUT_H
#define GRAPHPROF_OUTPUT_AVERAGESOUTPUT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "output/Output.h"
#include "output/data/HostCollection.h"
#include "output/io/File.h"
#include "output/statistics/Averages.h"

namespace graphprof {

class AveragesOutput : public Output {
public:
  /// What is printed where nothing else is asked for: all rows, by their own time on the device.
  [[nodiscard]] static table_options defaults();

  /// Writes to the file `path`, or on standard error when it is empty; `name` is the item that asks
  /// for it. Keeps at most `maxRecords` host spans, as many durations singly, and as many
  /// allocations and frees. Without `hostSpans` there are no host spans, and what the host's clock
  /// has measured comes from the records.
  AveragesOutput(std::string name, const std::string &path, table_options options,
                 std::size_t maxRecords, bool hostSpans);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] bool wantsHostSpans() const override { return hostSpans_; }
  [[nodiscard]] std::string write(const Replay &replay) override;
  [[nodiscard]] std::string writeHost(std::span<const HostSpan> spans) override;
  [[nodiscard]] std::string memory(const MemoryEvent &event) override;
  void metadata(const std::string &key, const std::string &json) override;
  void remark(const std::string &sentence) override { remarks_ += sentence + '\n'; }
  [[nodiscard]] std::uint64_t dropped() const override { return dropped_; }
  [[nodiscard]] std::string close(const Losses &losses) override;

private:
  const std::string name_;
  const table_options options_;
  const std::size_t maxKept_;
  const bool hostSpans_;
  TextStream stream_;
  Averages averages_;
  HostCollection spans_;
  std::vector<MemoryEvent> memory_;
  std::uint64_t dropped_ = 0;
  std::string remarks_; // a line each
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_AVERAGESOUTPUT_H
