// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/JsonWriter.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace graphprof;

namespace {

TEST(JsonWriter, PutsCommasBetweenElements) {
  std::string text;
  JsonWriter json(text);
  json.beginObject().member<"a">(1).key<"list">().beginArray().value(-2).value("three");
  json.beginObject().endObject().beginArray().endArray().endArray();
  json.member<"is">(true).key("key \"b\"").value(std::uint64_t{4}).endObject();
  EXPECT_EQ(text, R"({"a":1,"list":[-2,"three",{},[]],"is":true,"key \"b\"":4})");
  EXPECT_TRUE(nlohmann::json::accept(text));
}

TEST(JsonWriter, AbsentIsNull) {
  std::string text;
  JsonWriter json(text);
  json.beginArray().value(std::optional<int>()).value(std::optional(5)).raw("[6]").endArray();
  EXPECT_EQ(text, "[null,5,[6]]");
}

TEST(JsonWriter, ElementsMayHaveOwnLines) {
  std::string text;
  JsonWriter json(text);
  json.beginArray();
  json.line(" ").value(1).line(" ").value(2);
  json.endArray();
  EXPECT_EQ(text, "[\n 1,\n 2]");
}

TEST(JsonWriter, PythonListsHaveBlanks) {
  std::string text;
  JsonWriter json(text, ", ");
  json.beginArray().value(1).beginArray().value(2).value(3).endArray().endArray();
  EXPECT_EQ(text, "[1, [2, 3]]");
}

TEST(JsonWriter, MicrosecondsAreExact) {
  const auto written = [](std::int64_t ns) {
    std::string text;
    JsonWriter(text).value(AsMicroseconds{ns});
    return text;
  };
  EXPECT_EQ(written(0), "0.000");
  EXPECT_EQ(written(1), "0.001");
  EXPECT_EQ(written(12'345), "12.345");
  EXPECT_EQ(written(1'700'000'000'123'456'789), "1700000000123456.789");
}

} // namespace
