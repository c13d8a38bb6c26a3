// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Key averages as torch.profiler prints them: its columns, widths and formats, followed by further
// columns on request.

#include "output/statistics/AverageTable.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "output/io/Columns.h"
#include "output/io/Text.h"
#include "output/io/Units.h"
#include "output/statistics/ByWarmth.h"
#include "output/statistics/Distribution.h"

namespace graphprof {

namespace {

constexpr int columnWidth = 12;
constexpr std::array<std::pair<std::string_view, double>, 3> timeUnits = {
    {{"s", 1e6}, {"ms", 1e3}, {"us", 1.0}}};

using Row = FunctionEventAvg;

// In the requested unit; without one, in the unit that fits.
std::string time(double us, std::string_view unit, bool exact = true) {
  if (std::isnan(us))
    return std::string(noValue);
  for (const auto &[name, usOfUnit] : timeUnits)
    if (unit == name)
      return formatTime(us, usOfUnit, name, exact);
  return formatTime(us * 1e3, exact);
}

std::string share(double part, double whole) {
  return whole == 0 ? "NaN" : fmt::format("{:.2f}%", part * 100.0 / whole); // may be negative
}

std::string memory(std::int64_t bytes) { return formatBytes(bytes, BytesAs::KB); }

// The scale and the name of the column of operations. The smallest count decides.
std::pair<double, std::string> flopsScale(double smallest) {
  constexpr std::array<std::string_view, 6> names = {"FLOPs",  "KFLOPs", "MFLOPs",
                                                     "GFLOPs", "TFLOPs", "PFLOPs"};
  const double log = std::clamp(std::log10(smallest) / 3, 0.0, 5.0);
  const auto step = static_cast<std::size_t>(log);
  return {std::pow(10.0, -3.0 * static_cast<double>(step)), std::string(names[step])};
}

// The end of a path that is too long.
std::string trimmed(const std::string &path, std::size_t width) {
  const std::size_t length = codePoints(path);
  if (length <= width)
    return path;
  const auto lastOf = [&](std::size_t count) {
    return path.substr(firstCodePoints(path, length - count).size());
  };
  return width > 3 ? "..." + lastOf(width - 3) : lastOf(width);
}

// The rows with printable texts.
std::vector<Row> printable(std::vector<Row> rows) {
  for (Row &row : rows) {
    row.key = graphprof::printable(row.key);
    row.input_shapes = graphprof::printable(row.input_shapes);
    for (std::string &frame : row.stack)
      frame = graphprof::printable(frame);
  }
  return rows;
}

// The members by which rows can be sorted.
auto membersOf(const Row &row) {
  using Member = std::pair<std::string_view, double>;
  return std::array{
      Member{"cpu_time", row.cpu_time},
      Member{"device_time", row.device_time},
      Member{"cpu_time_total", row.cpu_time_total},
      Member{"device_time_total", row.device_time_total},
      Member{"self_cpu_time_total", row.self_cpu_time_total},
      Member{"self_device_time_total", row.self_device_time_total},
      Member{"cpu_memory_usage", static_cast<double>(row.cpu_memory_usage)},
      Member{"device_memory_usage", static_cast<double>(row.device_memory_usage)},
      Member{"self_cpu_memory_usage", static_cast<double>(row.self_cpu_memory_usage)},
      Member{"self_device_memory_usage", static_cast<double>(row.self_device_memory_usage)},
      Member{"count", static_cast<double>(row.count)},
      Member{"min", row.min},
      Member{"median", row.median},
      Member{"p95", row.p95},
      Member{"p99", row.p99},
      Member{"max", row.max},
      Member{"flops", row.flops},
      Member{"bytes", row.bytes}};
}

double member(const Row &row, std::string_view name) {
  const auto members = membersOf(row);
  const auto found = std::find_if(members.begin(), members.end(),
                                  [name](const auto &one) { return one.first == name; });
  return found == members.end() ? std::nan("") : found->second;
}

// Orders the largest first, and NaN last.
double orderOf(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : -value;
}

// Old names contain "cuda" instead of "device".
std::string memberName(std::string_view name) {
  std::string text(name);
  if (const auto at = text.find("cuda"); at != std::string::npos)
    text.replace(at, 4, "device");
  return text;
}

template <class Length> std::size_t longest(const std::vector<Row> &rows, Length length) {
  std::size_t most = 0;
  for (const Row &row : rows)
    most = std::max(most, length(row));
  return most;
}

std::size_t bounded(std::size_t width, int most) {
  return most < 0 ? width : std::min(width, static_cast<std::size_t>(most));
}

class Table {
public:
  Table(std::vector<Row> rows, const AverageTable &shown, const table_options &options)
      : rows_(printable(std::move(rows))), shown_(shown), options_(options) {
    shapes_ = std::any_of(rows_.begin(), rows_.end(),
                          [](const Row &row) { return !row.input_shapes.empty(); });
    stack_ =
        std::any_of(rows_.begin(), rows_.end(), [](const Row &row) { return !row.stack.empty(); });
    deviceMemory_ = std::any_of(rows_.begin(), rows_.end(), [](const Row &row) {
      return row.self_device_memory_usage > 0; // PyTorch's condition
    });
    busy_ = std::any_of(rows_.begin(), rows_.end(),
                        [](const Row &row) { return row.busy_replays > 0; });
    double smallest = 0;
    for (const Row &row : rows_)
      if (row.flops > 0)
        smallest = smallest > 0 ? std::min(smallest, row.flops) : row.flops;
    if (smallest > 0)
      flops_ = flopsScale(smallest);
    sourceWidth_ = bounded(longest(rows_,
                                   [](const Row &row) {
                                     std::size_t most = 0;
                                     for (const std::string &frame : row.stack)
                                       most = std::max(most, codePoints(frame));
                                     return most;
                                   }) +
                               4,
                           options_.max_src_column_width);
    shapesWidth_ =
        bounded(longest(rows_, [](const Row &row) { return codePoints(row.input_shapes); }) + 4,
                options_.max_shapes_column_width);
  }

