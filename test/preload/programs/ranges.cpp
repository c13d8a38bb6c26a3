// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
//     ranges          runtime.cpp with ranges of NVTX, of each kind
//     ranges edges    ranges that begin before a capture, end behind it, and cross its streams
//     ranges streams  ranges around work in streams that are forked before them and join behind
//     ranges joined   a thread adds to the capture that another one began
//     ranges lent     a thread adds to it in the stream of the one that began it, as autograd's
//     does;
//                     another one has ranges, but adds nothing
//     ranges mixed    two threads add to it in turn, both in ranges of their own
//     ranges destroyed    the same, but that thread destroys its stream, while the capture goes on
//     ranges graphs   a range names the graph that is captured in it, another one a launch
//     ranges unpopped    more pushes than pops, and more strings than are kept
//     ranges fork     the first in a child, behind ranges in its parent, which does not use CUDA

#include <cstdio>
#include <cstring>
#include <future>
#include <string>
#include <thread>

#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(...)                                                                                 \
  if (const cudaError_t result = __VA_ARGS__) {                                                    \
    std::printf("%s: %d\n", #__VA_ARGS__, static_cast<int>(result));                               \
    return 98;                                                                                     \
  }

namespace {

int edges() {
  cudaStream_t stream = nullptr, side = nullptr;
  cudaEvent_t forked = nullptr, joined = nullptr;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&side));
  CHECK(cudaEventCreate(&forked));
  CHECK(cudaEventCreate(&joined));
  void *memory = nullptr;
  static char source[64] = "what was copied", target[64] = "";
  CHECK(cudaMalloc(&memory, 64));
  const auto copy = [&](cudaStream_t into) {
    return cudaMemcpyAsync(memory, source, sizeof source, cudaMemcpyHostToDevice, into);
  };

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  nvtxRangePushA("before");
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(copy(stream));
  nvtxRangePushA("both streams");
  CHECK(copy(stream));
  CHECK(cudaEventRecord(forked, stream));
  CHECK(cudaStreamWaitEvent(side, forked, 0));
  CHECK(copy(side));
  CHECK(cudaEventRecord(joined, side));
  CHECK(cudaStreamWaitEvent(stream, joined, 0));
  nvtxRangePop();
  nvtxRangePushA("behind");
  CHECK(copy(stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  nvtxRangePop();
  nvtxRangePop();
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(target, memory, sizeof target, cudaMemcpyDeviceToHost));
  std::printf("%s\n", target);
  return 7;
}

int graphs() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  void *memory = nullptr;
  static char source[64] = "what was copied", target[64] = "";
  CHECK(cudaMalloc(&memory, 64));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  nvtxRangePushA("graph: decode {batch}=8");
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  nvtxRangePushA("copy");
  CHECK(cudaMemcpyAsync(memory, source, sizeof source, cudaMemcpyHostToDevice, stream));
  nvtxRangePop();
  CHECK(cudaStreamEndCapture(stream, &graph));
  nvtxRangePop();
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (const char *const name : {"graph: ", "graph: once", "no graph: at all"}) {
    nvtxRangePushA(name);
    CHECK(cudaGraphLaunch(exec, stream));
    nvtxRangePop();
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(target, memory, sizeof target, cudaMemcpyDeviceToHost));
  std::printf("%s\n", target);
  return 7;
}

int streams() {
  constexpr std::size_t size = 1 << 20;
  cudaStream_t main = nullptr, first = nullptr, second = nullptr;
  cudaEvent_t forked = nullptr, firstDone = nullptr, secondDone = nullptr;
  for (cudaStream_t *const stream : {&main, &first, &second})
    CHECK(cudaStreamCreate(stream));
  for (cudaEvent_t *const event : {&forked, &firstDone, &secondDone})
    CHECK(cudaEventCreate(event));
  void *memory = nullptr;
  static char source[size] = "what was copied", target[64] = "";
  CHECK(cudaMalloc(&memory, size));
  const auto copy = [&](cudaStream_t into, std::size_t bytes) {
    return cudaMemcpyAsync(memory, source, bytes, cudaMemcpyHostToDevice, into);
  };

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(forked, main));
  CHECK(cudaStreamWaitEvent(first, forked, 0));
  CHECK(cudaStreamWaitEvent(second, forked, 0));
  nvtxRangePushA("side");
  CHECK(copy(first, size));
  nvtxRangePop();
  nvtxRangePushA("both");
  CHECK(copy(main, 64));
  CHECK(copy(second, size / 2));
  nvtxRangePushA("empty");
  nvtxRangePop();
  nvtxRangePop();
  CHECK(cudaEventRecord(firstDone, first));
  CHECK(cudaEventRecord(secondDone, second));
  CHECK(cudaStreamWaitEvent(main, firstDone, 0));
  CHECK(cudaStreamWaitEvent(main, secondDone, 0));
  CHECK(cudaStreamEndCapture(main, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; ++i)
    CHECK(cudaGraphLaunch(exec, main));
  CHECK(cudaStreamSynchronize(main));
  CHECK(cudaMemcpy(target, memory, sizeof target, cudaMemcpyDeviceToHost));
  std::printf("%s\n", target);
  return 7;
}

