// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "PageJson.h"

#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "merge/ShowMerge.h"
#include "output/io/Text.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

using OrderedJson = nlohmann::ordered_json;

} // namespace

OrderedJson hostJson(const KeptHost &host, const std::vector<std::int64_t> &began) {
  OrderedJson acts = OrderedJson::array(), threads = OrderedJson::array(),
              spans = OrderedJson::array();
  for (const KeptHost::Act &act : host.acts())
    acts.push_back({word(act.kind), act.captured, utf8(act.name), utf8(act.source)});
  for (const KeptHost::Thread &thread : host.threads())
    threads.push_back({thread.run, thread.number, utf8(thread.name)});
  for (const KeptHost::Span &span : host.spans()) {
    spans.push_back(span.act);
    spans.push_back(span.thread);
    spans.push_back(span.beginNs - began[host.threads()[span.thread].run]);
    spans.push_back(span.endNs - span.beginNs);
    spans.push_back(span.replay);
    spans.push_back(span.bytes);
  }
  return {{"acts", std::move(acts)}, {"threads", std::move(threads)}, {"spans", std::move(spans)}};
}

OrderedJson memoryJson(const KeptMemory &memory, const BlocksAtPeak *blocks,
                       const std::vector<std::int64_t> &began) {
  OrderedJson list = OrderedJson::array();
  for (const auto &[place, of] : memory.places()) {
    const auto &[run, device] = place;
    std::vector<MemoryKind> kinds;
    for (std::size_t kind = 0; kind < MemoryOverTime::kinds; ++kind)
      if (of.has(static_cast<MemoryKind>(kind)))
        kinds.push_back(static_cast<MemoryKind>(kind));
    const auto stateOf = [&kinds, from = began[run]](const MemoryOverTime::State &state) {
      OrderedJson numbers = {state.atNs - from};
      for (const MemoryKind kind : kinds)
        numbers.push_back(state.bytes[static_cast<std::size_t>(kind)]);
      return numbers;
    };
    OrderedJson states = OrderedJson::array(), words = OrderedJson::array();
    for (const MemoryKind kind : kinds)
      words.push_back(word(kind));
    for (const MemoryOverTime::Bin &bin : of.bins()) {
      states.push_back(stateOf(bin.most));
      if (bin.last.atNs != bin.most.atNs || bin.last.bytes != bin.most.bytes)
        states.push_back(stateOf(bin.last));
    }
    OrderedJson one = {{"run", run},
                       {"device", device},
                       {"kinds", std::move(words)},
                       {"events", of.events()},
                       {"per_bin", of.perBin()},
                       {"peak", stateOf(of.peak())},
                       {"peak_bytes", of.peak().total()},
                       {"states", std::move(states)}};
    OrderedJson &there = one["blocks"] = nullptr;
    const BlocksAtPeak::Blocks *const known = blocks == nullptr ? nullptr : blocks->of(place);
    if (known != nullptr && known->known) {
      OrderedJson largest = OrderedJson::array();
      for (const BlocksAtPeak::Block &block : known->largest)
        largest.push_back({{"bytes", block.bytes},
                           {"kind", word(block.kind)},
                           {"address", fmt::format("{:#x}", block.address)},
                           {"at_ns", block.timeNs - began[run]},
                           {"step", block.step},
                           {"path", utf8(block.path)}});
      there = {{"largest", std::move(largest)},
               {"more", known->more},
               {"more_bytes", known->moreBytes},
               {"unseen_bytes", known->unseenBytes}};
    }
    list.push_back(std::move(one));
  }
  return list;
}

OrderedJson clocksJson(const JobTimes *times, const std::vector<std::int64_t> &began) {
  if (times == nullptr || !times->known())
    return nullptr;
  OrderedJson runs = OrderedJson::array(), lines = OrderedJson::array(),
              remarks = OrderedJson::array();
  for (std::size_t run = 0; run < began.size(); ++run) {
    if (!times->knows(run)) {
      runs.push_back(nullptr);
      continue;
    }
    const Distribution &behind = times->behind(run);
    runs.push_back(
        {{"began_ns", times->sinceFirstNs(run, began[run])},
         {"within_ns", times->uncertaintyNs(run)},
         {"launches", behind.count()},
         {"behind_p50_ns", behind.empty() ? OrderedJson() : OrderedJson(behind.quantileNs(0.5))},
         {"behind_p95_ns", behind.empty() ? OrderedJson() : OrderedJson(behind.quantileNs(0.95))},
         {"rounded", !behind.exact()}});
  }
  if (times->isJob())
    for (const std::string &line : clockLines(times->job(), times->clocks()))
      lines.push_back(utf8(line));
  for (const std::string &remark : times->clocks().remarks())
    remarks.push_back(utf8(remark));
  return {{"job", times->isJob()},
          {"lines", std::move(lines)},
          {"remarks", std::move(remarks)},
          {"runs", std::move(runs)}};
}

} // namespace graphprof
