// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One thread edits a child graph, captures it again and makes execs of it, while another
// instantiates and launches graphs around copies of it. The program keeps apart the edits, what
// copies the child, and what destroys a copy. Without the last of these, CUDA's driver (580.159, on
// an H200) crashes in cuGraphDestroy, with graphprof and without it. What graphprof knows of the
// child must stay as it was when it was copied.

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "Cells.h"
#include "graphprof/cuda.h"
#include "graphprof/graphprof.h"

namespace graphprof::test {
namespace {

using Amount = unsigned long long;

/// A lock that is given in the order in which it was asked for. A thread that asks again at once
/// would get a std::mutex each time, and the other wait for as long as that thread works.
class Queue {
public:
  void lock() {
    const unsigned mine = last_++;
    for (unsigned served = served_; served != mine; served = served_)
      served_.wait(served);
  }
  void unlock() {
    ++served_;
    served_.notify_all();
  }

private:
  std::atomic<unsigned> last_{0}, served_{0};
};

class ChildStress : public ::testing::Test {
protected:
  static constexpr int rounds = 400;

  ChildStress() {
    EXPECT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&editing_, cudaStreamNonBlocking));
    EXPECT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&using_, cudaStreamNonBlocking));
    capture();
  }
  ~ChildStress() override {
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphDestroy(child_));
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(editing_));
    EXPECT_EQ(cudaSuccess, cudaStreamDestroy(using_));
  }

  /// The child: a kernel in a region.
  void capture() {
    ASSERT_EQ(cudaSuccess,
              cuda::cudaStreamBeginCapture(editing_, cudaStreamCaptureModeThreadLocal));
    {
      static const Site site{"child", __FILE__, __LINE__, __func__};
      const Scope scope = active() ? Scope(site, on_stream(editing_)) : Scope();
      ASSERT_EQ(cudaSuccess, test::launch(Work::Add, cell_, amount_, editing_));
    }
    ASSERT_EQ(cudaSuccess, cuda::cudaStreamEndCapture(editing_, &child_));
    std::size_t count = 1;
    ASSERT_EQ(cudaSuccess, cudaGraphGetNodes(child_, &node_, &count));
  }

  // The thread that edits.

  void setAmount(Amount amount) {
    const std::lock_guard lock(mutex_);
    void *place = cell_.place();
    void *arguments[] = {static_cast<void *>(&place), &amount};
    cudaKernelNodeParams params{};
    params.func = kernelOf(Work::Add);
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphKernelNodeSetParams(node_, &params));
    amount_ = amount;
  }
  void captureAgain() {
    const std::lock_guard lock(mutex_);
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphDestroy(child_));
    capture();
  }
  void makeExec() {
    const std::lock_guard lock(mutex_);
    cudaGraphExec_t exec = nullptr;
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphInstantiateWithFlags(&exec, child_, 0));
    cudaGraphExecUpdateResultInfo result{};
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphExecUpdate(exec, child_, &result));
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(exec));
  }
  void edit() {
    for (Amount round = 0; !done_; ++round) {
      setAmount(1 + round % 1000);
      if (round % 20 == 0)
        makeExec();
      if (round % 70 == 0)
        captureAgain();
    }
  }

  // The thread that uses the child.

  /// A graph around a copy of the child; what a launch of that adds to the cell is `*amount`.
  cudaGraph_t parent(Amount *amount) {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphCreate(&graph, 0));
    const std::lock_guard lock(mutex_);
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child_));
    *amount = amount_;
    return graph;
  }
  /// Instantiates and launches it. What the launches compute is what the child was when it was
  /// copied, with the profiled exec and the program's own.
  void use(bool recording) {
    Amount amount = 0;
    const cudaGraph_t graph = parent(&amount);
    cudaGraphExec_t exec = nullptr;
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphInstantiateWithFlags(&exec, graph, 0));
    recording ? start() : stop();
    const Amount before = cell_.result().sum;
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, using_));
    ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(using_));
    EXPECT_EQ(amount, cell_.result().sum - before);
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(exec));
    const std::lock_guard lock(mutex_);
    ASSERT_EQ(cudaSuccess, cuda::cudaGraphDestroy(graph));
  }

  std::atomic<bool> done_{false};

private:
  Cell cell_;
  cudaStream_t editing_ = nullptr, using_ = nullptr;
  Queue mutex_; // the program's own: for what follows
  cudaGraph_t child_ = nullptr;
  cudaGraphNode_t node_ = nullptr;
  Amount amount_ = 1;
};

TEST_F(ChildStress, EditDuringInstantiation) {
  // A child that is edited while its parent is instantiated.
  start();
  ASSERT_TRUE(flush());
  const Losses before = losses();
  std::atomic<std::uint64_t> recorded{0};
  Profiler profiler([&](const Record &record) {
    if (record.kind == Kind::Region && std::string(record.name) == "child")
      ++recorded;
  });
  std::thread editor([this] { edit(); });
  for (int round = 0; round < rounds; ++round)
    use(round % 4 > 0);
  done_ = true;
  editor.join();
  start();
  ASSERT_TRUE(profiler.flush());
  const Losses after = losses();
  if (!active())
    return;
  // Of the launches that were to be recorded: none was lost to an edit of the child.
  EXPECT_EQ(std::uint64_t{rounds} * 3 / 4, recorded + (after.not_launched - before.not_launched) +
                                               (after.overrun - before.overrun) +
                                               (after.evicted - before.evicted));
  EXPECT_EQ(before.incomplete, after.incomplete);
}

} // namespace
} // namespace graphprof::test
