// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Statistics of a trace's events, a row for each name: torch.profiler's key_averages(). Names and
// meaning of members are PyTorch's, if it has them. Times are in microseconds, as there.

#ifndef GRAPHPROF_KEY_AVERAGES_H
#define GRAPHPROF_KEY_AVERAGES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "graphprof/detail/export.h"

namespace graphprof {

class Averages; // the library's own

inline namespace v1 {

/// One execution on the device.
struct KeyTime {
  std::uint64_t exec = 0;     ///< as in its record; 0: outside graphs
  std::uint64_t replay = 0;   ///< as in its record
  std::int64_t step = -1;     ///< as in its record
  std::int64_t iteration = 0; ///< as in its record
  double us = 0;              ///< microseconds
};

/// All executions of one key. A region's host times are those of its threads; its device times are
/// those of its work. In replays of a graph it has no host time.
struct FunctionEventAvg {
  std::string key; ///< the name; of steps "ProfilerStep*"; of memory in no region "[memory]"
  std::string input_shapes; ///< the context values as "[3, batch=8]"; empty unless grouped by them
  std::vector<std::string> stack; ///< "file(line): function", innermost first; likewise
  std::int64_t count = 0; ///< measured executions on the device, or if there are none, on the host
  bool top_level = true;  ///< the first of them was inside no other region

  double cpu_time_total = 0, self_cpu_time_total = 0;       ///< us, of the host
  double device_time_total = 0, self_device_time_total = 0; ///< us; self: without regions inside
  /// Its part of the self times of all rows on the device; if it is cold, of all cold ones. Of what
  /// only some replays recorded (GRAPHPROF_PARTS), as if all had.
  double self_device_percent = 0;
  /// us, an execution there in the mean. Of launches, steps and ranges device_time is that of the
  /// ones whose device work is all warm and measured; NaN if there is none.
  double cpu_time = 0, device_time = 0;
  /// How long its kernels were busy, and the gap behind them (graphprof/record.h), in us, in the
  /// mean of those of which it is known; negative: of none. `busy_replays`: how many replays tell.
  double busy_time = -1, gap_time = -1;
  std::int64_t busy_replays = 0;
  /// device_time and the totals are busy times, because those of all of its kernels are known: the
  /// gaps are in no row. min to max and the series hold the gaps.
  bool device_time_is_busy = false;
  /// Its device times are those of cold replays, because it ran in no others. All other rows leave
  /// cold replays out.
  bool cold = false;
  /// Bytes allocated minus bytes freed by its threads while it was open, with profile_memory. The
  /// CPU's memory is the host's pinned memory. self: without regions inside.
  std::int64_t cpu_memory_usage = 0, self_cpu_memory_usage = 0;
  std::int64_t device_memory_usage = 0, self_device_memory_usage = 0;
  double flops = 0; ///< of all executions together
  double bytes = 0; ///< likewise

  /// Of one execution on the device (or if there are none, on the host), in us.
  double min = 0, median = 0, p95 = 0, p99 = 0, max = 0;
  /// median, p95 and p99 are rounded, and off by at most 0.4 %: of more than 4096 executions, or
  /// beyond the bound of kept records.
  bool rounded = false;
  /// Its share of the replays in which the outermost region around it ran; negative: none. 100 at
  /// most, because what runs side by side counts once.
  double replay_percent = -1;
  double flops_per_s = 0;       ///< 0: no `flops=`, or no time
  double bytes_per_s = 0;       ///< 0: no `bytes=`, or no time
  double roofline_percent = -1; ///< share of the device's peak; negative: not known
  std::vector<KeyTime> series;  ///< each of these executions on the device, in replays' order
};

/// How a table is printed. Names and defaults are PyTorch's, up to `statistics`.
struct table_options {
  /// By which member, descending: cpu_time, cuda_time (or device_time), cpu_time_total,
  /// cuda_time_total, self_cpu_time_total, self_cuda_time_total, cpu_memory_usage,
  /// cuda_memory_usage, self_..., count; and min, median, p95, p99, max, flops, bytes. Empty: as
  /// they first came.
  std::string sort_by;
  int row_limit = 100; ///< negative: all
  int max_src_column_width = 75;
  int max_name_column_width = 55;
  int max_shapes_column_width = 80;
  std::string header;                 ///< a line above the table
  bool top_level_events_only = false; ///< leaves out rows that are not top_level
  std::string time_unit;              ///< "s", "ms" or "us" for all times; empty: each as it fits
  /// Adds columns: extremes and quantiles of the device's times, the share of the replay, and the
  /// share of the device's peak.
  bool statistics = false;
};

/// Rows, in the order in which their keys first came. A value that any thread may read.
///
///     std::cout << trace.key_averages().table({"cuda_time_total"});
class GRAPHPROF_API KeyAverages {
public:
  using const_iterator = std::vector<FunctionEventAvg>::const_iterator;

  [[nodiscard]] const_iterator begin() const noexcept { return rows_.begin(); }
  [[nodiscard]] const_iterator end() const noexcept { return rows_.end(); }
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  [[nodiscard]] const FunctionEventAvg &operator[](std::size_t index) const { return rows_[index]; }

  /// Sums over all rows, in us; on the device without those marked as cold, or, if there are no
  /// others, of those.
  [[nodiscard]] double self_cpu_time_total() const noexcept { return selfCpuUs_; }
  [[nodiscard]] double self_device_time_total() const noexcept {
    return selfDeviceUs_ > 0 ? selfDeviceUs_ : selfColdUs_;
  }

  /// The table as PyTorch prints it, byte for byte, as far as the columns are PyTorch's. If
  /// `sort_by` is none of those above, a message on stderr says so, and the rows stay in their
  /// order.
  [[nodiscard]] std::string table(const table_options &options = {}) const;

private:
  friend class graphprof::Averages;
  std::vector<FunctionEventAvg> rows_;
  double selfCpuUs_ = 0, selfDeviceUs_ = 0, selfColdUs_ = 0;
  bool withDevice_ = false, withMemory_ = false, roundedLength_ = false;
  std::string remarks_; // lines below the table
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_KEY_AVERAGES_H