  std::string text() {
    const std::vector<Column> shown = columns();
    const auto source = std::find_if(shown.begin(), shown.end(), [](const Column &column) {
      return column.heading == "Source Location";
    });
    const auto upToSource = static_cast<std::size_t>(source - shown.begin()) + 1;
    Columns printed(shown, Columns::LineEnd::InBlanks);
    const auto above = [&printed](std::string_view text) {
      printed.add(fmt::format("{:=<{}}\n{}\n", "", printed.width(), text));
    };
    if (!options_.header.empty())
      above(graphprof::printable(options_.header));
    if (options_.top_level_events_only)
      above("This report only display top-level ops statistics"); // PyTorch's words
    printed.rule();
    printed.headings();
    printed.rule();
    int left = options_.row_limit < 0 ? static_cast<int>(rows_.size()) : options_.row_limit;
    for (const Row &row : rows_) {
      if (left == 0)
        break;
      if (options_.top_level_events_only && !row.top_level)
        continue;
      --left;
      printed.line(cells(row));
      if (!stack_)
        continue;
      // Further frames are below the first, followed by an empty line.
      for (std::size_t i = 1; i < row.stack.size(); ++i) {
        std::vector<std::string> cells(upToSource);
        cells.back() = trimmed(row.stack[i], sourceWidth_);
        printed.line(cells);
      }
      printed.line(std::vector<std::string>(printed.count()));
    }
    printed.rule();
    printed.add(fmt::format("Self CPU time total: {}\n", shownTime(shown_.selfCpuUs)));
    if (shown_.withDevice && (shown_.selfDeviceUs > 0 || shown_.selfColdUs <= 0))
      printed.add(fmt::format("Self CUDA time total: {}\n", shownTime(shown_.selfDeviceUs)));
    if (shown_.withDevice && shown_.selfColdUs > 0)
      printed.add(
          fmt::format("Self CUDA time total: {}{}\n", shownTime(shown_.selfColdUs), coldMark));
    printed.add(shown_.remarks);
    const bool quantiles =
        options_.statistics &&
        std::any_of(rows_.begin(), rows_.end(), [](const Row &row) { return row.rounded; });
    if (quantiles || shown_.roundedLength)
      printed.add(Distribution::roundedLine(quantiles ? "Median, P95 and P99" : "The median"));
    return std::move(printed).text();
  }

private:
  [[nodiscard]] std::string shownTime(double us, bool exact = true) const {
    return time(us, options_.time_unit, exact);
  }
  [[nodiscard]] double wholeOf(const Row &row) const {
    return row.cold || shown_.selfDeviceUs <= 0 ? shown_.selfColdUs : shown_.selfDeviceUs;
  }
  [[nodiscard]] static std::string_view markOf(const Row &row) { return row.cold ? coldMark : ""; }
  [[nodiscard]] std::vector<Column> columns() const {
    const std::size_t nameWidth = bounded(
        longest(rows_, [](const Row &row) { return codePoints(row.key) + markOf(row).size(); }) + 4,
        options_.max_name_column_width);
    std::vector<Column> columns = {{"Name", nameWidth}};
    const auto add = [&columns](std::initializer_list<std::string_view> headings) {
      for (const std::string_view heading : headings)
        columns.push_back({std::string(heading), columnWidth});
    };
    add({"Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"});
    if (shown_.withDevice)
      add({"Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"});
    if (shown_.withMemory)
      add({"CPU Mem", "Self CPU Mem"});
    if (shown_.withMemory && deviceMemory_)
      add({"CUDA Mem", "Self CUDA Mem"});
    add({"# of Calls"});
    if (shapes_)
      columns.push_back({"Input Shapes", shapesWidth_});
    if (stack_)
      columns.push_back({"Source Location", sourceWidth_, true});
    if (flops_)
      add({"Total " + flops_->second});
    if (options_.statistics && busy_)
      add({"Busy", "Gap"});
    if (options_.statistics)
      add({"Min", "Median", "P95", "P99", "Max", "% of replay", "FLOP/s", "Bytes/s", "Roofline %"});
    return columns;
  }
  [[nodiscard]] std::vector<std::string> cells(const Row &row) const {
    std::string name = row.key;
    const std::string_view mark = markOf(row); // never cut
    const auto most = static_cast<std::size_t>(std::max(options_.max_name_column_width, 3));
    const std::size_t room = most - 3 - std::min(mark.size(), most - 3);
    if (options_.max_name_column_width >= 0 && codePoints(name) >= room)
      name = std::string(firstCodePoints(name, room)) + "...";
    name += mark;
    std::vector<std::string> cells = {std::move(name),
                                      share(row.self_cpu_time_total, shown_.selfCpuUs),
                                      shownTime(row.self_cpu_time_total),
                                      share(row.cpu_time_total, shown_.selfCpuUs),
                                      shownTime(row.cpu_time_total),
                                      shownTime(row.cpu_time)};
    const auto add = [&cells](std::initializer_list<std::string> more) {
      cells.insert(cells.end(), more);
    };
    if (shown_.withDevice)
      add({shownTime(row.self_device_time_total),
           wholeOf(row) == 0 ? "NaN" : fmt::format("{:.2f}%", row.self_device_percent),
           shownTime(row.device_time_total), shownTime(row.device_time)});
    if (shown_.withMemory)
      add({memory(row.cpu_memory_usage), memory(row.self_cpu_memory_usage)});
    if (shown_.withMemory && deviceMemory_)
      add({memory(row.device_memory_usage), memory(row.self_device_memory_usage)});
    add({std::to_string(row.count)});
    if (shapes_)
      add({std::string(firstCodePoints(row.input_shapes, shapesWidth_))});
    if (stack_)
      add({row.stack.empty() ? "" : trimmed(row.stack.front(), sourceWidth_)});
    if (flops_)
      add({row.flops <= 0 ? std::string(noValue)
                          : fmt::format("{:8.3f}", row.flops * flops_->first)});
    const auto known = [this](double us) { return us < 0 ? std::string(noValue) : shownTime(us); };
    if (options_.statistics && busy_)
      add({known(row.busy_time), known(row.gap_time)});
    if (options_.statistics)
      add({shownTime(row.min), shownTime(row.median, !row.rounded),
           shownTime(row.p95, !row.rounded), shownTime(row.p99, !row.rounded), shownTime(row.max),
           formatPercent(row.replay_percent), formatRate(row.flops_per_s, "FLOP/s"),
           formatRate(row.bytes_per_s, "B/s"), formatPercent(row.roofline_percent)});
    return cells;
  }

