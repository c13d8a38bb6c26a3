// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Every rule for traces can fail: each is broken here, in a trace that keeps to all of them.

#include "output/formats/chrome_trace/TraceRules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphprof::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// Small, and of every kind of event.
const std::string good = R"({
"schemaVersion":1,
"deviceProperties":[{"id":0,"name":"a GPU"}],
"displayTimeUnit":"ms",
"baseTimeNanoseconds":1700000000000000000,
"traceEvents":[
{"ph":"M","name":"process_name","pid":7000,"tid":0,"ts":0.000,"args":{"name":"app"}},
{"ph":"M","name":"process_labels","pid":7000,"tid":0,"ts":0.000,"args":{"labels":"CPU"}},
{"ph":"M","name":"process_sort_index","pid":7000,"tid":0,"ts":0.000,"args":{"sort_index":0}},
{"ph":"M","name":"thread_name","pid":7000,"tid":1,"ts":0.000,"args":{"name":"launches"}},
{"ph":"M","name":"thread_sort_index","pid":7000,"tid":1,"ts":0.000,"args":{"sort_index":0}},
{"ph":"M","name":"process_name","pid":0,"tid":0,"ts":0.000,"args":{"name":"app"}},
{"ph":"M","name":"process_labels","pid":0,"tid":0,"ts":0.000,"args":{"labels":"GPU 0"}},
{"ph":"M","name":"process_sort_index","pid":0,"tid":0,"ts":0.000,"args":{"sort_index":1}},
{"ph":"M","name":"thread_name","pid":0,"tid":7,"ts":0.000,"args":{"name":"stream 7"}},
{"ph":"M","name":"thread_sort_index","pid":0,"tid":7,"ts":0.000,"args":{"sort_index":1}},
{"ph":"X","cat":"cuda_runtime","name":"launch","pid":7000,"tid":1,"ts":1.000,"dur":2.000,"args":{}},
{"ph":"s","id":1,"pid":7000,"tid":1,"ts":1.500,"cat":"ac2g","name":"ac2g"},
{"ph":"X","cat":"kernel","name":"outer","pid":0,"tid":7,"ts":5.000,"dur":9.000,"args":{}},
{"ph":"f","id":1,"pid":0,"tid":7,"ts":5.000,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"X","cat":"kernel","name":"inner","pid":0,"tid":7,"ts":6.000,"dur":2.000,"args":{}},
{"ph":"i","s":"t","cat":"mark","name":"mark","pid":0,"tid":7,"ts":6.500},
{"ph":"C","name":"bytes","pid":0,"tid":0,"ts":1.000,"args":{"allocated":1}},
{"ph":"C","name":"bytes","pid":0,"tid":0,"ts":2.000,"args":{"allocated":2}},
{"ph":"i","s":"g","name":"Record Window End","pid":"","tid":"","ts":14.000}
],
"traceName":"trace.json"
})";

TEST(TraceRules, GoodTraceBreaksNone) { EXPECT_THAT(brokenTraceRules(good), IsEmpty()); }

struct Change {
  const char *name;
  std::string from, to;
  const char *says;
};

class TraceRules : public testing::TestWithParam<Change> {};

TEST_P(TraceRules, SayWhatIsBroken) {
  const Change &change = GetParam();
  std::string text = good;
  const std::size_t at = text.find(change.from);
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(text.find(change.from, at + 1), std::string::npos) << "which one?";
  text.replace(at, change.from.size(), change.to);
  EXPECT_THAT(brokenTraceRules(text), Contains(HasSubstr(change.says)));
}

