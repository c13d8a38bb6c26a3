// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Controls the simulated device from tests: what kernels do, how long they take, the virtual clock,
// injected failures, and a record of what the device executed. Nothing here exists in CUDA. All
// functions are thread-safe, also in a kernel's host function. Times are nanoseconds of the virtual
// clock.
//
//   cudasim::reset();
//   cudasim::setKernelDuration("scale", 5'000);
//   cudasim::failCall("cuGraphClone", 1, cudaErrorMemoryAllocation);

#ifndef CUDASIM_CUDASIM_H
#define CUDASIM_CUDASIM_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudasim {

// What a kernel does. `params` are the launch's parameters, copied at the launch. The times are
// those of the kernel on the device.
using KernelBody = std::function<void(void **params, std::uint64_t startNs, std::uint64_t endNs)>;

// How long a kernel takes, from its parameters.
using KernelDuration = std::function<std::uint64_t(void **params)>;

inline constexpr std::uint64_t kDefaultDuration = ~std::uint64_t{0};

// Used by the overloads for __global__ functions below.
void registerKernelAt(const void *function, std::vector<std::size_t> paramSizes, KernelBody body,
                      std::uint64_t durationNs);
void setKernelDurationAt(const void *function, std::uint64_t durationNs);

// Gives a kernel a body. A kernel is named as in an image (cuLibraryGetKernel), by its mangled
// name, by its qualified name without parameters ("ns::scale<float>"), by its bare name ("scale"),
// or by its __global__ function, which implies the sizes. paramSizes are the sizes of its
// parameters in bytes, in order, which CUDA takes from a real image. A null body computes nothing.
// Registrations survive reset().
void registerKernel(std::string_view name, std::vector<std::size_t> paramSizes, KernelBody body,
                    std::uint64_t durationNs = kDefaultDuration);
template <typename... Params>
void registerKernel(void (*function)(Params...), KernelBody body,
                    std::uint64_t durationNs = kDefaultDuration) {
  registerKernelAt(reinterpret_cast<const void *>(function), {sizeof(Params)...}, std::move(body),
                   durationNs);
}
void registerKernel(std::string_view name, std::vector<std::size_t> paramSizes, KernelBody body,
                    KernelDuration duration);

// What a kernel does at programmatic edges, which the simulation cannot read from its code.
// `waits`: at its begin it waits until its programmatic predecessors have completed
// (cudaGridDependencySynchronize). `triggers`: it then lets its programmatic successors begin
// (cudaTriggerProgrammaticLaunchCompletion); otherwise they begin when it has ended. By default a
// kernel does both. The body of a waiting kernel gets the time at which the wait ended. Survives
// reset().
struct Overlap {
  bool waits = true;
  bool triggers = true;
};
void setKernelOverlap(std::string_view name, Overlap overlap);
// In a kernel's body: when the kernel began, before it waited.
std::uint64_t bodyBeganNs();

// The grid and the block of the kernel whose body runs.
struct Extent {
  unsigned x = 1, y = 1, z = 1;
  unsigned all() const { return x * y * z; }
};
Extent bodyGrid();
Extent bodyBlock();

// What one warp of a kernel's timed twin (graphprof/device/twin.h) does, instead of its code: when
// it begins and ends, in nanoseconds from the kernel's begin, and which scopes it begins and ends
// meanwhile, in order. `scope`: its number, or endOfScope, of the one that was begun last.
struct TwinWarp {
  struct Step {
    std::uint64_t atNs;
    unsigned scope;
  };
  std::uint64_t beginNs = 0, endNs = 0;
  std::vector<Step> steps;
  unsigned multiprocessor = 0;
};
inline constexpr unsigned endOfScope = 0xFFFF;
using TwinSchedule = std::function<TwinWarp(unsigned block, unsigned warp)>;

// The body of a timed twin, for registerKernel: every warp that its recording chooses writes what
// the schedule says.
KernelBody twinBody(TwinSchedule schedule);

