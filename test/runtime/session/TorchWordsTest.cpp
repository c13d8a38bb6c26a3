// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What we write under torch.profiler's names means what it means there: traces, tables and the page
// that compares, beside the words of files that PyTorch wrote on a GPU (torch/words.json).

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "Torch.h"
#include "graphprof/key_averages.h"
#include "output/Samples.h"
#include "output/data/MemoryEvent.h"
#include "output/formats/chrome_trace/ChromeTrace.h"
#include "output/statistics/AverageTable.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::HostSample;
using graphprof::test::Sample;
using graphprof::test::torchExpectations;
using graphprof::test::Written;
using testing::AnyOf;
using testing::StartsWith;

namespace {

using Json = nlohmann::json;
using Names = std::set<std::string>;

Names namesIn(const Json &list) { return list.get<Names>(); }

// A trace with something of each kind in it.
Json traceOfAll() {
  const Folder folder;
  const std::string path = folder.file("trace.json");
  Written<ChromeTrace> output(path, 1'000);
  Sample sample;
  sample.region("layer", 0, 0, 50'000, Clock::Stamp, {key("batch", 8)});
  sample.region("gemm", 1, 0, 1'000).kind(Kind::Kernel);
  sample.region("Memcpy HtoD", 1, 1'000, 1'000, Clock::Stamp, {key("bytes", 64)})
      .kind(Kind::Memcpy);
  sample.region("Memset", 1, 2'000, 1'000, Clock::Stamp, {key("bytes", 64)}).kind(Kind::Memset);
  sample.region("host function", 1, 3'000, 1'000).kind(Kind::Host);
  sample.region("child", 1, 4'000, 1'000).kind(Kind::Graph);
  EXPECT_EQ(output.write(sample), "");
  HostSample host;
  for (const HostKind kind : {HostKind::Region, HostKind::Copy, HostKind::Launch, HostKind::Step,
                              HostKind::Range, HostKind::Mark})
    host.add(kind, "host", 1'000 * static_cast<std::int64_t>(kind), 500);
  EXPECT_EQ(output.writeHost(host.spans()), "");
  MemoryEvent event{};
  event.timeNs = Sample::originNs;
  event.bytes = 100;
  event.allocated = 100;
  EXPECT_EQ(output.memory(event), "");
  EXPECT_EQ(output.close({}), "");
  return Json::parse(contents(path));
}

// By category, or phase and name where an event has none, the names of the events' arguments.
std::map<std::string, Names> argumentsIn(const Json &trace) {
  std::map<std::string, Names> all;
  for (const Json &event : trace["traceEvents"]) {
    const auto text = [&](const char *field) { return event[field].get<std::string>(); };
    Names &names = all[event.contains("cat") ? text("cat") : text("ph") + ' ' + text("name")];
    if (event.contains("args"))
      for (const auto &[name, value] : event["args"].items())
        names.insert(name);
  }
  return all;
}

// What we say beyond PyTorch's words, of anything.
const Names ours = {"bytes",    "captured", "clock",    "cold",  "context",   "correlation",
                    "duration", "exec",     "function", "graph", "iteration", "kind",
                    "path",     "replay",   "source",   "step"};

} // namespace

TEST(TorchWords, TraceKeysArePyTorchs) {
  // Or named after us.
  const Names theirs = namesIn(torchExpectations("words")["keys"]);
  const Json trace = traceOfAll();
  for (const auto &[key, value] : trace.items())
    if (!theirs.contains(key))
      EXPECT_THAT(key, StartsWith("graphprof"));
}

TEST(TorchWords, TraceCategoriesArePyTorchs) {
  // Or named after us.
  const Json words = torchExpectations("words");
  for (const auto &[category, arguments] : argumentsIn(traceOfAll()))
    if (!words["categories"].contains(category))
      EXPECT_THAT(category,
                  AnyOf(StartsWith("graphprof_"), StartsWith("C "), testing::Eq("gpu_memset")))
          << "counters are Chrome's own; no memset was in PyTorch's run";
}

TEST(TorchWords, ArgumentsArePyTorchsOrOurs) {
  const Json words = torchExpectations("words");
  for (const auto &[category, arguments] : argumentsIn(traceOfAll())) {
    if (!words["categories"].contains(category))
      continue;
    const Names theirs = namesIn(words["categories"][category]["some"]);
    for (const std::string &argument : arguments)
      EXPECT_TRUE(theirs.contains(argument) || ours.contains(argument))
          << category << ": " << argument;
  }
}

TEST(TorchWords, OursHaveNoOtherMeaning) {
  // None of our arguments means something else in PyTorch.
  const Json words = torchExpectations("words");
  const Names meansTheSame = {"bytes", "correlation"};
  for (const auto &[category, arguments] : argumentsIn(traceOfAll())) {
    if (!words["categories"].contains(category))
      continue;
    for (const std::string &argument : arguments)
      if (ours.contains(argument) && !meansTheSame.contains(argument))
        EXPECT_FALSE(namesIn(words["categories"][category]["some"]).contains(argument))
            << category << ": " << argument;
  }
}

// What tools find in every kernel, copy and allocation of PyTorch's; what we do not know is named.
TEST(TorchWords, ToolsFindUsualArguments) {
  // Arguments that PyTorch always writes are there, except for those that we cannot know.
  const Json words = torchExpectations("words");
  const std::map<std::string, Names> unknown = {
      {"kernel",
       {"block", "blocks per SM", "context", "est. achieved occupancy %", "grid", "queued",
        "registers per thread", "shared memory", "warps per SM"}},
      {"gpu_memcpy", {"External id", "context"}},
      {"cpu_instant_event", {"Ev Idx", "finished"}}};
  const std::map<std::string, Names> found = argumentsIn(traceOfAll());
  for (const auto &[category, missing] : unknown)
    for (const std::string &argument : namesIn(words["categories"][category]["all"]))
      EXPECT_NE(found.at(category).contains(argument), missing.contains(argument))
          << category << ": " << argument;
}

TEST(TorchWords, TableSortsByPyTorchsNumbers) {
  // A table is sorted by whatever number PyTorch sorts by.
  const Names texts = {"input_shapes", "key", "overload_name", "scope", "stack"};
  const Names ofPython = {"is_async",           "is_legacy",       "is_remote",
                          "is_user_annotation", "node_id",         "use_cuda",
                          "use_device",         "use_privateuse1", "use_xpu"};
  for (const std::string &name : namesIn(torchExpectations("words")["sorted_by"])) {
    const bool otherDevice =
        name.find("xpu") != std::string::npos || name.find("privateuse1") != std::string::npos;
    if (texts.contains(name) || ofPython.contains(name) || otherDevice ||
        name.find("_str") != std::string::npos)
      continue;
    EXPECT_TRUE(canSortBy(name)) << name;
  }
  EXPECT_FALSE(canSortBy("add"));
}

// The page that compares speaks of every parameter.
TEST(TorchWords, PageNamesEveryParameter) {
  const std::string page = contents(std::string(GRAPHPROF_TEST_DOCS) + "/torch-profiler.md");
  const Json words = torchExpectations("words");
  for (const auto &[function, parameters] : words["parameters"].items())
    for (const auto &entry : parameters) {
      const auto parameter = entry.get<std::string>();
      const std::string name = parameter.substr(0, parameter.find_first_of(":="));
      EXPECT_TRUE(name == "self" || page.find(name) != std::string::npos)
          << function << ": " << name;
    }
}