// What a thread captures into a stream of its own, which joins the capture of another thread.
int work(cudaEvent_t forked, cudaEvent_t joined, void *memory, bool destroys) {
  static char source[64] = "what was copied";
  cudaStream_t side = nullptr;
  const auto copy = [&] {
    return cudaMemcpyAsync(memory, source, sizeof source, cudaMemcpyHostToDevice, side);
  };
  nvtxRangePushA("before");
  nvtxRangePop();
  nvtxRangePushA("worker");
  CHECK(cudaStreamCreate(&side));
  CHECK(cudaStreamWaitEvent(side, forked, 0));
  CHECK(copy());
  nvtxRangePushA("inner");
  CHECK(copy());
  nvtxRangePop();
  nvtxRangePushA("again");
  CHECK(copy());
  CHECK(cudaEventRecord(joined, side));
  if (destroys)
    CHECK(cudaStreamDestroy(side));
  nvtxRangePop();
  nvtxRangePop();
  return 0;
}
int joined(bool destroys) {
  cudaStream_t stream = nullptr;
  cudaEvent_t forked = nullptr, joined = nullptr;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&forked));
  CHECK(cudaEventCreate(&joined));
  void *memory = nullptr, *other = nullptr;
  static char target[64] = "";
  CHECK(cudaMalloc(&memory, 64));
  CHECK(cudaMalloc(&other, 64));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  nvtxRangePushA("step");
  CHECK(cudaMemcpyAsync(other, target, sizeof target, cudaMemcpyHostToDevice, stream));
  CHECK(cudaEventRecord(forked, stream));
  int status = 0;
  std::thread([&] { status = work(forked, joined, memory, destroys); }).join();
  if (destroys) { // CUDA does not say what becomes of the capture
    static_cast<void>(cudaStreamWaitEvent(stream, joined, 0));
    nvtxRangePop();
    std::printf("%d\n", static_cast<int>(cudaStreamEndCapture(stream, &graph)));
    return status == 0 ? 7 : status;
  }
  CHECK(cudaStreamWaitEvent(stream, joined, 0));
  nvtxRangePop();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; ++i)
    CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(target, memory, sizeof target, cudaMemcpyDeviceToHost));
  std::printf("%s\n", target);
  return status == 0 ? 7 : status;
}

// Captures a range of two copies with what `work` adds between them, and launches the graph.
template <class Work> int captured(Work work) {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  void *memory = nullptr;
  static char source[64] = "what was copied", target[64] = "";
  CHECK(cudaMalloc(&memory, 64));
  const auto copy = [&] {
    return cudaMemcpyAsync(memory, source, sizeof source, cudaMemcpyHostToDevice, stream);
  };
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  nvtxRangePushA("step");
  CHECK(copy());
  const int status = work(copy);
  CHECK(copy());
  nvtxRangePop();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; ++i)
    CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(target, memory, sizeof target, cudaMemcpyDeviceToHost));
  std::printf("%s\n", target);
  return status == 0 ? 7 : status;
}

int lent() {
  return captured([](const auto &copy) {
    int status = 0;
    std::thread([&] {
      nvtxRangePushA("loading"); // and nothing is added meanwhile
      std::thread([&] {
        nvtxRangePushA("backward");
        nvtxRangePushA("first");
        for (int i = 0; i < 2; ++i)
          status = status || copy();
        nvtxRangePop();
        nvtxRangePushA("second");
        status = status || copy();
        nvtxRangePop();
        nvtxRangePop();
        nvtxRangePushA("after");
        nvtxRangePop();
      }).join();
      nvtxRangePop();
    }).join();
    return status;
  });
}

// Each thread's range is open while the other's copy is added.
int mixed() {
  return captured([](const auto &copy) {
    int status = 0;
    std::promise<void> others;
    std::promise<void> mine;
    std::thread one([&] {
      nvtxRangePushA("alone");
      status = copy();
      nvtxRangePop();
      nvtxRangePushA("one");
      status = status || copy();
      mine.set_value();
      others.get_future().wait();
      nvtxRangePop();
    });
    std::thread other([&] {
      mine.get_future().wait();
      nvtxRangePushA("other");
      status = status || copy();
      nvtxRangePop();
      others.set_value();
    });
    one.join();
    other.join();
    return status;
  });
}

