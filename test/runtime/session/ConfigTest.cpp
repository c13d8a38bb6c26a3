// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/ReadConfig.h"

#include <array>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/MakeOutput.h"

using namespace graphprof;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

Config read(const std::map<std::string, std::string> &environment) {
  return readConfig([&](const char *name) -> const char * {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Config, UnsetVariablesTakeTheDefaults) {
  const Config config = read({});
  EXPECT_TRUE(config.enabled);
  EXPECT_EQ(config.clock, ClockChoice::Auto);
  EXPECT_EQ(config.backend, "");
  EXPECT_EQ(config.edges, EdgeChoice::Auto);
  EXPECT_FALSE(config.nodes);
  EXPECT_FALSE(config.hostSpans);
  EXPECT_THAT(config.outputs, ElementsAre("table"));
  EXPECT_EQ(config.kernels, (KernelRecording{false, false, 1, 0, 512}));
  EXPECT_EQ(config.ringDepth, 0U);
  EXPECT_EQ(config.maxQueue, 65'536U);
  EXPECT_EQ(config.maxRecords, 1'000'000U);
  EXPECT_EQ(config.maxRegions, 100'000U);
  EXPECT_EQ(config.maxExecs, 0U);
  EXPECT_EQ(config.maxName, 1'024U);
  EXPECT_EQ(config.exitTimeoutMs, 5'000);
  EXPECT_THAT(config.complaints, IsEmpty());
}

TEST(Config, RightValuesAreTaken) {
  // Without a complaint.
  const Config config = read({{"GRAPHPROF_ENABLED", "0"},
                              {"GRAPHPROF_CLOCK", "event"},
                              {"GRAPHPROF_NODES", "1"},
                              {"GRAPHPROF_KERNELS", "blocks:12,warps:32,entries:65534"},
                              {"GRAPHPROF_MEMORY", "1"},
                              {"GRAPHPROF_HOST_SPANS", "1"},
                              {"GRAPHPROF_COPIES", "selective, d2h"},
                              {"GRAPHPROF_OUTPUT", "replays:/tmp/r.txt,out/trace.json"},
                              {"GRAPHPROF_EDGES", "completion"},
                              {"GRAPHPROF_RING_DEPTH", "64"},
                              {"GRAPHPROF_MAX_QUEUE", "2"},
                              {"GRAPHPROF_MAX_RECORDS", "10"},
                              {"GRAPHPROF_MAX_REGIONS", "1"},
                              {"GRAPHPROF_MAX_EXECS", "100"},
                              {"GRAPHPROF_MAX_NAME", "16"},
                              {"GRAPHPROF_BUDGET", "0.5 %"},
                              {"GRAPHPROF_SAMPLE", "1/100"},
                              {"GRAPHPROF_PARTS", "4"},
                              {"GRAPHPROF_EXIT_TIMEOUT", "0"}});
  EXPECT_FALSE(config.enabled);
  EXPECT_EQ(config.clock, ClockChoice::Event);
  EXPECT_TRUE(config.nodes);
  EXPECT_TRUE(config.memory);
  EXPECT_TRUE(config.hostSpans);
  EXPECT_EQ(config.copies.mode, CopyMode::Selective);
  EXPECT_TRUE(config.copies.d2h);
  EXPECT_FALSE(config.copies.d2d);
  EXPECT_THAT(config.outputs, ElementsAre("replays:/tmp/r.txt", "out/trace.json"));
  EXPECT_EQ(config.edges, EdgeChoice::Completion);
  EXPECT_EQ(config.kernels, (KernelRecording{true, true, 32, 12, 65'534}));
  EXPECT_EQ(config.ringDepth, 64U);
  EXPECT_EQ(config.maxQueue, 2U);
  EXPECT_EQ(config.maxRecords, 10U);
  EXPECT_EQ(config.maxRegions, 1U);
  EXPECT_EQ(config.maxExecs, 100U);
  EXPECT_DOUBLE_EQ(config.budget, 0.005);
  EXPECT_EQ(config.sample, 100U);
  EXPECT_EQ(config.parts, 4U);
  EXPECT_EQ(config.maxName, 16U);
  EXPECT_EQ(config.exitTimeoutMs, 0);
  EXPECT_THAT(config.complaints, IsEmpty());
}

TEST(Config, NothingInsideKernelsIfOff) {
  const Config config = read({{"GRAPHPROF_KERNELS", "off"}});
  EXPECT_FALSE(config.kernels.on);
  EXPECT_TRUE(config.kernels.isSet);
  EXPECT_THAT(config.complaints, IsEmpty());
}

TEST(Config, InsideKernelsAsUsualIfOn) {
  const Config config = read({{"GRAPHPROF_KERNELS", "on"}});
  EXPECT_EQ(config.kernels, (KernelRecording{true, true, 1, 0, 512}));
  EXPECT_THAT(config.complaints, IsEmpty());
}

TEST(Config, WrongSwitchKeepsDefault) {
  // A wrong switch is said, and the default stands.
  const Config config = read(
      {{"GRAPHPROF_NODES", "yes"}, {"GRAPHPROF_ENABLED", "off"}, {"GRAPHPROF_HOST_SPANS", "all"}});
  EXPECT_FALSE(config.nodes);
  EXPECT_FALSE(config.hostSpans);
  EXPECT_TRUE(config.enabled);
  EXPECT_THAT(config.complaints, ElementsAre("GRAPHPROF_ENABLED=off: must be 0 or 1; using 1",
                                             "GRAPHPROF_NODES=yes: must be 0 or 1; using 0",
                                             "GRAPHPROF_HOST_SPANS=all: must be 0 or 1; using 0"));
}

// Which ones there are is known later.
TEST(Config, BackendHasAnyName) {
  EXPECT_EQ(read({{"GRAPHPROF_BACKEND", "auto"}}).backend, "");
  EXPECT_EQ(read({{"GRAPHPROF_BACKEND", " tick "}}).backend, "tick");
}

TEST(Config, EveryClockHasItsName) {
  EXPECT_EQ(read({{"GRAPHPROF_CLOCK", "auto"}}).clock, ClockChoice::Auto);
  EXPECT_EQ(read({{"GRAPHPROF_CLOCK", "stamp"}}).clock, ClockChoice::Stamp);
  EXPECT_EQ(read({{"GRAPHPROF_CLOCK", " event "}}).clock, ClockChoice::Event);
}

TEST(Config, UnknownVariablesAreSaid) {
  // A variable that does not exist is said, with the one that may be meant.
  const std::array environment = {"PATH=/bin",
                                  "GRAPHPROF_CLOCK=stamp",
                                  "GRAPHPROF_OUPUT=table",
                                  "GRAPHPROF_ENABLE=0",
                                  "GRAPHPROF_NONSENSE_OF_SOME_LENGTH=1",
                                  "GRAPHPROF_CC_OPTIONS=-v",
                                  "GRAPHPROF_STRICT=1",
                                  "GRAPHPROF_KEEP=1",
                                  "MY_GRAPHPROF_X=1",
                                  static_cast<const char *>(nullptr)};
  const Config config =
      readConfig([](const char *) -> const char * { return nullptr; }, environment.data());
  EXPECT_THAT(config.complaints,
              ElementsAre("GRAPHPROF_OUPUT: unknown variable (did you mean GRAPHPROF_OUTPUT?)",
                          "GRAPHPROF_ENABLE: unknown variable (did you mean GRAPHPROF_ENABLED?)",
                          "GRAPHPROF_NONSENSE_OF_SOME_LENGTH: unknown variable"));
}

// Whoever asks for something gets something.
TEST(Config, OnlyWrongOutputsMakeTable) {
  // If all items of the list are mistakes, the output is the table.
  const Config config = read({{"GRAPHPROF_OUTPUT", "tabel"}});
  EXPECT_THAT(config.outputs, ElementsAre("table"));
  ASSERT_EQ(config.complaints.size(), 1U);
  EXPECT_THAT(config.complaints[0], testing::EndsWith(" (did you mean table?); using table"));
  EXPECT_THAT(read({{"GRAPHPROF_OUTPUT", "replay:a.txt,run.db"}}).complaints[0],
              testing::EndsWith(" (did you mean replays?); using the others of the list"));
}

TEST(Config, EmptyListMeansNoOutput) {
  const Config config = read({{"GRAPHPROF_OUTPUT", ""}});
  EXPECT_THAT(config.outputs, IsEmpty());
  EXPECT_THAT(config.complaints, IsEmpty());
}

TEST(Config, EmptyValueIsUnset) {
  // An empty value is as none, except for that of GRAPHPROF_OUTPUT.
  const Config config = read({{"GRAPHPROF_ENABLED", ""},
                              {"GRAPHPROF_CLOCK", ""},
                              {"GRAPHPROF_RING_DEPTH", ""},
                              {"GRAPHPROF_MAX_QUEUE", ""},
                              {"GRAPHPROF_MAX_REGIONS", ""},
                              {"GRAPHPROF_MAX_NAME", ""},
                              {"GRAPHPROF_MAX_RECORDS", ""},
                              {"GRAPHPROF_EXIT_TIMEOUT", ""}});
  EXPECT_TRUE(config.enabled);
  EXPECT_EQ(config.maxRecords, 1'000'000U);
  EXPECT_THAT(config.complaints, IsEmpty());
}

TEST(Config, BlanksAroundOutputsDoNotMatter) {
  // Nor do empty items of the list.
  const Config config = read({{"GRAPHPROF_OUTPUT", " table ,, a b.json ,"}});
  EXPECT_THAT(config.outputs, ElementsAre("table", "a b.json"));
  EXPECT_THAT(config.complaints, IsEmpty());
}

TEST(Config, UnknownOutputIsSkipped) {
  // The others of the list are kept.
  const Config config = read({{"GRAPHPROF_OUTPUT", "tabel,trace.json,table:"}});
  EXPECT_THAT(config.outputs, ElementsAre("trace.json"));
  EXPECT_THAT(config.complaints,
              ElementsAre("GRAPHPROF_OUTPUT=tabel: must be a list of " + outputItems() +
                              " (did you mean table?); using the others of the list",
                          HasSubstr("GRAPHPROF_OUTPUT=table:: must be")));
}

TEST(Config, OutputWithWrongOptionIsSkipped) {
  // An output's wrong option is said, and the output left out.
  const Config config = read({{"GRAPHPROF_OUTPUT", "key_averages+stats,key_averages+statistics"}});
  EXPECT_THAT(config.outputs, ElementsAre("key_averages+statistics"));
  EXPECT_THAT(config.complaints,
              ElementsAre("GRAPHPROF_OUTPUT=key_averages+stats: stats is not one of statistics, "
                          "sort_by=COLUMN, row_limit=N, time_unit=UNIT, top_level_events_only; "
                          "using the others of the list"));
}

TEST(Config, OutputWithUnknownPlaceholderIsSkipped) {
  // An unknown placeholder is said, and the output left out.
  const Config config = read({{"GRAPHPROF_OUTPUT", "table,trace.{node}.json,{host}/{rank}.json"}});
  EXPECT_THAT(config.outputs, ElementsAre("table", "{host}/{rank}.json"));
  EXPECT_THAT(config.complaints,
              ElementsAre("GRAPHPROF_OUTPUT=trace.{node}.json: {node} is not one of {host}, {pid}, "
                          "{rank}, {time}, {env:NAME}; using the others of the list"));
}

TEST(Config, RepeatedOutputIsMadeOnce) {
  // An output that is named twice is made once, and that is said.
  const Config config = read({{"GRAPHPROF_OUTPUT", "table,table"}});
  EXPECT_THAT(config.outputs, ElementsAre("table"));
  EXPECT_THAT(config.complaints, ElementsAre(HasSubstr("GRAPHPROF_OUTPUT=table")));
}

struct Wrong {
  const char *variable;
  const char *value;
  const char *allowed;
  const char *taken;
};

class WrongValue : public testing::TestWithParam<Wrong> {};

TEST_P(WrongValue, IsReplacedByDefault) {
  // It is named, with what is allowed and what is taken instead.
  const Wrong wrong = GetParam();
  const Config config = read({{wrong.variable, wrong.value}});
  EXPECT_THAT(config.complaints,
              ElementsAre(std::string(wrong.variable) + "=" + wrong.value + ": must be " +
                          wrong.allowed + "; using " + wrong.taken));
  const Config byDefault = read({});
  EXPECT_EQ(config.enabled, byDefault.enabled);
  EXPECT_EQ(config.clock, byDefault.clock);
  EXPECT_FALSE(config.schedule);
  EXPECT_FALSE(config.stepsAreLaunches);
  EXPECT_EQ(config.ringDepth, byDefault.ringDepth);
  EXPECT_EQ(config.maxQueue, byDefault.maxQueue);
  EXPECT_EQ(config.maxRecords, byDefault.maxRecords);
  EXPECT_EQ(config.maxRegions, byDefault.maxRegions);
  EXPECT_EQ(config.maxName, byDefault.maxName);
  EXPECT_EQ(config.budget, byDefault.budget);
  EXPECT_EQ(config.sample, byDefault.sample);
  EXPECT_EQ(config.parts, byDefault.parts);
  EXPECT_EQ(config.exitTimeoutMs, byDefault.exitTimeoutMs);
  EXPECT_EQ(config.kernels, byDefault.kernels);
}

constexpr const char *schedules = "a list of wait=N, warmup=N, active=N, repeat=N, skip_first=N, "
                                  "skip_first_wait=N, with active at least 1";
constexpr const char *noSchedule = "no schedule: everything is recorded";
constexpr const char *steps =
    "marked, launches, or launches:GRAPH with the number of a graph from 1";
constexpr const char *kernels =
    "on, off, or a list of warps:N, up to 32, blocks:N, up to 65536, and entries:N, up to 65534";
constexpr const char *percentages = "a percentage above 0 and up to 50%, as 1%";
constexpr const char *noBudget = "none: everything is recorded";
constexpr const char *samples = "1/N with a whole number from 1 on, as 1/100";
constexpr const char *noSample = "1/1: everything is recorded";
constexpr const char *partCounts =
    "a whole number from 0 to 64 (parts; 0: chosen by GRAPHPROF_BUDGET)";
constexpr const char *ringDepths = "a whole number from 0 to 1048576 (replays; 0: chosen by size)";
constexpr const char *recordCounts = "a whole number from 1 to 1000000000";
constexpr const char *queueLengths = "a whole number from 2 to 100000000";
constexpr const char *regionCounts = "a whole number from 1 to 10000000";
constexpr const char *execCounts = "a whole number from 0 to 10000000 (0: any number)";
constexpr const char *nameLengths = "a whole number from 16 to 1048576 (bytes)";
constexpr const char *timeouts = "a whole number from 0 to 3600000 (milliseconds)";

INSTANTIATE_TEST_SUITE_P(
    Config, WrongValue,
    testing::Values(Wrong{"GRAPHPROF_ENABLED", "yes", "0 or 1", "1"},
                    Wrong{"GRAPHPROF_ENABLED", "2", "0 or 1", "1"},
                    Wrong{"GRAPHPROF_CLOCK", "Stamp", "auto, stamp or event", "auto"},
                    Wrong{"GRAPHPROF_SCHEDULE", "wait=1", schedules, noSchedule},
                    Wrong{"GRAPHPROF_SCHEDULE", "active=0", schedules, noSchedule},
                    Wrong{"GRAPHPROF_SCHEDULE", "active=1,wait=-1", schedules, noSchedule},
                    Wrong{"GRAPHPROF_SCHEDULE", "active=1,active=2", schedules, noSchedule},
                    Wrong{"GRAPHPROF_SCHEDULE", "active=1,hold=2", schedules, noSchedule},
                    Wrong{"GRAPHPROF_SCHEDULE", "active", schedules, noSchedule},
                    Wrong{"GRAPHPROF_SCHEDULE", "active=1;wait=2", schedules, noSchedule},
                    Wrong{"GRAPHPROF_SCHEDULE", "active=99999999999", schedules, noSchedule},
                    Wrong{"GRAPHPROF_STEP", "launch", steps, "marked"},
                    Wrong{"GRAPHPROF_STEP", "launches:0", steps, "marked"},
                    Wrong{"GRAPHPROF_STEP", "launches:decode", steps, "marked"},
                    Wrong{"GRAPHPROF_KERNELS", "yes", kernels, "the default"},
                    Wrong{"GRAPHPROF_KERNELS", "on,warps:1", kernels, "the default"},
                    Wrong{"GRAPHPROF_KERNELS", "off,warps:1", kernels, "the default"},
                    Wrong{"GRAPHPROF_KERNELS", "warps:0", kernels, "the default"},
                    Wrong{"GRAPHPROF_KERNELS", "warps:33", kernels, "the default"},
                    Wrong{"GRAPHPROF_KERNELS", "warps:2,blocks", kernels, "the default"},
                    Wrong{"GRAPHPROF_KERNELS", "blocks:65537", kernels, "the default"},
                    Wrong{"GRAPHPROF_KERNELS", "entries:65535", kernels, "the default"},
                    Wrong{"GRAPHPROF_KERNELS", "entries:-1", kernels, "the default"},
                    Wrong{"GRAPHPROF_EDGES", "launch", "auto or completion", "auto"},
                    Wrong{"GRAPHPROF_BUDGET", "1", percentages, noBudget},
                    Wrong{"GRAPHPROF_BUDGET", "0%", percentages, noBudget},
                    Wrong{"GRAPHPROF_BUDGET", "51%", percentages, noBudget},
                    Wrong{"GRAPHPROF_BUDGET", "nan%", percentages, noBudget},
                    Wrong{"GRAPHPROF_SAMPLE", "100", samples, noSample},
                    Wrong{"GRAPHPROF_SAMPLE", "1/0.5", samples, noSample},
                    Wrong{"GRAPHPROF_SAMPLE", "2/100", samples, noSample},
                    Wrong{"GRAPHPROF_PARTS", "65", partCounts, "0"},
                    Wrong{"GRAPHPROF_RING_DEPTH", "-1", ringDepths, "0"},
                    Wrong{"GRAPHPROF_RING_DEPTH", "1048577", ringDepths, "0"},
                    Wrong{"GRAPHPROF_RING_DEPTH", "8x", ringDepths, "0"},
                    Wrong{"GRAPHPROF_MAX_RECORDS", "0", recordCounts, "1000000"},
                    Wrong{"GRAPHPROF_MAX_RECORDS", "1e6", recordCounts, "1000000"},
                    Wrong{"GRAPHPROF_MAX_RECORDS", "99999999999999999999", recordCounts, "1000000"},
                    Wrong{"GRAPHPROF_MAX_QUEUE", "1", queueLengths, "65536"},
                    Wrong{"GRAPHPROF_MAX_REGIONS", "none", regionCounts, "100000"},
                    Wrong{"GRAPHPROF_MAX_EXECS", "-1", execCounts, "0"},
                    Wrong{"GRAPHPROF_MAX_NAME", "15", nameLengths, "1024"},
                    Wrong{"GRAPHPROF_EXIT_TIMEOUT", "5s", timeouts, "5000"},
                    Wrong{"GRAPHPROF_EXIT_TIMEOUT", "3600001", timeouts, "5000"}));

TEST(Config, ScheduleItemsHaveAnyOrder) {
  // A schedule names only what it needs, in any order.
  const auto scheduleOf = [](const char *value) {
    const Config config = read({{"GRAPHPROF_SCHEDULE", value}});
    EXPECT_THAT(config.complaints, IsEmpty());
    EXPECT_TRUE(config.schedule.has_value());
    return config.schedule.value_or(ScheduleArguments{});
  };
  const ScheduleArguments schedule = scheduleOf(" warmup=1, active = 5,wait=10,repeat=3 ");
  EXPECT_EQ(schedule.wait, 10);
  EXPECT_EQ(schedule.warmup, 1);
  EXPECT_EQ(schedule.active, 5);
  EXPECT_EQ(schedule.repeat, 3);
  EXPECT_EQ(schedule.skip_first, 0);
  const ScheduleArguments others = scheduleOf("active=1,skip_first=7,skip_first_wait=1");
  EXPECT_EQ(others.skip_first, 7);
  EXPECT_EQ(others.skip_first_wait, 1);
  EXPECT_FALSE(read({{"GRAPHPROF_SCHEDULE", " "}}).schedule);
}

TEST(Config, StepsAreMarkedOrLaunches) {
  // Steps are marked, or are launches: of any graph, or of one.
  EXPECT_FALSE(read({{"GRAPHPROF_STEP", "marked"}}).stepsAreLaunches);
  const Config any = read({{"GRAPHPROF_STEP", "launches"}});
  EXPECT_TRUE(any.stepsAreLaunches);
  EXPECT_EQ(any.stepGraph, 0U);
  const Config one = read({{"GRAPHPROF_STEP", "launches:3"}});
  EXPECT_TRUE(one.stepsAreLaunches);
  EXPECT_EQ(one.stepGraph, 3U);
}

TEST(Config, KnowsWhetherOutputsWereGiven) {
  EXPECT_FALSE(read({}).outputsGiven);
  EXPECT_TRUE(read({{"GRAPHPROF_OUTPUT", ""}}).outputsGiven);
  EXPECT_TRUE(read({{"GRAPHPROF_OUTPUT", "table"}}).outputsGiven);
}

TEST(Config, WrongValuesHaveOwnLines) {
  const Config config = read({{"GRAPHPROF_ENABLED", "on"}, {"GRAPHPROF_CLOCK", "gpu"}});
  EXPECT_THAT(config.complaints,
              ElementsAre(HasSubstr("GRAPHPROF_ENABLED"), HasSubstr("GRAPHPROF_CLOCK")));
}

TEST(Config, EndlessValueIsShortened) {
  const Config config = read({{"GRAPHPROF_CLOCK", std::string(5000, 'x')}});
  EXPECT_THAT(config.complaints,
              ElementsAre(AllOf(HasSubstr("xxx...: must be"), testing::SizeIs(testing::Lt(300U)))));
}

TEST(Config, OneFileHasOneOutput) {
  const Config config =
      read({{"GRAPHPROF_OUTPUT", "a.csv,./a.csv,out/../a.csv,table:b.txt,replays:./b.txt,"
                                 "key_averages:b.txt,key_averages+statistics:b.txt,table:c.txt"}});
  EXPECT_THAT(config.outputs, ElementsAre("a.csv", "table:b.txt", "replays:./b.output2.txt",
                                          "key_averages:b.output3.txt",
                                          "key_averages+statistics:b.output4.txt", "table:c.txt"));
  EXPECT_THAT(
      config.complaints,
      ElementsAre("GRAPHPROF_OUTPUT=./a.csv: must be named once, and is the file of a.csv; using "
                  "it once",
                  "GRAPHPROF_OUTPUT=out/../a.csv: must be named once, and is the file of a.csv; "
                  "using it once",
                  "GRAPHPROF_OUTPUT=replays:./b.txt: must be a file of its own, not that of "
                  "table:b.txt; using replays:./b.output2.txt",
                  "GRAPHPROF_OUTPUT=key_averages:b.txt: must be a file of its own, not that of "
                  "table:b.txt; using key_averages:b.output3.txt",
                  "GRAPHPROF_OUTPUT=key_averages+statistics:b.txt: must be a file of its own, not "
                  "that of table:b.txt; using key_averages+statistics:b.output4.txt"));
}

TEST(Config, StreamsTakeSeveralOutputs) {
  // Unlike a file, a stream or a device may have any number of outputs.
  const Config config = read(
      {{"GRAPHPROF_OUTPUT",
        "table,replays,table:/dev/stdout,replays:/dev/stdout,table:/dev/null,replays:/dev/null"}});
  EXPECT_EQ(config.outputs.size(), 6U);
  EXPECT_THAT(config.complaints, IsEmpty());
}

} // namespace
