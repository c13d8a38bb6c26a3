// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/table/Table.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output/Format.h"
#include "output/Output.h"
#include "output/data/LossText.h"
#include "output/formats/table/GraphMemoryText.h"
#include "output/formats/table/InsideText.h"
#include "output/io/Text.h"

namespace graphprof {

namespace {

void appendReplays(std::string &text, const Statistics &statistics,
                   const std::vector<TableRow> &rows) {
  auto out = std::back_inserter(text);
  text += statistics.replays().lines(std::any_of(
      rows.begin(), rows.end(), [](const TableRow &row) { return row.place == Place::Cold; }));
  if (statistics.outsideGraphs() > 0)
    fmt::format_to(out, "{} timed outside graphs\n",
                   counted(statistics.outsideGraphs(), "region", "regions"));
  if (!statistics.replays().lengths().shown().exact() ||
      std::any_of(rows.begin(), rows.end(), [](const TableRow &row) {
        return row.hasQuantiles() && !row.durations->exact();
      }))
    text += Distribution::roundedLine("Median and P95");
  if (statistics.pathsAreOfSome() && showsPaths(rows))
    fmt::format_to(out, "% of path and Slack are of the first {} warm replays of each graph\n",
                   CriticalReplays::mostOfGraph);
}

// The descriptor of a path that is a stream; negative: it is a file.
int streamOf(std::string_view path) {
  if (path.empty() || path == "/dev/stderr")
    return STDERR_FILENO;
  if (path == "/dev/stdout")
    return STDOUT_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(folder)) {
      int descriptor = -1;
      const std::string_view number = path.substr(folder.size());
      (void)std::from_chars(number.data(), number.data() + number.size(), descriptor);
      return descriptor;
    }
  return -1;
}

// Of the terminal there; 0: it is none.
std::size_t widthOf(int stream) {
  struct winsize size{};
  return isatty(stream) != 0 && ioctl(stream, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string checkTableOptions(std::string_view options) {
  return options.empty() || options == "+all"
             ? std::string()
             : fmt::format("{} is not an option of the table, which has only all",
                           options.substr(1));
}

} // namespace

std::string belowTable(const Statistics &statistics, const std::vector<TableRow> &rows) {
  std::string text;
  appendReplays(text, statistics, rows);
  return text;
}

std::string formatTable(const Statistics &statistics, const Losses &losses,
                        const NotRecorded &notRecorded, const RowChoice &choice,
                        const TableLook &look) {
  std::string text = "graphprof: ";
  const std::vector<TableRow> rows = tableRows(statistics, choice);
  if (statistics.replays().count() == 0 && rows.empty()) {
    text += printable(notRecorded.nothing()) + '\n';
  } else {
    text += "time of each region\n";
    text +=
        tableText(rows, look) + belowTable(statistics, rows) + statistics.replays().namedLines();
    if (!notRecorded.below().empty())
      text += printable(notRecorded.below()) + '\n';
  }
  if (statistics.leftOut() > 0)
    fmt::format_to(std::back_inserter(text),
                   "{} not in this table: it tells {} rows apart; give regions fewer names, or "
                   "add up nodes by name (key_averages)\n",
                   counted(statistics.leftOut(), "record", "records"), Statistics::maxRegions);
  for (const std::string &sentence : lossSentences(losses))
    text += sentence + '\n';
  return text;
}

std::string Table::write(const Batch &batch) {
  statistics_.add(batch);
  inside_.add(batch.kernelRuns);
  graphMemory_.add(batch);
  for (const Batch::Note &note : batch.notes)
    notRecorded_.take(note.key, note.json);
  for (const std::string &remark : batch.remarks)
    remarks_ += printable(remark) + '\n';
  return {};
}

std::string Table::close(const Losses &losses) {
  constexpr std::size_t rowsOfAScreen = 25;
  statistics_.finish();
  const int stream = streamOf(path_);
  RowChoice choice = everyRow;
  TableLook look;
  look.wholeNames = stream < 0;
  if (stream >= 0 && !all_) {
    choice = {.fold = true, .longestFirst = true, .most = rowsOfAScreen};
    look.width = widthOf(stream);
  }
  return file_.writeOnce(formatTable(statistics_, losses, notRecorded_, choice, look) +
                         insideText(inside_, look.wholeNames) +
                         graphMemoryText(graphMemory_, choice.most) + remarks_);
}

constinit const Format formats::table = {
    .word = "table",
    .toStderr = true,
    .optionAsPath = "all",
    .items = "table:PATH",
    .mode = WriteMode::AtEnd,
    .keepsGraphs = true,
    .wrote = beginsAsLine,
    .checkOptions = checkTableOptions,
    .make = [](const Request &request,
               const WriterSettings &settings) -> std::unique_ptr<BatchWriter> {
      return std::make_unique<Table>(settings.path, settings.maxRecords, !request.options.empty());
    },
};

} // namespace graphprof
