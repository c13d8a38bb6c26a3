// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Candidates in turns, on a GPU and on the simulation alike: verdicts, and that each candidate is
// measured as the options say and as bench() does.

#include <tuple>
#include <vector>

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Candidates.h"
#include "graphprof/bench.h"
#include "graphprof/profiler.h"
#include "support/Work.h"

using namespace graphprof;
using graphprof::test::DeviceFloats;
using graphprof::test::few;
using graphprof::test::longWork;
using graphprof::test::reading;
using graphprof::test::shortWork;
using graphprof::test::someFloats;
using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

TEST(Compare, EqualWorkIsNotFaster) {
  bench_options options;
  options.cold_l2_cache = false;
  options.repeat_time_ms = 20;
  const bench_comparison found =
      bench_compare({bench_candidate("a", longWork), bench_candidate("b", longWork)}, options);
  ASSERT_THAT(found.ratios, SizeIs(2));
  EXPECT_EQ(found.ratios[1].verdict, bench_verdict::undecided);
  EXPECT_NEAR(found.ratios[1].ratio, 1, 0.01);
}

TEST(Compare, CandidatesBeyondRoundAreRefused) {
  // More candidates than fit into a round are refused.
  bench_options options = few();
  options.cold_l2_cache = false;
  std::vector<detail::BenchWork> many(16, bench_candidate("one", shortWork));
  EXPECT_THAT(bench_compare(many, options).results, SizeIs(16));
  many.push_back(bench_candidate("one more", shortWork));
  EXPECT_THROW((void)bench_compare(many, options), bench_error);
}

TEST(Compare, LongerWorkIsSlower) {
  bench_options options;
  options.cold_l2_cache = false;
  options.repeat_time_ms = 20;
  const bench_comparison found =
      bench_compare({bench_candidate("short", shortWork), bench_candidate("long", longWork),
                     bench_candidate("short again", shortWork)},
                    options);
  ASSERT_THAT(found.results, SizeIs(3));
  EXPECT_EQ(found.results[1].name, "long");
  EXPECT_EQ(found.ratios[1].verdict, bench_verdict::slower);
  EXPECT_GT(found.ratios[1].low, 3);
  EXPECT_EQ(found.ratios[2].verdict, bench_verdict::undecided);
}

TEST(Compare, CandidatesRunAsInBench) {
  // Each candidate has as many dry runs and samples as bench() has.
  bench_options options;
  options.cold_l2_cache = false;
  const auto twoOf = [&] {
    return bench_compare({bench_candidate("a", shortWork), bench_candidate("b", shortWork)},
                         options);
  };
  for (const int dry : {0, 1, 7})
    for (const int repeat : {1, 4, 101}) {
      options.dry_run_iters = dry;
      options.repeat_iters = repeat;
      const bench_comparison found = twoOf();
      const bench_result alone = bench("alone", shortWork, options);
      for (const bench_result &each : {found.results[0], found.results[1], alone}) {
        EXPECT_EQ(each.dry_runs, dry);
        EXPECT_THAT(each.times_ms, SizeIs(repeat));
      }
      EXPECT_GT(found.ratios[1].ratio, 0) << "also of half a round";
    }
}

TEST(Compare, SoleCandidateRunsAsBench) {
  // One candidate is measured as by bench().
  bench_options options;
  options.cold_l2_cache = false;
  options.dry_run_iters = 1;
  options.stop = bench_stop::median;
  options.relative_precision = 0.5;
  const bench_comparison found = bench_compare({bench_candidate("only", longWork)}, options);
  ASSERT_THAT(found.results, SizeIs(1));
  EXPECT_GE(found.results[0].times_ms.size(), 30U) << "bench()'s least, not an empty criterion";
  EXPECT_EQ(found.ratios[0].ratio, 1);
}

// If one candidate must be flushed, all are, and that is said. A cache after a flush is not like
// one after other copies.
TEST(Compare, FlushedCandidateFlushesAll) {
  const DeviceFloats data(someFloats);
  const auto closure = [&data](cudaStream_t stream) { reading(stream, data.span()); };
  const bench_comparison found =
      bench_compare({bench_candidate("spans", reading, std::tuple(data.span())),
                     bench_candidate("closure", closure)},
                    few());
  for (const bench_result &each : found.results) {
    EXPECT_EQ(each.cold_method, cold_l2::flush);
    EXPECT_EQ(each.timer, bench_timer::stamps);
  }
  EXPECT_THAT(found.results[0].warnings, Contains(HasSubstr("closure, with which it is compared")));
  EXPECT_THAT(found.results[1].warnings, Contains(HasSubstr("cannot be rotated")));
}
