// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "Assembler.h"
#include "Readers.h"
#include "output/io/JsonValues.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

enum CsvColumn : std::size_t {
  Name,
  Path,
  Depth,
  KindWord,
  ClockWord,
  Device,
  Stream,
  Graph,
  Exec,
  ReplayNumber,
  Iteration,
  Step,
  Cold,
  BeginNs,
  DurationNs,
  EndsWord,
  Source,
  Function,
  Context,
  columnsBefore, // in files from before busy times
  BusyNs = columnsBefore,
  GapNs,
  BusyReplays,
  GapCauseWord,
  columns
};
using Fields = std::array<std::string, columns>;

// Reads the next line, whose fields may hold line ends. Returns false at the end of the file;
// `good`: it has all fields.
class CsvLines {
public:
  CsvLines(std::istream &stream, std::size_t fields) : stream_(stream), fields_(fields) {}

  bool next(Fields &fields, bool &good) {
    std::string line;
    if (!std::getline(stream_, line))
      return false;
    ++lines_;
    std::size_t field = 0;
    for (std::string &one : fields)
      one.clear();
    bool quoted = false;
    for (std::size_t i = 0; field < fields_;) {
      if (i == line.size()) {
        std::string more;
        if (!quoted || !std::getline(stream_, more))
          break;
        ++lines_;
        line += '\n' + more;
      }
      const char c = line[i];
      if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
        fields[field] += line[++i];
      else if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        ++field;
      else
        fields[field] += c;
      ++i;
    }
    good = !quoted && field == fields_ - 1;
    atEnd_ = stream_.eof();
    return true;
  }
  [[nodiscard]] std::uint64_t line() const { return lines_; }
  [[nodiscard]] bool atEnd() const { return atEnd_; } // no line end follows

private:
  std::istream &stream_;
  const std::size_t fields_; // of a line
  std::uint64_t lines_ = 1;  // the heading
  bool atEnd_ = false;
};

std::optional<std::int64_t> numberOf(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

// Without the apostrophe that keeps a spreadsheet from running it.
std::string_view plain(std::string_view text) {
  constexpr std::string_view formula = "=+-@\t\r";
  if (text.size() > 1 && text.front() == '\'' && formula.find(text[1]) != std::string_view::npos)
    text.remove_prefix(1);
  return text;
}

bool readRecord(const Fields &fields, Record &record) {
  std::array<std::int64_t, columns> number{};
  for (const std::size_t column : {Device, Stream, Graph, Exec, ReplayNumber, Iteration, Step, Cold,
                                   BeginNs, DurationNs, BusyNs, GapNs, BusyReplays}) {
    const bool zero = column == Graph || column == Exec || column == ReplayNumber ||
                      column == Stream || column == BeginNs || column == BusyReplays;
    const auto read = fields[column].empty() ? std::optional<std::int64_t>(zero ? 0 : -1)
                                             : numberOf(fields[column]);
    if (!read)
      return false;
    number[column] = *read;
  }
  record.device = static_cast<int>(number[Device]);
  record.stream = static_cast<std::uint64_t>(number[Stream]);
  record.graph = static_cast<std::uint64_t>(number[Graph]);
  record.exec = static_cast<std::uint64_t>(number[Exec]);
  record.replay = static_cast<std::uint64_t>(number[ReplayNumber]);
  record.iteration = number[Iteration];
  record.step = number[Step];
  record.cold = number[Cold] == 1;
  record.begin_ns = number[BeginNs];
  record.duration_ns = number[DurationNs];
  record.busy_ns = number[BusyNs];
  record.gap_ns = number[GapNs];
  record.busy_replays = static_cast<std::uint32_t>(number[BusyReplays]);
  record.ends = Ends::Completion;
  return (fields[EndsWord].empty() || fromWord(fields[EndsWord], record.ends)) &&
         (fields[GapCauseWord].empty() || fromWord(fields[GapCauseWord], record.gap_cause));
}

std::optional<RecordedRegion> regionOf(const Fields &fields, KeptSites &sites) {
  RecordedRegion region;
  region.name = plain(fields[Name]);
  const auto depth = numberOf(fields[Depth]);
  if (!depth || *depth < 0 || *depth > 10'000 || !fromWord(fields[KindWord], region.kind) ||
      !fromWord(fields[ClockWord], region.clock))
    return std::nullopt;
  region.depth = static_cast<int>(*depth);
  region.site = siteOf(region.name, plain(fields[Source]), plain(fields[Function]), sites);
  region.context = valuesOfJson(fields[Context], sites);
  region.place = placeByPath(region, plain(fields[Path]));
  return region;
}

} // namespace

const Site *siteOf(std::string_view name, std::string_view source, std::string_view function,
                   KeptSites &sites) {
  const std::size_t colon = source.rfind(':');
  const auto line =
      colon == std::string_view::npos ? std::nullopt : numberOf(source.substr(colon + 1));
  return line ? sites.keep("", source.substr(0, colon), static_cast<int>(*line), function)
              : sites.keep(name, "", 0, "");
}

std::string readCsv(std::istream &stream, RecordingListener &listener, KeptSites &sites) {
  std::string heading;
  std::getline(stream, heading);
  listener.begin({});
  Assembler assembler(listener);
  RecordedEnd end;
  CsvLines table(stream, heading.find(",busy_ns,") == std::string::npos ? columnsBefore : columns);
  Fields fields;
  std::unordered_map<std::string, RecordedRegion> known;
  for (bool good = false; end.missing.empty() && table.next(fields, good);) {
    if (good && fields[KindWord] == "loss") {
      assembler.remark(std::string(plain(fields[Name])));
      continue;
    }
    Record record{};
    if (good && readRecord(fields, record)) {
      std::string key;
      for (const CsvColumn column :
           {Name, Path, Depth, KindWord, ClockWord, Source, Function, Context})
        key.append(fields[column]).push_back('\0');
      auto region = known.find(key);
      if (region == known.end())
        if (auto read = regionOf(fields, sites)) {
          if (known.size() > 100'000) { // the assembler holds on to them only for a replay
            assembler.finish();
            known.clear();
          }
          region = known.emplace(std::move(key), std::move(*read)).first;
        }
      if (region != known.end()) {
        assembler.add(region->second, record);
        continue;
      }
    }
    end.missing =
        table.atEnd()
            ? "the file is cut off in its last line: what comes before it is read"
            : fmt::format("line {} is damaged: what comes before it is read", table.line());
  }
  assembler.finish();
  listener.end(end);
  return {};
}

} // namespace graphprof