INSTANTIATE_TEST_SUITE_P(
    Each, TraceRules,
    testing::Values(
        Change{"Json", R"("traceName")", "traceName", "it is no JSON"},
        Change{"Utf8", R"("mark","name":"mark")", "\"mark\",\"name\":\"m\xff\"", "it is no JSON"},
        Change{"Keys", R"("displayTimeUnit":"ms")", R"("schemaVersion":1,"displayTimeUnit":"ms")",
               "a key stands twice: schemaVersion"},
        Change{"KeysOfEvents", R"("name":"mark")", R"("name":"mark","cat":"again")",
               "a key stands twice: cat"},
        Change{"Events", "traceEvents", "events", "it has no traceEvents"},
        Change{"Version", R"("schemaVersion":1,)", "", "schemaVersion is missing"},
        Change{"Devices", R"([{"id":0,"name":"a GPU"}])", "{}", "deviceProperties is missing"},
        Change{"Device", R"("id":0,"name")", R"("number":0,"name")", "no id or no name"},
        Change{"DeviceId", R"("id":0,"name")", R"("id":1,"name")", "has the device's id"},
        Change{"Base", "1700000000000000000", "1.5", "baseTimeNanoseconds is missing"},
        Change{"TraceName", R"("trace.json")", "1", "traceName is missing"},
        Change{"Unit", R"("ms")", R"("us")", "neither ms nor ns"},
        Change{"Decimals", R"("ts":6.500)", R"("ts":6.5)", "three decimals"},
        Change{"DecimalsOfDurations", R"("dur":9.000)", R"("dur":9)", "three decimals"},
        Change{"Phase", R"("ph":"i","s":"t")", R"("ph":"Q","s":"t")", "missing or unknown"},
        Change{"NoPhase", R"("ph":"i","s":"t",)", "", "missing or unknown"},
        Change{"Name", R"(,"name":"inner")", "", "an event has a name"},
        Change{"NoTime", R"(,"ts":6.500)", "", "has a time"},
        Change{"Before", R"("ts":6.500)", R"("ts":-6.500)", "has a time, not before the base"},
        Change{"Process", R"("name":"inner","pid":0)", R"("name":"inner","pid":"0")", "as numbers"},
        Change{"Thread", R"("name":"inner","pid":0,"tid":7)", R"("name":"inner","pid":0)",
               "as numbers"},
        Change{"LargeThread", R"("name":"inner","pid":0,"tid":7)",
               R"("name":"inner","pid":0,"tid":4294967296)", "32-bit"},
        Change{"Metadata", R"("name":"process_labels","pid":0)",
               R"("name":"process_label","pid":0)", "one of the names that there are"},
        Change{"MetadataArgument", R"({"name":"stream 7"})", R"({"names":"stream 7"})",
               "has its argument"},
        Change{"MetadataTwice", R"("name":"thread_sort_index","pid":0)",
               R"("name":"thread_name","pid":0)", "described once"},
        Change{"RowNames", R"("name":"inner","pid":0,"tid":7,"ts":6.000,"dur":2.000,"args":{}})",
               R"("name":"inner","pid":0,"tid":7,"ts":6.000,"dur":2.000,"args":{}},)"
               R"({"ph":"M","name":"thread_name","pid":0,"tid":8,"ts":0.000,)"
               R"("args":{"name":"stream 7"}})",
               "do not have the same name"},
        Change{"ProcessName", R"("name":"process_name","pid":0)",
               R"("name":"process_name","pid":1)", "process 0 has no process_name"},
        Change{"ProcessOrder", R"("name":"process_sort_index","pid":0)",
               R"("name":"process_sort_index","pid":1)", "process 0 has no process_sort_index"},
        Change{"ThreadName", R"("name":"thread_name","pid":0,"tid":7)",
               R"("name":"thread_name","pid":0,"tid":8)", "has no thread_name"},
        Change{"ThreadOrder", R"("name":"thread_sort_index","pid":0,"tid":7)",
               R"("name":"thread_sort_index","pid":0,"tid":8)", "has no thread_sort_index"},
        Change{"NoDuration", R"(,"dur":2.000,"args":{}},
{"ph":"i")",
               R"(,"args":{}},
{"ph":"i")",
               "has a duration"},
        Change{"NegativeDuration", R"("ts":6.000,"dur":2.000)", R"("ts":6.000,"dur":-2.000)",
               "a duration, not negative"},
        Change{"Category", R"("cat":"cuda_runtime",)", "", "has a category"},
        Change{"Arguments", R"("ts":6.000,"dur":2.000,"args":{})",
               R"("ts":6.000,"dur":2.000,"args":[])", "arguments are an object"},
        Change{"Overlap", R"("ts":6.000,"dur":2.000)", R"("ts":6.000,"dur":8.001)", "overlap"},
        Change{"Instant", R"("s":"t")", R"("s":"x")", "an instant is of"},
        Change{"Counter", R"({"allocated":1})", "{}", "a counter has values"},
        Change{"CounterValue", R"({"allocated":1})", R"({"allocated":"1"})", "are numbers"},
        Change{"CounterTime", R"("tid":0,"ts":2.000)", R"("tid":0,"ts":0.500)", "times go on"},
        Change{"ArrowId", R"({"ph":"s","id":1,)", R"({"ph":"s",)", "has an id"},
        Change{"ArrowEnd", R"(,"bp":"e")", "", "ends in the span around"},
        Change{"ArrowWithoutEnd", R"({"ph":"f","id":1)", R"({"ph":"f","id":2)", "has no end"},
        Change{"ArrowWithoutStart", R"({"ph":"f","id":1)", R"({"ph":"f","id":2)", "has no start"},
        Change{"ArrowTwice", R"({"ph":"f","id":1,"pid":0,"tid":7,"ts":5.000)",
               R"({"ph":"s","id":1,"pid":0,"tid":7,"ts":5.000)", "starts once"},
        Change{"ArrowStart", R"("tid":1,"ts":1.500)", R"("tid":1,"ts":3.001)", "starts in no span"},
        Change{"ArrowTarget", R"("ts":5.000,"cat")", R"("ts":4.999,"cat")", "ends in no span"},
        Change{
            "ArrowBackwards", R"("name":"launch","pid":7000,"tid":1,"ts":1.000,"dur":2.000)",
            R"("name":"launch","pid":7000,"tid":1,"ts":6.000,"dur":2.000,"args":{}},)"
            R"({"ph":"s","id":3,"pid":7000,"tid":1,"ts":6.000,"cat":"ac2g","name":"ac2g"},)"
            R"({"ph":"f","id":3,"pid":0,"tid":7,"ts":5.000,"cat":"ac2g","name":"ac2g","bp":"e"},)"
            R"({"ph":"X","cat":"c","name":"b","pid":7000,"tid":1,"ts":1.000,"dur":2.000)",
            "ends before it starts"},
        Change{"End", "Record Window End", "The End", "not the end of the record window"},
        Change{"BehindTheEnd", R"("ts":14.000)", R"("ts":13.999)", "behind the end"}),
    [](const testing::TestParamInfo<Change> &change) { return std::string(change.param.name); });

} // namespace
} // namespace graphprof::test