// Pushes of two domains, each with depths of its own, most of them without a pop; and more strings
// than are kept, the last of which are one.
int unpopped() {
  const nvtxDomainHandle_t mine = nvtxDomainCreateA("mine");
  nvtxEventAttributes_t named{};
  named.version = NVTX_VERSION;
  named.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  named.messageType = NVTX_MESSAGE_TYPE_ASCII;
  named.message.ascii = "named";
  constexpr int depths = 1000, strings = 10'010;
  for (int depth = 0; depth < depths; ++depth)
    if (nvtxRangePushA("plain") != depth || nvtxDomainRangePushEx(mine, &named) != depth)
      return 96;
  for (const int depth : {depths - 1, depths - 2})
    if (nvtxDomainRangePop(mine) != depth)
      return 95;
  if (nvtxRangePop() != depths - 1 || nvtxRangePushA("plain") != depths - 1 ||
      nvtxDomainRangePushEx(mine, &named) != depths - 2)
    return 95;
  nvtxStringHandle_t first = nullptr, last = nullptr, again = nullptr;
  for (int i = 0; i < strings; ++i) {
    again = last;
    last = nvtxDomainRegisterStringA(mine, ("string " + std::to_string(i)).c_str());
    first = first ? first : last;
  }
  if (last != again || last == first || nvtxDomainRegisterStringA(mine, "string 0") != first)
    return 94;
  std::printf("what was copied\n");
  return 7;
}

// In the parent: its child's status.
int forked(bool &inChild) {
  nvtxDomainCreateA("mine");
  nvtxRangePushA("in the parent");
  nvtxRangePop();
  const pid_t child = fork();
  inChild = child == 0;
  int status = 0;
  if (!inChild)
    waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}

} // namespace

int main(int argc, char **argv) {
  bool inChild = false;
  if (argc > 1 && std::strcmp(argv[1], "edges") == 0)
    return edges();
  if (argc > 1 && std::strcmp(argv[1], "graphs") == 0)
    return graphs();
  if (argc > 1 && std::strcmp(argv[1], "streams") == 0)
    return streams();
  if (argc > 1 && std::strcmp(argv[1], "lent") == 0)
    return lent();
  if (argc > 1 && std::strcmp(argv[1], "mixed") == 0)
    return mixed();
  if (argc > 1 && std::strcmp(argv[1], "unpopped") == 0)
    return unpopped();
  for (const bool destroys : {false, true})
    if (argc > 1 && std::strcmp(argv[1], destroys ? "destroyed" : "joined") == 0)
      return joined(destroys);
  if (argc > 1)
    if (const int status = forked(inChild); !inChild)
      return status;
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  void *first = nullptr, *second = nullptr;
  static char source[64] = "what was copied", target[64] = "";
  CHECK(cudaMalloc(&first, 64));
  CHECK(cudaMalloc(&second, 64));
  const nvtxDomainHandle_t mine = nvtxDomainCreateA("mine");
  nvtxEventAttributes_t registered{};
  registered.version = NVTX_VERSION;
  registered.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  registered.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  registered.message.registered = nvtxDomainRegisterStringA(mine, "registered");

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  nvtxRangePop(); // one pop too many
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  nvtxRangePushA("layer {0}");
  nvtxRangePushA("copy in");
  CHECK(cudaMemcpyAsync(first, source, sizeof source, cudaMemcpyHostToDevice, stream));
  nvtxRangePop();
  nvtxDomainRangePushEx(mine, &registered);
  CHECK(cudaMemcpyAsync(second, first, sizeof source, cudaMemcpyDeviceToDevice, stream));
  nvtxDomainRangePop(mine);
  nvtxRangePushW(L"wid\u00e9");
  CHECK(cudaMemcpyAsync(second, first, sizeof source, cudaMemcpyDeviceToDevice, stream));
  nvtxRangePop();
  nvtxRangePushA("no \xff UTF-8");
  CHECK(cudaMemcpyAsync(second, first, sizeof source, cudaMemcpyDeviceToDevice, stream));
  nvtxRangePop();
  nvtxRangePop();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  const nvtxRangeId_t both = nvtxRangeStartA("started");
  nvtxRangeEnd(both);
  nvtxRangeEnd(both); // the second end
  nvtxRangeEnd(nvtxDomainRangeStartEx(mine, &registered));
  nvtxMarkA("marked");
  nvtxDomainMarkEx(mine, &registered);
  nvtxRangeStartA("never ended");
  nvtxRangePushA("outside");
  for (int i = 0; i < 3; ++i)
    CHECK(cudaGraphLaunch(exec, stream));
  nvtxRangePop();
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(target, second, sizeof target, cudaMemcpyDeviceToHost));
  nvtxRangePushA("never popped");
  std::printf("%s\n", target);
  return 7;
}