// The resources of a kernel, which decide how many of its blocks run at once. Successors that wait
// for its launch completion begin with the last wave of blocks. If the blocks of the last wave fill
// the device, they begin when the kernel ends. Survives reset().
struct Resources {
  unsigned registersPerThread = 32;
  std::size_t staticSharedBytes = 0;
};
void setKernelResources(std::string_view name, Resources resources);

// How the parameters of a graph's kernel node name the kernel. CUDA promises none of these. Until
// reset(); initially Function.
enum class KernelHandle {
  Function,      // as cudaGetFuncBySymbol and cuKernelGetFunction give it
  Kernel,        // the kernel alone, as cudaGetKernel gives it
  OtherFunction, // another function of the same name in the same module, as in another context
  OtherModule,   // a function of the same name in another module
};
void setKernelHandles(KernelHandle handle);

// Overrides a kernel's registered or default duration until reset(). The default is a few
// microseconds, from the kernel's name and grid.
void setKernelDuration(std::string_view name, std::uint64_t durationNs);
template <typename... Params>
void setKernelDuration(void (*function)(Params...), std::uint64_t durationNs) {
  setKernelDurationAt(reinterpret_cast<const void *>(function), durationNs);
}

// From now on the kernel of this name does not end: it takes an hour, and no effect happens of
// anything that begins then or later. Do not wait for its stream: that returns, an hour later. An
// empty name lets it end; what waited for it happens then, on this thread. Until reset().
void hold(std::string_view kernel);

// How long after the end of a node of a graph a kernel begins that waits for that end. Initially,
// and after reset(), 0. Launch completion and programmatic edges have none.
void setLaunchGap(std::uint64_t ns);

// cudaGraphSetConditional, for the host function of a kernel that calls it.
void setConditional(unsigned long long handle, unsigned value);

// The virtual clock of the calling thread's host code. It advances by the cost of each API call, by
// synchronizing calls, and by advanceNs().
std::uint64_t nowNs();
void advanceNs(std::uint64_t ns);
void setCallCost(std::uint64_t ns);

// The step of %globaltimer in graphprof's stamp kernels. Initially 1. Survives reset().
void setTimerStep(std::uint64_t ns);

// Marks bytes as used in the L2 cache, and returns how many of them were not there. For a kernel's
// duration, which can depend on that. Fills and copies use the cache, too.
std::size_t useL2(const void *data, std::size_t bytes);

// Sets the SM clock: the number of cycles at a time of the virtual clock. Initially, and after
// reset(), it runs at 1980 MHz.
void setSmClock(std::function<std::uint64_t(std::uint64_t ns)> cyclesAt);
std::uint64_t smCyclesAt(std::uint64_t ns);

// Sets the memory that is free now, until reset().
void setFreeMemory(std::size_t bytes);

// What the simulated driver takes of the device's memory: for an exec, for each of its nodes, and
// for each of its nodes at its first launch or upload. The memory that graphs allocate grows in
// whole granules. Numbers that tell these apart, not those of a driver.
inline constexpr std::size_t execBytes = std::size_t{1} << 20, execNodeBytes = std::size_t{1} << 10,
                             uploadNodeBytes = std::size_t{1} << 12,
                             poolGranularity = std::size_t{2} << 20;

// Makes the nth call from now (1 is the next) of exactly this function ("cudaGraphLaunch",
// "cuGraphAddKernelNode_v2") do nothing and return this error. Several of these for one function
// count independently.
void failCall(std::string_view function, unsigned nth, int error);

// The number of calls of a function since reset().
unsigned callCount(std::string_view function);

// Whether this thread is inside a CUDA call. What it then allocates belongs to the device.
bool inCall();

// One thing that the device executed.
struct Executed {
  std::string name; // the kernel's name, or "memcpy", "memset", "host", "event", "graph"
  unsigned long long stream;
  std::uint64_t startNs;
  std::uint64_t endNs;
};

// What the device executed since recordTimeline(true), in enqueueing order. Graph nodes are
// separate entries.
void recordTimeline(bool on);
std::vector<Executed> timeline();

// Destroys every stream, event, graph and allocation, and forgets durations, failures, counts and
// the clock. For use between tests, while no other thread is in a CUDA call.
void reset();

} // namespace cudasim

#endif // CUDASIM_CUDASIM_H
