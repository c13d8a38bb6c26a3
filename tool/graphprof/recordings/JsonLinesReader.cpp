// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "Assembler.h"
#include "Readers.h"
#include "output/data/LossText.h"
#include "output/data/ReadKernels.h"
#include "output/io/JsonValues.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

using Json = nlohmann::json;

// A line is not what graphprof writes.
struct Damaged {};

std::int64_t number(const Json &line, const char *key, std::int64_t ifNull) {
  const auto found = line.find(key);
  if (found == line.end() || found->is_null())
    return ifNull;
  if (!found->is_number_integer())
    throw Damaged();
  return found->get<std::int64_t>();
}
std::string text(const Json &line, const char *key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

template <class Of> void place(const Json &line, Of &of, std::uint64_t Of::*number_) {
  of.graph = static_cast<std::uint64_t>(number(line, "graph", 0));
  of.exec = static_cast<std::uint64_t>(number(line, "exec", 0));
  of.*number_ = static_cast<std::uint64_t>(number(line, "replay", 0));
  of.device = static_cast<int>(number(line, "device", -1));
  of.stream = static_cast<std::uint64_t>(number(line, "stream", 0));
  of.step = number(line, "step", -1);
  of.cold = line.value("cold", false);
}

class Lines {
public:
  Lines(RecordingListener &listener, KeptSites &sites)
      : listener_(listener), sites_(sites), assembler_(listener) {}

  // False: it makes no sense.
  bool took(const std::string &text) {
    try {
      take(text);
      return true;
    } catch (const Damaged &) {
      return false;
    } catch (const Json::exception &) {
      return false;
    }
  }
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] bool ended() const { return ended_; }
  void finish(std::string missing) {
    assembler_.finish();
    end_.missing = std::move(missing);
    listener_.end(end_);
  }

private:
  // Throws Damaged or an exception of the JSON library.
  void take(const std::string &text) {
    if (fastRecord(text))
      return;
    const Json line = Json::parse(text);
    const std::string type = line.at("type");
    if (type == "run") {
      run(line);
    } else if (!begun_) {
      throw Damaged();
    } else if (type == "record") {
      record(line, text);
    } else if (type == "replay") {
      Replay replay;
      place(line, replay, &Replay::number);
      replay.launchNs = number(line, "launch_ns", 0);
      replay.beginNs = number(line, "begin_ns", 0);
      replay.endNs = number(line, "end_ns", 0);
      assembler_.begin(replay);
    } else if (type == "graph") {
      graph(line, std::hash<std::string>()(line.at("nodes").dump()));
    } else if (type == "kernel") {
      kernel(line);
    } else if (type == "host_span") {
      hostSpan(line);
    } else if (type == "memory") {
      memory(line);
    } else if (type == "metadata") {
      assembler_.note(line.at("key"), line.at("value").dump());
    } else if (type == "remark") {
      assembler_.remark(line.at("text"));
    } else if (type == "loss") {
      for (const LossKind &kind : lossKinds())
        if (line.at("kind") == kind.key)
          end_.losses.*kind.count = line.at("count");
    } else if (type == "end") {
      ended_ = true;
    }
  }
  void run(const Json &line) {
    if (std::exchange(begun_, true))
      throw Damaged();
    Run run;
    run.host = text(line, "host");
    run.program = text(line, "program");
    run.pid = number(line, "pid", 0);
    run.rank = number(line, "rank", 0);
    run.beganNs = number(line, "began_ns", 0);
    listener_.begin(run);
  }

  static std::uint32_t index(const Json &node, const char *key, std::size_t behind) {
    const std::int64_t read = number(node, key, -1);
    if (read < -1 || (read >= 0 && static_cast<std::size_t>(read) >= behind))
      throw Damaged();
    return read < 0 ? GraphNodes::none : static_cast<std::uint32_t>(read);
  }
  static std::vector<std::uint32_t> list(const Json &node, const char *key, std::size_t behind) {
    std::vector<std::uint32_t> numbers;
    for (const Json &number : node.at(key)) {
      if (!number.is_number_unsigned() || number.get<std::uint64_t>() >= behind)
        throw Damaged();
      numbers.push_back(number.get<std::uint32_t>());
    }
    return numbers;
  }

  void graph(const Json &line, std::uint64_t looks) {
    constexpr std::size_t mostRegions = 10'000'000;
    auto graph = std::make_shared<GraphNodes>();
    graph->looks = looks;
    graph->multiprocessors = static_cast<std::uint32_t>(number(line, "multiprocessors", 0));
    const Json &nodes = line.at("nodes");
    if (!nodes.is_array())
      throw Damaged();
    std::uint32_t regions = 0;
    for (const Json &each : nodes) {
      GraphNodes::Node &node = graph->nodes.emplace_back();
      const auto type = std::ranges::find(GraphNodes::types, text(each, "type"));
      node.type = type == GraphNodes::types.end() ? GraphNodes::types.front() : *type;
      node.name = text(each, "name");
      node.timed = index(each, "record", mostRegions);
      node.region = index(each, "region", mostRegions);
      node.inside = index(each, "inside", graph->nodes.size() - 1);
      node.after = list(each, "after", nodes.size());
      node.early = list(each, "early", nodes.size());
      node.blocks = static_cast<std::uint64_t>(number(each, "blocks", 0));
      node.threads = static_cast<std::uint32_t>(number(each, "threads", 0));
      node.resident = static_cast<std::uint64_t>(number(each, "resident", 0));
      for (const std::uint32_t of : {node.timed, node.region})
        if (of != GraphNodes::none)
          regions = std::max(regions, of + 1);
    }
    graph->regions.resize(regions);
    for (const GraphNodes::Node &node : graph->nodes)
      if (node.timed != GraphNodes::none)
        graph->regions[node.timed].isNode = true;
    assembler_.describe(static_cast<std::uint64_t>(number(line, "graph", 0)),
                        {static_cast<std::uint32_t>(number(line, "node_count", 0)),
                         static_cast<std::uint32_t>(number(line, "edge_count", 0))},
                        std::move(graph));
  }

  void kernel(const Json &line) {
    const std::string name = line.at("name");
    KernelRun run;
    run.graph = static_cast<std::uint64_t>(number(line, "graph", 0));
    run.exec = static_cast<std::uint64_t>(number(line, "exec", 0));
    run.replay = static_cast<std::uint64_t>(number(line, "replay", 0));
    run.device = static_cast<int>(number(line, "device", -1));
    run.step = number(line, "step", -1);
    run.cold = line.at("cold");
    run.isTwin = line.at("twin");
    run.durationNs = number(line, "duration_ns", -1);
    InsideOfKernel known = kernels_.find(run.graph, count(line, "node"), text(line, "path"), name);
    if (run.isTwin)
      inside(line, known, run);
    run.kernel = kernels_.keep(run.graph, std::move(known));
    assembler_.add(std::move(run));
  }
  static void inside(const Json &line, InsideOfKernel &kernel, KernelRun &run) {
    for (const Json &each : line.at("inside")) {
      const std::string name = each.at("name");
      run.rows.push_back({ReadKernels::scopeOf(kernel, name, text(each, "source")),
                          index(each, "inside", run.rows.size())});
    }
    for (const Json &each : line.at("warps")) {
      const auto warp = static_cast<std::uint32_t>(run.warps.size());
      run.warps.push_back({count(each, "block"), count(each, "warp"), count(each, "multiprocessor"),
                           number(each, "begin_ns", 0), number(each, "duration_ns", 0)});
      for (const Json &time : each.at("times")) {
        const KernelRun::Time one{time.at(0), warp, time.at(1), time.at(2)};
        if (one.row >= run.rows.size() || one.ns < 0 || run.warps.back().durationNs < 0)
          throw Damaged();
        run.times.push_back(one);
      }
    }
  }
  static std::uint32_t count(const Json &of, const char *key) {
    const std::int64_t read = number(of, key, -1);
    if (read < 0 || read > UINT32_MAX)
      throw Damaged();
    return static_cast<std::uint32_t>(read);
  }

  void hostSpan(const Json &line) {
    HostSpan span;
    const std::string name = line.at("name"), thread = text(line, "thread_name");
    if (!fromWord(text(line, "kind"), span.kind))
      throw Damaged();
    span.captured = line.at("captured");
    span.name = name;
    span.thread_name = thread;
    span.site = siteOf(name, text(line, "source"), text(line, "function"), sites_);
    const std::vector<Value> context = valuesOfJson(line.at("context").dump(), sites_);
    span.context = context.data();
    span.context_size = context.size();
    span.thread = line.at("thread");
    span.step = number(line, "step", -1);
    span.graph = static_cast<std::uint64_t>(number(line, "graph", 0));
    span.exec = static_cast<std::uint64_t>(number(line, "exec", 0));
    span.replay = static_cast<std::uint64_t>(number(line, "replay", 0));
    span.bytes = static_cast<std::uint64_t>(number(line, "bytes", 0));
    span.begin_ns = number(line, "begin_ns", -1);
    const std::int64_t durationNs = number(line, "duration_ns", -1);
    if (span.begin_ns < 0 || durationNs < 0 || durationNs > INT64_MAX - span.begin_ns)
      throw Damaged();
    span.end_ns = span.begin_ns + durationNs;
    assembler_.add(span);
  }

  void memory(const Json &line) {
    MemoryEvent event;
    const std::string path = text(line, "path"), address = line.at("address");
    if (!fromWord(text(line, "kind"), event.kind) || !address.starts_with("0x"))
      throw Damaged();
    const auto [end, error] =
        std::from_chars(address.data() + 2, address.data() + address.size(), event.address, 16);
    if (error != std::errc() || end != address.data() + address.size())
      throw Damaged();
    event.device = static_cast<int>(number(line, "device", -1));
    event.bytes = number(line, "bytes", 0);
    event.allocated = line.at("allocated");
    event.timeNs = number(line, "time_ns", 0);
    event.step = number(line, "step", -1);
    event.path = path;
    assembler_.add(event);
  }

  // The part of a record's line that is the same for all records of its region ends here; 0: the
  // line is not written as graphprof writes it.
  static std::size_t endOfFixed(std::string_view line) {
    if (!line.starts_with(R"({"type":"record",)"))
      return 0;
    const std::size_t end = line.find(R"(},"graph":)"); // no text holds this without a backslash
    return end == std::string_view::npos ? 0 : end + 2;
  }

  void record(const Json &line, std::string_view whole) {
    RecordedRegion region;
    region.name = line.at("name");
    region.depth = line.at("depth");
    if (region.depth < 0 || region.depth > 10'000 || !fromWord(text(line, "kind"), region.kind) ||
        !fromWord(text(line, "clock"), region.clock))
      throw Damaged();
    region.site = siteOf(region.name, text(line, "source"), text(line, "function"), sites_);
    region.place = placeByPath(region, text(line, "path"));
    if (line.contains("context"))
      region.context = valuesOfJson(line.at("context").dump(), sites_);
    Record record{};
    place(line, record, &Record::replay);
    record.iteration = number(line, "iteration", -1);
    record.begin_ns = number(line, "begin_ns", 0);
    record.duration_ns = number(line, "duration_ns", -1);
    record.ends = Ends::Completion;
    (void)fromWord(text(line, "ends"), record.ends);
    record.busy_ns = number(line, "busy_ns", -1);
    record.gap_ns = number(line, "gap_ns", -1);
    record.busy_replays = static_cast<std::uint32_t>(number(line, "busy_replays", 0));
    (void)fromWord(text(line, "gap_cause"), record.gap_cause);
    const std::size_t fixed = endOfFixed(whole);
    const std::string key(fixed ? whole.substr(0, fixed) : whole);
    if (known_.size() > 100'000) { // the assembler holds on to them only for a replay
      assembler_.finish();
      known_.clear();
    }
    assembler_.add(known_.insert_or_assign(key, std::move(region)).first->second, record);
  }

  // The rest of a line, whose members graphprof writes in this order.
  class Rest {
  public:
    explicit Rest(std::string_view text) : text_(text) {}
    [[nodiscard]] bool good() const { return good_ && text_ == "}"; }
    Rest &skip(std::string_view name) {
      good_ = good_ && text_.starts_with(name);
      if (good_)
        text_.remove_prefix(name.size());
      return *this;
    }
    std::int64_t number(std::string_view name, std::int64_t ifNull) {
      skip(name);
      if (good_ && text_.starts_with("null")) {
        text_.remove_prefix(4);
        return ifNull;
      }
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      good_ = good_ && error == std::errc();
      if (good_)
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      return value;
    }
    [[nodiscard]] bool has(std::string_view name) const { return text_.starts_with(name); }
    // A text without escapes; empty if it is null.
    std::string_view word(std::string_view name) {
      skip(name);
      if (has("null"))
        return skip("null"), std::string_view();
      skip("\"");
      const std::string_view found = text_.substr(0, text_.find('"'));
      return skip(found).skip("\""), found;
    }
    // One of the two words.
    bool is(std::string_view name, std::string_view yes, std::string_view no) {
      skip(name);
      const bool found = text_.starts_with(yes);
      return skip(found ? yes : no), found;
    }

  private:
    std::string_view text_;
    bool good_ = true;
  };

  bool fastRecord(std::string_view line) {
    const std::size_t fixed = endOfFixed(line);
    if (fixed == 0)
      return false;
    const auto region = known_.find(std::string(line.substr(0, fixed)));
    if (region == known_.end())
      return false;
    Rest rest(line.substr(fixed));
    Record record{};
    record.graph = static_cast<std::uint64_t>(rest.number(R"("graph":)", 0));
    record.exec = static_cast<std::uint64_t>(rest.number(R"(,"exec":)", 0));
    record.replay = static_cast<std::uint64_t>(rest.number(R"(,"replay":)", 0));
    record.device = static_cast<int>(rest.number(R"(,"device":)", -1));
    record.stream = static_cast<std::uint64_t>(rest.number(R"(,"stream":)", 0));
    record.step = rest.number(R"(,"step":)", -1);
    record.iteration = rest.number(R"(,"iteration":)", -1);
    record.cold = rest.is(R"(,"cold":)", "true", "false");
    record.begin_ns = rest.number(R"(,"begin_ns":)", 0);
    record.duration_ns = rest.number(R"(,"duration_ns":)", -1);
    record.ends = rest.is(R"(,"ends":)", R"("next_begin")", R"("completion")") ? Ends::NextBegin
                                                                               : Ends::Completion;
    if (rest.has(R"(,"busy_ns":)")) {
      record.busy_ns = rest.number(R"(,"busy_ns":)", -1);
      record.gap_ns = rest.number(R"(,"gap_ns":)", -1);
      record.busy_replays = static_cast<std::uint32_t>(rest.number(R"(,"busy_replays":)", 0));
      (void)fromWord(rest.word(R"(,"gap_cause":)"), record.gap_cause);
    }
    if (!rest.good())
      return false;
    assembler_.add(region->second, record);
    return true;
  }

  RecordingListener &listener_;
  KeptSites &sites_;
  Assembler assembler_;
  std::unordered_map<std::string, RecordedRegion> known_; // its elements do not move
  ReadKernels kernels_;
  RecordedEnd end_;
  bool begun_ = false, ended_ = false;
};

} // namespace

std::string readJsonLines(std::istream &stream, RecordingListener &listener, KeptSites &sites) {
  Lines lines(listener, sites);
  std::string missing;
  std::uint64_t count = 0;
  for (std::string line; missing.empty() && std::getline(stream, line);) {
    ++count;
    if (!line.empty() && !lines.took(line))
      missing = stream.eof() // no line end follows
                    ? "the file is cut off in its last line: what comes before it is read"
                    : fmt::format("line {} is damaged: what comes before it is read", count);
  }
  if (!lines.begun())
    return "it does not begin with graphprof's line of the type run (GRAPHPROF_OUTPUT=PATH.jsonl "
           "writes it)";
  if (missing.empty() && !lines.ended())
    missing = "the program did not end normally, or still runs: what it wrote until then is read, "
              "and what it lost is unknown";
  lines.finish(std::move(missing));
  return {};
}

} // namespace graphprof
