// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What PyTorch does with its stubs, without PyTorch: its legacy profiler around capture and replays, then emit_nvtx.

#include <torch/csrc/profiler/stubs/base.h>

#include <cstdio>
#include <exception>
#include <string>

#include <cuda_runtime.h>

namespace torch::profiler::impl {

// PyTorch's own: here they only say that they were asked.
struct Own final : ProfilerStubs {
  void record(c10::DeviceIndex *, ProfilerVoidEventStub *, int64_t *) const override {}
  float elapsed(const ProfilerVoidEventStub *, const ProfilerVoidEventStub *) const override {
    return -1;
  }
  void mark(const char *name) const override { std::printf("nvtx mark %s\n", name); }
  void rangePush(const char *name) const override { std::printf("nvtx push %s\n", name); }
  void rangePop() const override { std::printf("nvtx pop\n"); }
  bool enabled() const override { return true; }
  void onEachDevice(std::function<void(int)>) const override {}
  void synchronize() const override {}
};

namespace {
const ProfilerStubs *&stubs() {
  static const ProfilerStubs *stubs = new Own;
  return stubs;
}
} // namespace

void registerCUDAMethods(ProfilerStubs *given) { stubs() = given; }
const ProfilerStubs *cudaStubs() { return stubs(); }

} // namespace torch::profiler::impl

namespace {
cudaStream_t current;
__global__ void work() {}
} // namespace

extern "C" std::int32_t aoti_torch_get_current_cuda_stream(std::int32_t, void **stream) {
  *stream = current;
  return 0;
}
extern "C" void graphprof_torch_stubs(int ours);

using torch::profiler::impl::cudaStubs;
using torch::profiler::impl::ProfilerVoidEventStub;

int main() {
  graphprof_torch_stubs(1);
  cudaStreamCreate(&current);
  std::printf("enabled %d\n", cudaStubs()->enabled());

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ProfilerVoidEventStub events[3];
  c10::DeviceIndex device = -2;
  cudaStreamBeginCapture(current, cudaStreamCaptureModeGlobal);
  cudaStubs()->record(&device, &events[0], nullptr);
  work<<<1, 1, 0, current>>>();
  cudaStubs()->record(nullptr, &events[1], nullptr);
  for (int i = 0; i < 5; ++i)
    work<<<1, 1, 0, current>>>();
  cudaStubs()->record(nullptr, &events[2], nullptr);
  cudaStreamEndCapture(current, &graph);
  cudaGraphInstantiate(&exec, graph, 0ULL);
  std::printf("device %d\n", device);
  try {
    cudaStubs()->elapsed(&events[0], &events[1]);
  } catch (const std::exception &failure) {
    std::printf("before a launch: %s\n", failure.what());
  }
  for (int replay = 0; replay < 2; ++replay)
    cudaGraphLaunch(exec, current);
  cudaStubs()->synchronize();
  const float first = cudaStubs()->elapsed(&events[0], &events[1]);
  const float second = cudaStubs()->elapsed(&events[1], &events[2]);
  std::printf("both have a time %d, the second a longer one %d\n", first > 0 && second > 0,
              second > first);
  for (ProfilerVoidEventStub &event : events)
    event.reset(); // the profiler goes before the graph
  std::printf("the graph runs on %d\n", cudaGraphLaunch(exec, current) == cudaSuccess);

  int devices = 0;
  cudaStubs()->onEachDevice([&](int) { ++devices; });
  std::printf("devices %d\n", devices);
  cudaStubs()->mark("here");
  for (int step = 0; step < 2; ++step) {
    cudaStubs()->rangePush(("aten::mm, seq = " + std::to_string(step) + ", op_id = 9").c_str());
    work<<<1, 1, 0, current>>>();
    cudaStubs()->rangePop();
  }
  cudaStubs()->rangePop(); // one too many
  cudaStreamSynchronize(current);
  return 0;
}
