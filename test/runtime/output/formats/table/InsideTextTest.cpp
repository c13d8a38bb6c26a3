// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/table/InsideText.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphprof;
using testing::HasSubstr;
using testing::Not;

namespace {

// A kernel with "load", and "product" with "inner" in it.
std::shared_ptr<const InsideOfKernel> kernel() {
  static const auto shared = std::make_shared<const InsideOfKernel>(
      InsideOfKernel{"gemm",
                     "layer",
                     3,
                     {{"load", "a.cu", 10}, {"product", "a.cu", 12}, {"inner", "a.cu", 13}},
                     {}});
  return shared;
}

KernelRun runOf(std::int64_t durationNs, bool isTwin = false, bool isCold = false) {
  KernelRun run;
  run.kernel = kernel();
  run.durationNs = durationNs;
  run.isTwin = isTwin;
  run.cold = isCold;
  return run;
}

// Two warps of 1 ms. The second did not enter "inner".
KernelRun twin(bool isCold = false) {
  KernelRun run = runOf(1'100'000, true, isCold);
  run.rows = {{0, KernelRun::none}, {1, KernelRun::none}, {2, 1}};
  run.warps = {{0, 0, 0, 0, 1'000'000}, {66, 0, 1, 0, 1'000'000}};
  run.times = {{0, 0, 4, 200'000},
               {1, 0, 4, 600'000},
               {2, 0, 8, 300'000},
               {0, 1, 4, 300'000},
               {1, 1, 4, 700'000}};
  return run;
}

std::string textOf(const std::vector<KernelRun> &runs, bool wholeNames = false) {
  InsideKernels inside(1'000'000);
  inside.add(runs);
  return insideText(inside, wholeNames);
}

TEST(InsideText, RegionsStandBelowTheirKernel) {
  EXPECT_EQ(textOf({runOf(1'000'000), twin()}), R"(graphprof: time of each region inside kernels
--------------  -----  ---------  ---------  ---------  ----------  ----------  -----------
Inside kernels  Count     Median        P95  % of warp  Iterations  Timed twin  Twin/kernel
--------------  -----  ---------  ---------  ---------  ----------  ----------  -----------
layer/gemm          1    1.000ms    1.000ms                            1.100ms        1.100
  load              2  250.000us  295.000us     25.00%           4
  product           2  650.000us  695.000us     65.00%           4
    inner           1  300.000us  300.000us     15.00%           8
--------------  -----  ---------  ---------  ---------  ----------  ----------  -----------
A kernel's row is of the kernel itself. Those below it are of warps of its timed twin, which ran in other replays
)");
}

TEST(InsideText, EachLaunchHasItsRow) {
  // Many warps of a short launch do not outvote few of a long one.
  const auto launched = [](KernelRun run, const char *launch, std::int64_t durationNs) {
    InsideOfKernel inside = *run.kernel;
    inside.launch = launch;
    run.kernel = std::make_shared<const InsideOfKernel>(std::move(inside));
    run.durationNs = durationNs;
    return run;
  };
  KernelRun longTwin = twin(), shortTwin = twin();
  longTwin.times = {{0, 0, 4, 900'000}, {0, 1, 4, 900'000}};
  shortTwin.times.clear();
  for (std::uint32_t warp = 0; warp < 100; ++warp) {
    shortTwin.warps.resize(std::max<std::size_t>(shortTwin.warps.size(), warp + 1),
                           shortTwin.warps.front());
    shortTwin.times.push_back({0, warp, 1, 100'000});
  }
  EXPECT_EQ(textOf({launched(runOf(0), "(8, 1, 1)x(32, 1, 1)", 9'000'000),
                    launched(longTwin, "(8, 1, 1)x(32, 1, 1)", 9'900'000),
                    launched(runOf(0), "(300, 1, 1)x(64, 1, 1), 1024 B", 1'000'000),
                    launched(shortTwin, "(300, 1, 1)x(64, 1, 1), 1024 B", 1'100'000)}),
            R"(graphprof: time of each region inside kernels
--------------------------------  -----  ---------  ---------  ---------  ----------  ----------  -----------
Inside kernels                    Count     Median        P95  % of warp  Iterations  Timed twin  Twin/kernel
--------------------------------  -----  ---------  ---------  ---------  ----------  ----------  -----------
layer/gemm                            2    5.000ms    8.600ms                            5.500ms        1.100
  load                                                            82.00%
  product                                                          0.00%
    inner                                                          0.00%
  (8, 1, 1)x(32, 1, 1)                1    9.000ms    9.000ms                            9.900ms        1.100
    load                              2  900.000us  900.000us     90.00%           4
    product                           0         --         --      0.00%           0
      inner                           0         --         --      0.00%           0
  (300, 1, 1)x(64, 1, 1), 1024 B      1    1.000ms    1.000ms                            1.100ms        1.100
    load                            100  100.000us  100.000us     10.00%           1
    product                           0         --         --      0.00%           0
      inner                           0         --         --      0.00%           0
--------------------------------  -----  ---------  ---------  ---------  ----------  ----------  -----------
A kernel's row is of the kernel itself. Those below it are of warps of its timed twin, which ran in other replays
A kernel that is launched with several grids, blocks or sizes of shared memory has a row for each; above them, each counts by how long the kernel took in it
)");
}

TEST(InsideText, NothingOfOtherGraphs) { EXPECT_EQ(textOf({}), ""); }

// As long as no twin has run, there are no regions, and no ratio.
TEST(InsideText, KernelAloneHasNoRatio) {
  const std::string text = textOf({runOf(2'000)});
  EXPECT_THAT(text, HasSubstr("No timed twin of a kernel has run: launch each graph again"));
  EXPECT_THAT(text, testing::ContainsRegex("layer/gemm +1 +2.000us +2.000us +-- +--"));
}

// Cold runs are shown only where there are no others.
TEST(InsideText, ColdRunsAreLeftOut) {
  EXPECT_THAT(textOf({runOf(9'000'000, false, true), twin(true), runOf(1'000'000), twin()}),
              Not(HasSubstr("9.000ms")));
  const std::string cold = textOf({runOf(9'000'000, false, true), twin(true)});
  EXPECT_THAT(cold, HasSubstr("9.000ms"));
  EXPECT_THAT(cold, HasSubstr("layer/gemm (cold)"));
}

// Kernels whose names begin alike are still told apart.
TEST(InsideText, LongNamesAreShortened) {
  std::vector<KernelRun> runs;
  const std::string common(100, 'k');
  for (const char *argument : {"float", "double"}) {
    runs.push_back(runOf(1'000'000));
    runs.back().kernel = std::make_shared<const InsideOfKernel>(
        InsideOfKernel{"void ns::" + common + "<" + argument + ">()", "", 3, {}, {}});
  }
  const std::string text = textOf(runs), whole = textOf(runs, true);
  EXPECT_THAT(text, Not(HasSubstr(common)));
  EXPECT_THAT(text, HasSubstr("float"));
  EXPECT_THAT(text, HasSubstr("double"));
  EXPECT_THAT(whole, HasSubstr("void ns::" + common + "<float>()"));
}

// As damaged files may have them.
TEST(InsideText, DeepRegionsAreIndentedNoFurther) {
  constexpr std::uint32_t levels = 3'000;
  KernelRun run = twin();
  run.rows.assign(1, {0, KernelRun::none});
  while (run.rows.size() < levels)
    run.rows.push_back({0, static_cast<std::uint32_t>(run.rows.size() - 1)});
  run.times.clear();
  const std::string text = textOf({run});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), static_cast<long>(levels) + 7);
  EXPECT_LT(text.size(), levels * 400);
}

} // namespace
