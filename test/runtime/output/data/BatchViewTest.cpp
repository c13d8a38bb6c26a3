// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/BatchView.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Samples.h"

using namespace graphprof;
using graphprof::test::HostSample;
using graphprof::test::Sample;

namespace {

TEST(BatchView, ReplayComesBackUnchanged) {
  Batcher batcher;
  Batch batch;
  BatchView view;
  for (std::uint64_t number = 3; number < 5; ++number) {
    Sample sample(number);
    batcher.add(sample.cold()
                    .step(5)
                    .region("layer", 0, 100, 30'000, Clock::Stamp, {key("batch", 8)})
                    .region("gemm", 1, 200, 20'000)
                    .kind(Kind::Kernel)
                    .iteration(2)
                    .endsWithNext()
                    .region("lost", 1, 0, -1),
                batch);
    view.take(batch);
    const Replay replay = view.replay(batch, batch.launches.front());
    EXPECT_EQ(replay.number, number);
    ASSERT_EQ(replay.records.size(), 3U);
    const Record &layer = replay.records[0], &gemm = replay.records[1], &lost = replay.records[2];
    EXPECT_EQ(layer.name, "layer");
    ASSERT_EQ(layer.context_size, 1U);
    EXPECT_EQ(layer.context->as_signed(), 8);
    EXPECT_STREQ(layer.site->function, "forward");
    EXPECT_TRUE(layer.cold);
    EXPECT_TRUE(gemm.cold);
    EXPECT_EQ(gemm.kind, Kind::Kernel);
    EXPECT_EQ(gemm.depth, 1);
    EXPECT_EQ(gemm.begin_ns, replay.beginNs + 200);
    EXPECT_EQ(gemm.duration_ns, 20'000);
    EXPECT_EQ(gemm.iteration, 2);
    EXPECT_EQ(gemm.ends, Ends::NextBegin);
    EXPECT_EQ(layer.ends, Ends::Completion);
    EXPECT_EQ(gemm.step, 5);
    EXPECT_EQ(gemm.exec, 1U);
    EXPECT_EQ(gemm.replay, number);
    EXPECT_EQ(gemm.stream, 7U);
    EXPECT_FALSE(lost.measured());
    batcher.renew(batch);
  }
}

TEST(BatchView, HostSpanComesBackUnchanged) {
  const HostSample sample = HostSample::ofEveryKind();
  Batcher batcher;
  Batch batch;
  for (const HostSpan &span : sample.spans())
    batcher.add(span, batch);
  BatchView view;
  view.take(batch);
  ASSERT_EQ(batch.spans.size(), sample.spans().size());
  for (std::size_t i = 0; i < batch.spans.size(); ++i) {
    const HostSpan was = sample.spans()[i], is = view.span(batch.spans[i]);
    EXPECT_EQ(is.name, was.name);
    EXPECT_EQ(is.kind, was.kind);
    EXPECT_EQ(is.captured, was.captured);
    EXPECT_EQ(is.site, was.site);
    EXPECT_EQ(is.context_size, was.context_size);
    EXPECT_EQ(is.thread, was.thread);
    EXPECT_EQ(is.thread_name, was.thread_name);
    EXPECT_EQ(is.begin_ns, was.begin_ns);
    EXPECT_EQ(is.end_ns, was.end_ns);
    EXPECT_EQ(is.step, was.step);
    EXPECT_EQ(is.replay, was.replay);
    EXPECT_EQ(is.bytes, was.bytes);
  }
}

} // namespace
