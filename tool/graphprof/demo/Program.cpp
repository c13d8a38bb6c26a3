// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "demo/Program.h"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>

#include "CommandLine.h"
#include "demo/Regions.h"

namespace graphprof::demo {
namespace {

constexpr int layers = 4, replays = 100;

// How long a kernel takes: each of its threads does so many additions.
struct Kernel {
  const char *name;
  unsigned blocks, rounds;
};
constexpr Kernel embedToken{"embed_token", 8, 200}, normalize{"normalize", 8, 200},
    projectQkv{"project_qkv", 96, 1200}, storeCache{"store_cache", 32, 400},
    attend{"attend", 64, 1600}, projectOut{"project_out", 32, 600},
    projectUp{"project_up", 128, 2000}, activate{"activate", 64, 200},
    projectDown{"project_down", 64, 1800}, sampleToken{"sample_token", 128, 1000};
constexpr std::array all{embedToken, normalize, projectQkv, storeCache,  attend,
                         projectOut, projectUp, activate,   projectDown, sampleToken};

constexpr unsigned threads = 256, mostBlocks = 128;
constexpr std::size_t floats = std::size_t{threads} * mostBlocks, bytes = floats * sizeof(float),
                      tokenBytes = sizeof(float);

// The kernels' code, which the driver compiles for its GPU. Each has a copy of the same body.
constexpr std::string_view head = R"(
.version 7.0
.target sm_70
.address_size 64
)";
constexpr std::string_view body = R"(
.visible .entry NAME(.param .u64 data, .param .u32 rounds) {
  .reg .pred %p<1>;
  .reg .u32 %r<5>;
  .reg .u64 %d<3>;
  .reg .f32 %f<1>;
  ld.param.u64 %d0, [data];
  ld.param.u32 %r4, [rounds];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  mul.wide.u32 %d1, %r3, 4;
  add.u64 %d2, %d0, %d1;
  ld.global.f32 %f0, [%d2];
again:
  add.f32 %f0, %f0, 0f3F800000;
  sub.u32 %r4, %r4, 1;
  setp.ne.u32 %p0, %r4, 0;
  @%p0 bra again;
  st.global.f32 [%d2], %f0;
  ret;
}
)";

std::string deviceCode() {
  std::string code(head);
  for (const Kernel &kernel : all)
    code += std::string(body).replace(body.find("NAME"), 4, kernel.name);
  return code;
}

// The driver's functions by their names. Handles and addresses are void *. Throws
// std::runtime_error if a call fails.
class Calls {
public:
  Calls() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (!library_)
      throw std::runtime_error(fmt::format("there is no CUDA driver: {}", dlerror()));
  }

  template <class... Arguments> void call(const char *name, Arguments... arguments) const {
    auto *const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, name));
    if (!function)
      throw std::runtime_error(fmt::format("the CUDA driver lacks {}", name));
    if (const int error = function(arguments...); error != 0)
      throw std::runtime_error(fmt::format("{} failed with the error {}", name, error));
  }
  /// What a function writes through its first parameter.
  template <class... Arguments>
  [[nodiscard]] void *made(const char *name, Arguments... arguments) const {
    void *result = nullptr;
    call(name, &result, arguments...);
    return result;
  }

private:
  void *library_;
};

void *const none = nullptr;
constexpr unsigned nonBlocking = 1, withoutTimes = 2; // CUstream_flags, CUevent_flags
constexpr int threadLocal = 1;                        // CUstreamCaptureMode

// One step of decoding. The process's end releases it.
class Decoder {
public:
  explicit Decoder(const Calls &driver)
      : driver_(driver), code_(driver.made("cuLibraryLoadData", deviceCode().c_str(), none, none,
                                           0U, none, none, 0U)),
        stream_(driver.made("cuStreamCreate", nonBlocking)),
        side_(driver.made("cuStreamCreate", nonBlocking)),
        forked_(driver.made("cuEventCreate", withoutTimes)),
        joined_(driver.made("cuEventCreate", withoutTimes)),
        state_(driver.made("cuMemAlloc_v2", bytes)), cache_(driver.made("cuMemAlloc_v2", bytes)),
        token_(driver.made("cuMemAllocHost_v2", tokenBytes)) {
    for (void *const memory : {state_, cache_})
      driver.call("cuMemsetD32_v2", memory, 0U, floats);
  }

  void capture() {
    void *graph = nullptr;
    driver_.call("cuStreamBeginCapture_v2", stream_, threadLocal);
    launch(embedToken);
    for (int layer = 0; layer < layers; ++layer) {
      const Regions::Region region(regions_, "layer {}", layer);
      attention();
      feedForward();
    }
    launch(sampleToken);
    driver_.call("cuMemcpyDtoHAsync_v2", token_, state_, tokenBytes, stream_);
    driver_.call("cuStreamEndCapture", stream_, &graph);
    exec_ = driver_.made("cuGraphInstantiateWithFlags", graph, 0ULL);
  }

  // The next step begins when the host has the token.
  void replay() {
    driver_.call("cuGraphLaunch", exec_, stream_);
    driver_.call("cuStreamSynchronize", stream_);
  }

private:
  // Keys and values are stored on a branch of their own.
  void attention() {
    const Regions::Region region(regions_, "attention");
    launch(normalize);
    launch(projectQkv);
    driver_.call("cuEventRecord", forked_, stream_);
    driver_.call("cuStreamWaitEvent", side_, forked_, 0U);
    launch(storeCache, cache_, side_);
    driver_.call("cuEventRecord", joined_, side_);
    launch(attend);
    launch(projectOut);
    driver_.call("cuStreamWaitEvent", stream_, joined_, 0U);
  }

  void feedForward() {
    const Regions::Region region(regions_, "feed forward");
    launch(normalize);
    launch(projectUp);
    launch(activate);
    launch(projectDown);
  }

  void launch(const Kernel &kernel) { launch(kernel, state_, stream_); }
  void launch(const Kernel &kernel, void *data, void *stream) {
    unsigned rounds = kernel.rounds;
    std::array<void *, 2> parameters{static_cast<void *>(&data), &rounds};
    void *const function =
        driver_.made("cuKernelGetFunction", driver_.made("cuLibraryGetKernel", code_, kernel.name));
    driver_.call("cuLaunchKernel", function, kernel.blocks, 1U, 1U, threads, 1U, 1U, 0U, stream,
                 parameters.data(), none);
  }

  const Calls &driver_;
  const Regions regions_;
  void *code_, *stream_, *side_, *forked_, *joined_, *state_, *cache_, *token_, *exec_ = nullptr;
};

} // namespace

int runProgram() {
  try {
    const Calls driver;
    driver.call("cuInit", 0U);
    driver.call("cuCtxSetCurrent", driver.made("cuDevicePrimaryCtxRetain", 0));
    Decoder decoder(driver);
    decoder.capture();
    for (int i = 0; i < replays; ++i)
      decoder.replay();
  } catch (const std::runtime_error &error) {
    tool::sayOf("graphprof demo", fmt::format("the program cannot run: {}", error.what()));
    return 1;
  }
  fmt::print("{} tokens, each a replay of a CUDA graph: a decoder of {} layers\n", replays, layers);
  return 0;
}

} // namespace graphprof::demo
