// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_TIMED: the guard of an expression, wherever an expression may stand.

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using Names = std::vector<std::string>;

template <class T> T launched(cudaStream_t stream, T value) {
  return (GRAPHPROF_TIMED(1, "template", on_stream(stream)), shortWork(stream), value);
}

inline int launchedInline(cudaStream_t stream, int value = 3) {
  return (GRAPHPROF_TIMED(1, "inline", on_stream(stream)), shortWork(stream), value);
}

struct Member {
  explicit Member(cudaStream_t s) : stream(s) {}
  cudaStream_t stream;
  int value = (GRAPHPROF_TIMED(1, "member", on_stream(stream)), shortWork(stream), 4);
};

TEST(Timed, StandsInAnyExpression) {
  Recorder recorder;
  TestStream stream;
  EXPECT_EQ(1, launched(stream, 1));
  EXPECT_EQ(2.0, launched(stream, 2.0));
  EXPECT_EQ(3, launchedInline(stream));
  EXPECT_EQ(4, Member(stream).value);
  const auto generic = [&](auto value) {
    return (GRAPHPROF_TIMED(1, "generic lambda", on_stream(stream)), shortWork(stream), value);
  };
  EXPECT_EQ(5, generic(5));
  if ((GRAPHPROF_TIMED(1, "condition", on_stream(stream)), shortWork(stream), true))
    (GRAPHPROF_TIMED(2, "branch {}", on_stream(stream), 6), shortWork(stream));
  EXPECT_EQ((Names{"template", "template", "inline", "member", "generic lambda", "condition",
                   "branch 6"}),
            recorder.names());
}

TEST(Timed, LastsFullExpression) {
  // It lasts to the end of the full expression.
  Recorder recorder;
  TestStream stream;
  const int sum = (GRAPHPROF_TIMED(1, "outer", on_stream(stream)), shortWork(stream), 1) +
                  (GRAPHPROF_TIMED(2, "inner", on_stream(stream)), longWork(stream), 2);
  EXPECT_EQ(3, sum);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(2u, seen.size());
  EXPECT_EQ(1, seen[1].depth);
  EXPECT_GE(seen[0].durationNs, seen[1].durationNs) << "the first is still open during the second";
}

TEST(Timed, CapturedExpressionTimesEachReplay) {
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] {
    for (int i = 0; i < 2; ++i)
      (GRAPHPROF_TIMED(1, "turn {}", on_stream(stream), i, key("half", 0.5)), longWork(stream));
  });
  const cudaGraphExec_t exec = instantiate(graph);
  for (int i = 0; i < 2; ++i)
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(4u, seen.size());
  EXPECT_EQ("turn 1", seen[3].name);
  EXPECT_GT(seen[3].durationNs, halfLongWorkNs());
  ASSERT_EQ(2u, seen[3].context.size());
  EXPECT_EQ("half", seen[3].context[1].key());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

} // namespace
} // namespace graphprof::test
