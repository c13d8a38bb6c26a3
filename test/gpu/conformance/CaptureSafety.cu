// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which calls are refused during a capture, and which of those break it: for each call, from the
// capturing thread, from another thread, and from a thread in relaxed mode. The capture is a
// global-mode one of a non-blocking stream, and the calls use another stream. graphprof relies on
// this table for its own calls.

#include "Conformance.h"

#include <functional>
#include <string>

namespace conformance {
namespace {

struct Outcome {
  cudaError_t error;
  bool breaks; // the capture

  bool operator==(const Outcome &) const = default;
};

void PrintTo(const Outcome &outcome, std::ostream *out) {
  *out << cudaGetErrorName(outcome.error) << (outcome.breaks ? ", capture broken" : ", harmless");
}

constexpr Outcome kFine{cudaSuccess, false};
constexpr Outcome kBreaks{cudaErrorStreamCaptureUnsupported, true};

constexpr char kImage[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 8 .u64 number;\n"
                          ".visible .entry nop()\n{\n  ret;\n}\n";

// The errors that are possible here have the same numbers in both APIs.
cudaError_t loadLibrary(CUlibrary *library = nullptr) {
  CUlibrary loaded = nullptr;
  return static_cast<cudaError_t>(DRIVER(cuLibraryLoadData)(
      library ? library : &loaded, kImage, nullptr, nullptr, 0, nullptr, nullptr, 0));
}
cudaError_t readGlobal(CUlibrary library) {
  CUdeviceptr pointer = 0;
  size_t bytes = 0;
  return static_cast<cudaError_t>(DRIVER(cuLibraryGetGlobal)(&pointer, &bytes, library, "number"));
}

cudaMemPool_t defaultPool() {
  cudaMemPool_t pool = nullptr;
  EXPECT_EQ(cudaSuccess, cudaDeviceGetDefaultMemPool(&pool, 0));
  return pool;
}

// Objects that the calls use.
struct World {
  Stream other, spare;
  Event event, before, after;
  Graph graph;
  Exec exec, spareExec;
  void *memory = nullptr;
  void *pinned = nullptr;
  CUlibrary library = nullptr;
  int word = 0;

  World() {
    EXPECT_EQ(cudaSuccess, cudaStreamBeginCapture(other, cudaStreamCaptureModeThreadLocal));
    spinOn(other);
    EXPECT_EQ(cudaSuccess, cudaEventRecordWithFlags(event, other, cudaEventRecordExternal));
    EXPECT_EQ(cudaSuccess, cudaStreamEndCapture(other, &graph));
    EXPECT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_EQ(cudaSuccess, cudaGraphInstantiate(&spareExec, graph, 0));
    EXPECT_EQ(cudaSuccess, loadLibrary(&library));
    EXPECT_EQ(cudaSuccess, cudaMalloc(&memory, 64));
    EXPECT_EQ(cudaSuccess, cudaMallocHost(&pinned, 64));
    EXPECT_EQ(cudaSuccess, cudaEventRecord(before, other));
    EXPECT_EQ(cudaSuccess, cudaEventRecord(after, other));
    EXPECT_EQ(cudaSuccess, cudaEventRecord(event, other));
    EXPECT_EQ(cudaSuccess, cudaGraphLaunch(exec, other));
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
  }
  ~World() {
    cudaFree(memory);
    cudaFreeHost(pinned);
    cudaGetLastError();
  }
};

struct Row {
  const char *name;
  std::function<cudaError_t(World &)> call;
  Outcome sameThread, otherThread, relaxed;
};

void PrintTo(const Row &row, std::ostream *out) { *out << row.name; }

cudaError_t launched() { return cudaGetLastError(); }

class CaptureSafety : public testing::TestWithParam<Row> {
protected:
  // Runs the row's call in a capture, through `how`, and returns the outcome.
  Outcome outcome(const std::function<void(const std::function<void()> &)> &how) {
    World world;
    Stream stream;
    Graph graph;
    Outcome outcome{cudaErrorUnknown, false};
    EXPECT_EQ(cudaSuccess, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    how([&] { outcome.error = GetParam().call(world); });
    outcome.breaks = captureStatus(stream) == cudaStreamCaptureStatusInvalidated;
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    EXPECT_EQ(outcome.breaks ? cudaErrorStreamCaptureInvalidated : cudaSuccess, ended);
    cudaGetLastError();
    return outcome;
  }
};

TEST_P(CaptureSafety, CallByCapturingThread) {
  EXPECT_EQ(GetParam().sameThread, outcome([](auto &&call) { call(); }));
}

TEST_P(CaptureSafety, CallByAnotherThread) {
  EXPECT_EQ(GetParam().otherThread, outcome([](auto &&call) { onAnotherThread(call); }));
}

TEST_P(CaptureSafety, CallByRelaxedThread) {
  // A call from another thread that is in relaxed mode.
  EXPECT_EQ(GetParam().relaxed, outcome([](auto &&call) {
              onAnotherThread([&] {
                Relaxed relaxed;
                call();
              });
            }));
}

// clang-format off
const Row kRows[] = {
    {"Malloc", [](World &) { void *p = nullptr; return cudaMalloc(&p, 64); }, kBreaks, kBreaks, kFine},
    {"MallocHost", [](World &) { void *p = nullptr; return cudaMallocHost(&p, 64); }, kBreaks, kBreaks, kFine},
    {"Malloc3D", [](World &) { cudaPitchedPtr p; return cudaMalloc3D(&p, make_cudaExtent(8, 8, 8)); }, kBreaks, kBreaks, kFine},
    {"MallocArray", [](World &) { cudaArray_t p = nullptr; const cudaChannelFormatDesc bytes = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned); return cudaMallocArray(&p, &bytes, 8, 8); }, kBreaks, kBreaks, kFine},
    {"Free", [](World &w) { return cudaFree(std::exchange(w.memory, nullptr)); }, kBreaks, kBreaks, kFine},
    {"FreeHost", [](World &w) { return cudaFreeHost(std::exchange(w.pinned, nullptr)); }, kBreaks, kBreaks, kFine},
    {"MallocAsync", [](World &w) { void *p = nullptr; return cudaMallocAsync(&p, 64, w.other); }, kBreaks, kBreaks, kFine},
    {"MemPoolGetAttribute", [](World &) { unsigned long long bytes = 0; return cudaMemPoolGetAttribute(defaultPool(), cudaMemPoolAttrReleaseThreshold, &bytes); }, kBreaks, kBreaks, kFine},
    {"MemPoolSetAttribute", [](World &) { unsigned long long bytes = 0; return cudaMemPoolSetAttribute(defaultPool(), cudaMemPoolAttrReleaseThreshold, &bytes); }, kBreaks, kBreaks, kFine},
    {"MemGetInfo", [](World &) { std::size_t free, all; return cudaMemGetInfo(&free, &all); }, kFine, kFine, kFine},
    {"DeviceGetGraphMemAttribute", [](World &) { unsigned long long b; return cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &b); }, kFine, kFine, kFine},
    {"EventCreate", [](World &) { cudaEvent_t e = nullptr; return cudaEventCreate(&e); }, kFine, kFine, kFine},
    {"EventDestroy", [](World &w) { return cudaEventDestroy(w.event.release()); }, kFine, kFine, kFine},
    {"EventRecord", [](World &w) { return cudaEventRecord(w.event, w.other); }, kFine, kFine, kFine},
    {"EventQuery", [](World &w) { return cudaEventQuery(w.event); }, kBreaks, kBreaks, kFine},
    {"EventSynchronize", [](World &w) { return cudaEventSynchronize(w.event); }, kBreaks, kBreaks, kFine},
    {"EventElapsedTime", [](World &w) { float ms; return cudaEventElapsedTime(&ms, w.before, w.after); }, kFine, kFine, kFine},
    {"StreamCreate", [](World &) { cudaStream_t s = nullptr; return cudaStreamCreate(&s); }, kFine, kFine, kFine},
    {"StreamDestroy", [](World &w) { return cudaStreamDestroy(w.spare.release()); }, kFine, kFine, kFine},
    {"StreamQuery", [](World &w) { return cudaStreamQuery(w.other); }, kBreaks, kBreaks, kFine},
    {"StreamSynchronize", [](World &w) { return cudaStreamSynchronize(w.other); }, kBreaks, kBreaks, kFine},
    {"StreamWaitEvent", [](World &w) { return cudaStreamWaitEvent(w.other, w.event); }, kFine, kFine, kFine},
    {"StreamGetCaptureInfo", [](World &w) { cudaStreamCaptureStatus s; return cudaStreamGetCaptureInfo(w.other, &s); }, kFine, kFine, kFine},
    {"DeviceSynchronize", [](World &) { return cudaDeviceSynchronize(); }, kBreaks, kBreaks, kBreaks},
    {"Memcpy", [](World &w) { return cudaMemcpy(w.memory, &w.word, 4, cudaMemcpyHostToDevice); }, kFine, kFine, kFine},
    {"MemcpyAsync", [](World &w) { return cudaMemcpyAsync(w.memory, w.pinned, 4, cudaMemcpyHostToDevice, w.other); }, kFine, kFine, kFine},
    {"Memset", [](World &w) { return cudaMemset(w.memory, 0, 4); }, kFine, kFine, kFine},
    {"MemsetAsync", [](World &w) { return cudaMemsetAsync(w.memory, 0, 4, w.other); }, kFine, kFine, kFine},
    {"LaunchKernel", [](World &w) { spinOn(w.other); return launched(); }, kFine, kFine, kFine},
    {"LaunchKernelLegacyStream", [](World &) { spinOn(nullptr); return launched(); }, kFine, kFine, kFine},
    {"LaunchHostFunc", [](World &w) { return cudaLaunchHostFunc(w.other, [](void *) {}, nullptr); }, kFine, kFine, kFine},
    {"GraphCreate", [](World &) { cudaGraph_t g = nullptr; return cudaGraphCreate(&g, 0); }, kFine, kFine, kFine},
    {"GraphClone", [](World &w) { cudaGraph_t g = nullptr; return cudaGraphClone(&g, w.graph); }, kFine, kFine, kFine},
    {"GraphDestroy", [](World &w) { return cudaGraphDestroy(w.graph.release()); }, kFine, kFine, kFine},
    {"GraphInstantiate", [](World &w) { cudaGraphExec_t e = nullptr; return cudaGraphInstantiate(&e, w.graph, 0); }, kBreaks, kBreaks, kFine},
    {"GraphUpload", [](World &w) { return cudaGraphUpload(w.exec, w.other); }, kFine, kFine, kFine},
    {"GraphLaunch", [](World &w) { return cudaGraphLaunch(w.exec, w.other); }, kFine, kFine, kFine},
    {"GraphUploadFirst", [](World &w) { return cudaGraphUpload(w.spareExec, w.other); }, kFine, kFine, kFine},
    {"GraphLaunchFirst", [](World &w) { return cudaGraphLaunch(w.spareExec, w.other); }, kFine, kFine, kFine},
    {"GraphDestroyNode", [](World &w) { return cudaGraphDestroyNode(nodesOf(w.graph)[0]); }, kFine, kFine, kFine},
    {"GraphExecEventRecordNodeSetEvent", [](World &w) { return cudaGraphExecEventRecordNodeSetEvent(w.exec, nodesOf(w.graph)[1], w.before); }, kFine, kFine, kFine},
    {"LibraryLoadData", [](World &) { return loadLibrary(); }, kFine, kFine, kFine},
    {"LibraryGetGlobal", [](World &w) { cudaSetDevice(0); return readGlobal(w.library); }, kFine, kFine, kFine},
    {"GraphExecUpdate", [](World &w) { cudaGraphExecUpdateResultInfo i; return cudaGraphExecUpdate(w.exec, w.graph, &i); }, kFine, kFine, kFine},
    {"GraphExecDestroy", [](World &w) { return cudaGraphExecDestroy(w.spareExec.release()); }, kBreaks, kBreaks, kFine},
    {"GraphNodeSetEnabled", [](World &w) { return cudaGraphNodeSetEnabled(w.exec, nodesOf(w.graph)[0], 0); }, kFine, kFine, kFine},
    {"GetDeviceProperties", [](World &) { cudaDeviceProp p; return cudaGetDeviceProperties(&p, 0); }, kFine, kFine, kFine},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(Calls, CaptureSafety, testing::ValuesIn(kRows),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace conformance
