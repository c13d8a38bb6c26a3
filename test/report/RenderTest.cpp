// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The renderers of graphprof report, diff and merge, one test each: all that commands show goes
// through them.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "figures/Json.h"
#include "figures/Render.h"

namespace graphprof {
namespace {

using Holds = FigureColumn::Holds;

// Two rows, of which the second goes on with the first, and one of a name that does harm.
FigureTable sample() {
  FigureTable table;
  const std::string names[] = {"model::gemm<float, 128>", "", "=a|b_\x1b[31m"};
  const Figure means[] = {Figure::time(1234.56), Figure::time(2500.0, false), Figure()};
  for (int row = 0; row < 3; ++row) {
    table.next();
    table.add("path", "Region", Figure::text(names[row]).as(names[row]), Holds::Names);
    table.add("", "Verdict", row == 0 ? "slower" : "", Holds::Texts);
    table.add("count", "Count", row);
    table.add("mean/ns", "Mean", means[row]);
    table.add("mean/percent", "Share", Figure::percent(row * 12.3456789));
    table.add("last", "Last in", Figure(row).as(std::to_string(row) + " (5%)"));
    table.add("cold", row == 2);
  }
  table.notes = {"was a*b"};
  return table;
}

Document document() {
  Section verdicts("", {}, {"no step"});
  verdicts.result = "1 slower, 2 same";
  return {{"run.gprof: app"},
          {Section("time of each region", sample(), {"2 rows more (--all)"}), verdicts},
          {"12 replays lost\n"}};
}

TEST(Render, Text) {
  EXPECT_EQ(asText(document(), 0),
            "run.gprof: app\n"
            "time of each region\n"
            "-----------------------  -------  -----  -------  ------  -------\n"
            "Region                   Verdict  Count     Mean   Share  Last in\n"
            "-----------------------  -------  -----  -------  ------  -------\n"
            "model::gemm<float, 128>  slower       0  1.235us   0.00%   0 (5%)\n"
            "                                      1    2.5us  12.35%   1 (5%)\n"
            "    was a*b\n"
            "=a|b_?[31m                            2       --  24.69%   2 (5%)\n"
            "-----------------------  -------  -----  -------  ------  -------\n"
            "2 rows more (--all)\n"
            "no step\n"
            "1 slower, 2 same\n"
            "12 replays lost?\n");
}

TEST(Render, TextOfAWidth) {
  FigureTable table;
  for (int row = 0; row < 2; ++row) {
    table.next();
    table.add("", "Region", "some::name::space::kernel_of_a_layer<" + std::to_string(row) + ">",
              Holds::Names);
    table.add("", "Time", Figure::time(1000.0));
    table.add("", "Waited for", row == 0 ? std::string() : std::string(60, 'w') + "/end",
              Holds::Names);
  }
  const std::string text = asText({{}, {Section("", std::move(table))}, {}}, 60);
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  ASSERT_EQ(lines.size(), 6U);
  for (const std::string &line : lines)
    EXPECT_LE(line.size(), 60U) << line;
  EXPECT_NE(lines[3].substr(0, 30), lines[4].substr(0, 30)) << "shortened names stay apart";
}

TEST(Render, Markdown) {
  EXPECT_EQ(asMarkdown(document()),
            "**graphprof: time of each region**\n\n"
            "| Region | Verdict | Count | Mean | Share | Last in |\n"
            "| --- | --- | ---: | ---: | ---: | ---: |\n"
            "| model::gemm\\<float, 128> (was a\\*b) | slower | 0 | 1.235us | 0.00% | 0 (5%) |\n"
            "|  |  | 1 | 2.5us | 12.35% | 1 (5%) |\n"
            "| =a\\|b\\_?\\[31m |  | 2 | -- | 24.69% | 2 (5%) |\n\n"
            "- 2 rows more (--all)\n\n"
            "**graphprof: 1 slower, 2 same**\n\n"
            "- no step\n\n"
            "- run.gprof: app\n"
            "- 12 replays lost?\n");
}

TEST(Render, Csv) {
  FigureTable table = sample();
  table.addRow({{"path", Figure("1 lost, for ever")}, {"count", Figure(1)}});
  EXPECT_EQ(asCsv(table), "path,count,mean_ns,mean_percent,last,cold\n"
                          "\"model::gemm<float, 128>\",0,1234.6,0,0,false\n"
                          ",1,2500.0,12.3457,1,false\n"
                          "'=a|b_\x1b[31m,2,,24.6914,2,true\n"
                          "\"1 lost, for ever\",1,,,,\n");
}

TEST(Render, Json) {
  const OrderedJson rows = asJson(sample());
  EXPECT_EQ(rows[0].dump(), R"({"path":"model::gemm<float, 128>","count":0,)"
                            R"("mean":{"ns":1234.56,"percent":0.0},"last":0,"cold":false})");
  EXPECT_EQ(rows[2]["mean"]["ns"], nullptr) << "what was not measured has no number";
  EXPECT_EQ(rows[1]["path"], nullptr);
  EXPECT_EQ(asJson(FigureTable()).dump(), "[]");
  EXPECT_EQ(jsonText({{"name", "\xff"}}), "{\n \"name\": \"\xef\xbf\xbd\"\n}\n");
}

} // namespace
} // namespace graphprof
