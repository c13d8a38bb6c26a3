// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Workloads in which the kind of a stamp's dependency matters: programmatic edges, event nodes,
// lanes.

#include "check.h"
#include "technique.h"
#include "workload.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace benchmark {
namespace {

constexpr int blocks = 66; // in each kernel: half an H200

struct Shape {
  int blocks, threads;
};
constexpr Shape fillsGpu = {264, 1024}; // two blocks on each multiprocessor of an H200, no room
constexpr const char *thatFillGpu = " that fill the GPU";

__global__ void spinFor(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

// Triggers the next kernel, and works for a while before it waits for the previous one.
__global__ void spinInTwo(long long before, long long behind) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  long long begin = clock64();
  while (clock64() - begin < before) {
  }
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;");
#endif
  begin = clock64();
  while (clock64() - begin < behind) {
  }
}

long long cyclesOf2Us(const ChainCalibration &calibration) {
  return std::max(0LL,
                  calibration.cyclesAtZero + static_cast<long long>(2 * calibration.cyclesPerUs));
}

class Programmatic : public Workload {
public:
  explicit Programmatic(int kernels) : kernels_(kernels) {}
  std::string name() const override {
    return "chain of " + std::to_string(kernels_) + " kernels with programmatic edges";
  }
  int regions() const override { return kernels_; }
  std::string regionName(int index) const override { return "kernel " + std::to_string(index); }

