// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What NVTX's tools are told. The test runs with one loaded: NVTX_INJECTION64_PATH names Tool.cpp's
// library.

#include <cstdlib>
#include <dlfcn.h>
#include <thread>

#include <gmock/gmock.h>

#include "nvtx/Tool.h"
#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> calls() {
  const char *path = std::getenv("NVTX_INJECTION64_PATH");
  void *const tool = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  if (!tool)
    return {"NVTX has loaded no tool"};
  const auto taken =
      reinterpret_cast<decltype(&graphprofTestNvtxCalls)>(dlsym(tool, "graphprofTestNvtxCalls"));
  std::vector<std::string> lines;
  taken(&lines);
  dlclose(tool);
  std::erase(lines, "domain graphprof");
  return lines;
}

class Nvtx : public testing::Test {
protected:
  void SetUp() override {
    mark("begin");
    calls();
  }
};

TEST_F(Nvtx, ShowsRangesAndMarks) {
  EXPECT_EQ(0, range_push("outer"));
  EXPECT_EQ(1, range_push("inner"));
  mark("now");
  EXPECT_EQ(1, range_pop());
  EXPECT_EQ(0, range_pop());
  EXPECT_THAT(calls(), ElementsAre("push outer", "push inner", "mark now", "pop", "pop"));
}

TEST_F(Nvtx, RegionsHaveTheirNames) {
  TestStream stream;
  {
    GRAPHPROF_SCOPE(1, "layer {}", on_stream(stream), 3);
    GRAPHPROF_SCOPE(2, "inner", on_stream(stream));
    shortWork(stream);
  }
  EXPECT_THAT(calls(), ElementsAre("push layer 3", "push inner", "pop", "pop"));
}

TEST_F(Nvtx, StepMayEndOnAnotherThread) {
  std::int64_t number = 0;
  {
    const Step step;
    number = current_step();
  }
  EXPECT_THAT(calls(), ElementsAre("start ProfilerStep#" + std::to_string(number), "end 7"));
}

// A region that ends elsewhere is closed by its own thread. A scope that ends on another thread
// cannot close a range of this one's: the next region here does.
TEST_F(Nvtx, ForeignRegionIsClosedLater) {
  TestStream stream;
  const Site site{"wandering", "NvtxTest.cu", 1, "test"};
  auto scope = std::make_unique<Scope>(site, on_stream(stream));
  std::thread([&] { scope.reset(); }).join();
  EXPECT_THAT(calls(), ElementsAre("push wandering"));
  {
    GRAPHPROF_SCOPE(1, "next", on_stream(stream));
  }
  EXPECT_THAT(calls(), ElementsAre("pop", "push next", "pop"));
}

TEST_F(Nvtx, UnmatchedPopTellsNothing) {
  EXPECT_EQ(-1, range_pop());
  EXPECT_THAT(calls(), IsEmpty());
}

} // namespace
} // namespace graphprof::test