  const std::vector<Row> rows_;
  const AverageTable &shown_;
  const table_options options_;
  bool shapes_ = false, stack_ = false, deviceMemory_ = false, busy_ = false;
  std::optional<std::pair<double, std::string>> flops_;
  std::size_t sourceWidth_ = 0, shapesWidth_ = 0;
};

} // namespace

bool canSortBy(std::string_view name) {
  return name.empty() || !std::isnan(member({}, memberName(name)));
}

bool isTimeUnit(std::string_view unit) {
  return unit.empty() || std::any_of(timeUnits.begin(), timeUnits.end(),
                                     [unit](const auto &known) { return known.first == unit; });
}

std::string sortKeys() {
  std::string keys;
  for (const auto &[name, value] : membersOf({}))
    keys.append(keys.empty() ? "" : ", ").append(name);
  return keys;
}

std::string AverageTable::text(const std::vector<FunctionEventAvg> &rows,
                               const table_options &options) const {
  std::vector<FunctionEventAvg> sorted = rows;
  if (!options.sort_by.empty() && canSortBy(options.sort_by)) {
    const std::string by = memberName(options.sort_by);
    std::vector<std::pair<double, std::size_t>> places; // stable: equal rows keep their order
    places.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      places.emplace_back(orderOf(member(rows[i], by)), i);
    std::sort(places.begin(), places.end());
    for (std::size_t i = 0; i < rows.size(); ++i)
      sorted[i] = rows[places[i].second];
  }
  return sorted.empty() ? std::string() : Table(std::move(sorted), *this, options).text();
}

} // namespace graphprof