  void issue(cudaStream_t stream, RegionVisitor &visitor) const override {
    for (int i = 0; i < kernels_; ++i)
      visitor.region(i, [&] {
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = i > 0;
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(blocks);
        config.blockDim = dim3(128);
        config.stream = stream;
        config.attrs = &attribute;
        config.numAttrs = 1;
        CHECK(cudaLaunchKernelEx(&config, spinInTwo, 2000LL, 3000LL));
      });
  }

private:
  int kernels_;
};

class WithEvents : public Workload {
public:
  WithEvents(int kernels, bool fill, long long cycles)
      : kernels_(kernels), fills_(fill), cycles_(cycles) {
    CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  ~WithEvents() override { cudaEventDestroy(event_); }
  std::string name() const override {
    return "chain of " + std::to_string(kernels_) + " kernels" + (fills_ ? thatFillGpu : "") +
           " between event nodes";
  }
  int regions() const override { return kernels_; }
  std::string regionName(int index) const override { return "kernel " + std::to_string(index); }

  void issue(cudaStream_t stream, RegionVisitor &visitor) const override {
    const Shape shape = fills_ ? fillsGpu : Shape{blocks, 128};
    for (int i = 0; i < kernels_; ++i)
      visitor.region(i, [&] {
        CHECK(cudaStreamWaitEvent(stream, event_, cudaEventWaitExternal));
        spinFor<<<shape.blocks, shape.threads, 0, stream>>>(cycles_);
        CHECK(cudaEventRecordWithFlags(event_, stream, cudaEventRecordExternal));
      });
  }

private:
  int kernels_;
  bool fills_;
  long long cycles_;
  cudaEvent_t event_ = nullptr;
};

class Lanes : public Workload {
public:
  Lanes(int lanes, int steps, long long cycles) : steps_(steps), cycles_(cycles) {
    for (int i = 1; i < lanes; ++i) {
      cudaStream_t lane;
      CHECK(cudaStreamCreateWithFlags(&lane, cudaStreamNonBlocking));
      lanes_.push_back(lane);
    }
    CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  ~Lanes() override {
    for (const cudaStream_t lane : lanes_)
      cudaStreamDestroy(lane);
    cudaEventDestroy(event_);
  }
  std::string name() const override {
    return std::to_string(lanes_.size() + 1) + " lanes of " + std::to_string(steps_) + " kernels";
  }
  int regions() const override { return steps_; }
  std::string regionName(int index) const override { return "step " + std::to_string(index); }

  // The regions are the first lane's. The others run beside it, so records in order of time do not
  // separate regions.
  void issue(cudaStream_t stream, RegionVisitor &visitor) const override {
    for (int i = 0; i < steps_; ++i)
      visitor.region(i, [&] {
        spinFor<<<8, 128, 0, stream>>>(cycles_);
        if (i == 0) {
          CHECK(cudaEventRecord(event_, stream));
          for (const cudaStream_t lane : lanes_)
            CHECK(cudaStreamWaitEvent(lane, event_, 0));
        } else if (i + 1 < steps_) {
          for (const cudaStream_t lane : lanes_)
            spinFor<<<8, 128, 0, lane>>>(cycles_);
        }
        if (i + 2 == steps_)
          for (const cudaStream_t lane : lanes_) {
            CHECK(cudaEventRecord(event_, lane));
            CHECK(cudaStreamWaitEvent(stream, event_, 0));
          }
      });
  }

private:
  int steps_;
  long long cycles_;
  std::vector<cudaStream_t> lanes_; // all except the first
  cudaEvent_t event_ = nullptr;
};

// What a stream's next node waits for, while it is captured.
void waitOnlyFor(cudaStream_t stream, const std::vector<cudaGraphNode_t> &nodes) {
  CHECK(cudaStreamUpdateCaptureDependencies(stream, const_cast<cudaGraphNode_t *>(nodes.data()),
                                            nullptr, nodes.size(),
                                            cudaStreamSetCaptureDependencies));
}

class Collectives : public Workload {
public:
  Collectives(int layers, bool fill, long long cycles)
      : layers_(layers), fills_(fill), cycles_(cycles) {
    CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  ~Collectives() override { cudaEventDestroy(event_); }
  std::string name() const override {
    return std::to_string(layers_) + " layers" + (fills_ ? thatFillGpu : "") +
           " with a collective between event nodes";
  }
  int regions() const override { return 3 * layers_; }
  std::string regionName(int index) const override {
    static constexpr const char *parts[] = {" work", " collective", " scale"};
    return "layer " + std::to_string(index / 3) + parts[index % 3];
  }

  void issue(cudaStream_t stream, RegionVisitor &visitor) const override {
    const Shape shape = fills_ ? fillsGpu : Shape{16, 128};
    std::vector<cudaGraphNode_t> before; // what the next collective waits for beside the work
    for (int layer = 0; layer < layers_; ++layer) {
      visitor.region(3 * layer, [&] {
        for (int i = 0; i < 2; ++i)
          spinFor<<<shape.blocks, shape.threads, 0, stream>>>(cycles_);
      });
      visitor.region(3 * layer + 1, [&] {
        std::vector<cudaGraphNode_t> work = Frontier::of(stream).nodes;
        if (layer == 0) {
          waitOnlyFor(stream, {});
          CHECK(cudaStreamWaitEvent(stream, event_, cudaEventWaitExternal));
          before = Frontier::of(stream).nodes;
        }
        work.insert(work.end(), before.begin(), before.end());
        waitOnlyFor(stream, work);
        spinFor<<<4, 512, 0, stream>>>(cycles_);
        const std::vector<cudaGraphNode_t> collective = Frontier::of(stream).nodes;
        CHECK(cudaEventRecordWithFlags(event_, stream, cudaEventRecordExternal));
        before = Frontier::of(stream).nodes;
        waitOnlyFor(stream, collective);
      });
      visitor.region(3 * layer + 2,
                     [&] { spinFor<<<shape.blocks, shape.threads, 0, stream>>>(cycles_); });
    }
  }

private:
  int layers_;
  bool fills_;
  long long cycles_;
  cudaEvent_t event_ = nullptr;
};

class TwoAtOnce : public Workload {
public:
  TwoAtOnce(int kernels, long long cycles) : kernels_(kernels), cycles_(cycles) {}
  std::string name() const override {
    return "two chains of " + std::to_string(kernels_) + " kernels at once";
  }
  int regions() const override { return kernels_; }
  std::string regionName(int index) const override { return "kernel " + std::to_string(index); }
  bool runsTwiceAtOnce() const override { return true; }

  void issue(cudaStream_t stream, RegionVisitor &visitor) const override {
    for (int i = 0; i < kernels_; ++i)
      visitor.region(i, [&] { spinFor<<<8, 128, 0, stream>>>(cycles_); });
  }

private:
  int kernels_;
  long long cycles_;
};

} // namespace

std::unique_ptr<Workload> makeProgrammaticChain(int kernels) {
  return std::make_unique<Programmatic>(kernels);
}

std::unique_ptr<Workload> makeChainWithEvents(int kernels, bool fill,
                                              const ChainCalibration &calibration) {
  return std::make_unique<WithEvents>(kernels, fill, cyclesOf2Us(calibration));
}

std::unique_ptr<Workload> makeCollectives(int layers, bool fill,
                                          const ChainCalibration &calibration) {
  return std::make_unique<Collectives>(layers, fill, cyclesOf2Us(calibration));
}

std::unique_ptr<Workload> makeTwoAtOnce(int kernels, const ChainCalibration &calibration) {
  return std::make_unique<TwoAtOnce>(kernels, cyclesOf2Us(calibration));
}

std::unique_ptr<Workload> makeLanes(int lanes, int steps, const ChainCalibration &calibration) {
  return std::make_unique<Lanes>(lanes, steps, cyclesOf2Us(calibration));
}

} // namespace benchmark
