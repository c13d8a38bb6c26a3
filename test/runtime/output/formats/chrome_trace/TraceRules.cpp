// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/chrome_trace/TraceRules.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <regex>
#include <set>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

namespace graphprof::test {

namespace {

using Json = nlohmann::json;
using Row = std::pair<std::int64_t, std::int64_t>; // pid, tid

struct Span {
  std::int64_t beginNs, endNs;
};

std::int64_t nsOf(const Json &us) {
  return static_cast<std::int64_t>(std::llround(us.get<double>() * 1e3));
}

class Rules {
public:
  explicit Rules(const std::string &text) : text_(text) {}

  std::vector<std::string> broken() {
    if (read()) {
      head();
      for (const Json &event : events_)
        if (event.is_object())
          take(event);
        else
          say("an event is no object");
      names();
      rows();
      arrows();
      end();
    }
    return std::move(broken_);
  }

private:
  void say(const std::string &sentence) {
    constexpr std::size_t most = 20;
    if (broken_.size() < most)
      broken_.push_back(sentence);
  }
  void expect(bool holds, const Json &event, const std::string &rule) {
    if (!holds)
      say(rule + ": " + event.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  // Strict JSON in UTF-8, in which no object has a key twice.
  bool read() {
    std::vector<std::set<std::string>> keys;
    const auto watch = [&](int, Json::parse_event_t what, Json &parsed) {
      if (what == Json::parse_event_t::object_start)
        keys.emplace_back();
      else if (what == Json::parse_event_t::object_end)
        keys.pop_back();
      else if (what == Json::parse_event_t::key &&
               !keys.back().insert(parsed.get<std::string>()).second)
        say("a key stands twice: " + parsed.get<std::string>());
      return true;
    };
    try {
      document_ = Json::parse(text_, watch);
    } catch (const Json::exception &error) {
      say(std::string("it is no JSON: ") + error.what());
      return false;
    }
    if (!document_.is_object() || !document_.contains("traceEvents") ||
        !document_["traceEvents"].is_array()) {
      say("it has no traceEvents");
      return false;
    }
    events_ = document_["traceEvents"];
    return true;
  }

  void head() {
    const auto has = [this](const char *key, bool (Json::*is)() const noexcept) {
      if (!document_.contains(key) || !(document_[key].*is)())
        say(std::string(key) + " is missing, or of another type");
    };
    has("schemaVersion", &Json::is_number_integer);
    has("deviceProperties", &Json::is_array);
    has("baseTimeNanoseconds", &Json::is_number_integer);
    has("traceName", &Json::is_string);
    const Json unit = document_.value("displayTimeUnit", Json());
    if (unit != "ms" && unit != "ns")
      say("displayTimeUnit is neither ms nor ns");
    if (document_.contains("deviceProperties") && document_["deviceProperties"].is_array())
      for (const Json &device : document_["deviceProperties"]) {
        if (!device.is_object() || !device.value("id", Json()).is_number_integer() ||
            !device.value("name", Json()).is_string())
          say("a device has no id or no name");
        else
          devices_.insert(device["id"].get<std::int64_t>());
      }
    // As it is written: three decimals, which a reader of JSON does not see.
    static const std::regex time(R"re([{,]"(ts|dur)":([^,}]*))re"), exact(R"re(\d+\.\d{3})re");
    for (std::sregex_iterator at(text_.begin(), text_.end(), time), last; at != last; ++at)
      if (!std::regex_match((*at)[2].str(), exact))
        say("a time is not in microseconds with three decimals: " + at->str());
  }

  static bool isTime(const Json &event, const char *key) {
    return event.value(key, Json()).is_number() && event[key].get<double>() >= 0;
  }
  static bool isText(const Json &event, const char *key) {
    return event.value(key, Json()).is_string();
  }

  void take(const Json &event) {
    const Json ph = event.value("ph", Json());
    static const std::set<std::string> known = {"X", "M", "i", "s", "f", "C"};
    if (!ph.is_string() || !known.contains(ph.get<std::string>()))
      return expect(false, event, "ph is missing or unknown");
    expect(isText(event, "name"), event, "an event has a name");
    expect(isTime(event, "ts"), event, "an event has a time, not before the base");
    if (isGlobal(event))
      return;
    if (!event.value("pid", Json()).is_number_integer() ||
        !event.value("tid", Json()).is_number_integer())
      return expect(false, event, "an event has a process and a thread, as numbers");
    if (!isText(event, "name") || !isTime(event, "ts"))
      return;
    const Row row{event["pid"].get<std::int64_t>(), event["tid"].get<std::int64_t>()};
    expect(row.first >= 0 && row.first < (std::int64_t{1} << 31) && row.second >= 0 &&
               row.second < (std::int64_t{1} << 31),
           event, "processes and threads are 32-bit numbers");
    if (ph == "M")
      return meta(event, row);
    processes_.insert(row.first);
    if (ph == "C")
      return counter(event);
    threads_.insert(row);
    if (ph == "X")
      span(event, row);
    else if (ph == "i")
      expect(event.value("s", Json("t")) == "t" || event["s"] == "p" || event["s"] == "g", event,
             "an instant is of its thread, its process, or all");
    else
      arrow(event, row);
  }

  // Kineto's last event.
  static bool isGlobal(const Json &event) {
    const auto isBlank = [&](const char *key) {
      return isText(event, key) && event[key].get_ref<const std::string &>().empty();
    };
    return event.value("ph", Json()) == "i" && event.value("s", Json()) == "g" && isBlank("pid") &&
           isBlank("tid");
  }

  void meta(const Json &event, const Row &row) {
    const std::string name = event["name"].get<std::string>();
    const std::map<std::string, std::string> arguments = {{"process_name", "name"},
                                                          {"thread_name", "name"},
                                                          {"process_labels", "labels"},
                                                          {"process_sort_index", "sort_index"},
                                                          {"thread_sort_index", "sort_index"}};
    const auto argument = arguments.find(name);
    if (argument == arguments.end())
      return expect(false, event, "a metadata event has one of the names that there are");
    const Json value = event.value("args", Json::object()).value(argument->second, Json());
    expect(argument->second == "sort_index" ? value.is_number_integer() : value.is_string(), event,
           "a metadata event has its argument");
    const bool ofThread = name.starts_with("thread");
    expect(metas_.emplace(name, row.first, ofThread ? row.second : 0).second, event,
           "a process and a thread are described once");
    if (name == "process_labels" && value.is_string() &&
        value.get<std::string>().starts_with("GPU") && !devices_.empty())
      expect(devices_.contains(row.first), event, "a device's process has the device's id");
    if (name == "thread_name" && value.is_string())
      expect(rowNames_.emplace(row.first, value.get<std::string>()).second, event,
             "two rows of a process do not have the same name");
  }

  void span(const Json &event, const Row &row) {
    if (!isTime(event, "dur"))
      return expect(false, event, "a span has a duration, not negative");
    expect(isText(event, "cat"), event, "a span has a category");
    expect(event.value("args", Json::object()).is_object(), event, "arguments are an object");
    const std::int64_t beginNs = nsOf(event["ts"]);
    spans_[row].push_back({beginNs, beginNs + nsOf(event["dur"])});
  }

  void counter(const Json &event) {
    const Json values = event.value("args", Json());
    expect(values.is_object() && !values.empty(), event, "a counter has values");
    if (values.is_object())
      for (const Json &value : values)
        expect(value.is_number(), event, "a counter's values are numbers");
    const auto key = std::pair(event["pid"].get<std::int64_t>(), event["name"].get<std::string>());
    const auto [last, isFirst] = counters_.try_emplace(key, nsOf(event["ts"]));
    expect(isFirst || last->second <= nsOf(event["ts"]), event, "a counter's times go on");
    last->second = nsOf(event["ts"]);
  }

  struct Arrow {
    Row row;
    std::int64_t ns;
  };
  void arrow(const Json &event, const Row &row) {
    if (!event.contains("id") || !isText(event, "cat"))
      return expect(false, event, "an arrow has an id and a category");
    const bool starts = event["ph"] == "s";
    expect(starts || event.value("bp", Json()) == "e", event, "an arrow ends in the span around");
    const std::tuple key(event["cat"].get<std::string>(), event["name"].get<std::string>(),
                         event["id"].dump());
    expect((starts ? starts_ : ends_).emplace(key, Arrow{row, nsOf(event["ts"])}).second, event,
           "an arrow starts once and ends once");
  }

  void names() {
    for (const std::int64_t process : processes_)
      for (const char *name : {"process_name", "process_labels", "process_sort_index"})
        if (!metas_.contains({name, process, 0}))
          say("process " + std::to_string(process) + " has no " + name);
    for (const Row &row : threads_)
      for (const char *name : {"thread_name", "thread_sort_index"})
        if (!metas_.contains({name, row.first, row.second}))
          say("thread " + std::to_string(row.second) + " of process " + std::to_string(row.first) +
              " has no " + name);
  }

  // On one thread any two spans follow or enclose each other.
  void rows() {
    for (const auto &[row, spans] : spans_)
      for (const Span &a : spans)
        for (const Span &b : spans) {
          const bool apart = a.endNs <= b.beginNs || b.endNs <= a.beginNs;
          const bool nested = (a.beginNs <= b.beginNs && b.endNs <= a.endNs) ||
                              (b.beginNs <= a.beginNs && a.endNs <= b.endNs);
          if (!apart && !nested)
            say("spans of thread " + std::to_string(row.second) + " overlap at " +
                std::to_string(a.beginNs) + " ns");
        }
  }

  [[nodiscard]] bool inSpan(const Arrow &arrow) const {
    const auto spans = spans_.find(arrow.row);
    if (spans == spans_.end())
      return false;
    for (const Span &span : spans->second)
      if (span.beginNs <= arrow.ns && arrow.ns <= span.endNs)
        return true;
    return false;
  }

  void arrows() {
    for (const auto &[key, start] : starts_) {
      const std::string who = "arrow " + std::get<2>(key);
      if (!inSpan(start))
        say(who + " starts in no span");
      const auto end = ends_.find(key);
      if (end == ends_.end()) {
        say(who + " has no end");
        continue;
      }
      if (!inSpan(end->second))
        say(who + " ends in no span");
      if (end->second.ns < start.ns)
        say(who + " ends before it starts, by " + std::to_string(start.ns - end->second.ns) +
            " ns");
    }
    for (const auto &[key, end] : ends_)
      if (!starts_.contains(key))
        say("arrow " + std::get<2>(key) + " has no start");
  }

  void end() {
    if (events_.empty() || events_.back().value("name", Json()) != "Record Window End" ||
        !isGlobal(events_.back()))
      return say("the last event is not the end of the record window");
    for (const Json &event : events_)
      if (isTime(event, "ts") &&
          nsOf(event["ts"]) + (isTime(event, "dur") ? nsOf(event["dur"]) : 0) >
              nsOf(events_.back()["ts"]))
        expect(false, event, "nothing is behind the end of the record window");
  }

  const std::string &text_;
  Json document_, events_;
  std::vector<std::string> broken_;
  std::set<std::int64_t> devices_, processes_;
  std::set<Row> threads_;
  std::set<std::tuple<std::string, std::int64_t, std::int64_t>> metas_; // name, pid, tid
  std::set<std::pair<std::int64_t, std::string>> rowNames_;
  std::map<Row, std::vector<Span>> spans_;
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> counters_; // when last
  std::map<std::tuple<std::string, std::string, std::string>, Arrow> starts_, ends_;
};

} // namespace

std::vector<std::string> brokenTraceRules(const std::string &text) { return Rules(text).broken(); }

} // namespace graphprof::test
