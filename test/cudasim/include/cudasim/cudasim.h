// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How a test steers the simulated device: what kernels do and how long they take, the virtual
// clock, failures on order, and a look at what the device executed. Nothing here exists in CUDA.
// Every function is thread-safe and may also be called from a kernel's host function. Times are
// nanoseconds of the virtual clock.
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

// What a kernel does: params as its launch gave them (copied then), and its time on the device.
using KernelBody = std::function<void(void **params, std::uint64_t startNs, std::uint64_t endNs)>;

// How long a kernel takes, from its parameters.
using KernelDuration = std::function<std::uint64_t(void **params)>;

inline constexpr std::uint64_t kDefaultDuration = ~std::uint64_t{0};

// What the overloads for __global__ functions below call.
void registerKernelAt(const void *function, std::vector<std::size_t> paramSizes, KernelBody body,
                      std::uint64_t durationNs);
void setKernelDurationAt(const void *function, std::uint64_t durationNs);

// Gives a kernel a body. A kernel is named as in an image (cuLibraryGetKernel), by its mangled
// name, by its qualified name without parameters ("ns::scale<float>"), by the bare name ("scale"),
// or by its __global__ function, which tells the sizes itself. paramSizes are the sizes of its
// parameters in bytes, in order: what a real image tells CUDA. A null body computes nothing.
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

// What a kernel does about programmatic edges, which the simulation cannot read from its code:
// whether it waits at its begin until those that it depends on so have completed
// (cudaGridDependencySynchronize), and whether it then lets those begin that depend on it so
// (cudaTriggerProgrammaticLaunchCompletion); otherwise they begin when it has ended. A kernel of
// which nothing is said does both. A waiting kernel's body is told the time when the wait was over.
// Survives reset().
struct Overlap {
  bool waits = true;
  bool triggers = true;
};
void setKernelOverlap(std::string_view name, Overlap overlap);
// In the body of a kernel: when it began, before it waited.
std::uint64_t bodyBeganNs();

// What a kernel takes of a multiprocessor, which decides how many of its blocks run at once. What
// hangs on the launch completion of one whose blocks fill the device begins when it ends; of one
// that comes in waves, when the last of them begins. Survives reset().
struct Resources {
  unsigned registersPerThread = 32;
  std::size_t staticSharedBytes = 0;
};
void setKernelResources(std::string_view name, Resources resources);

// Sets a duration over the registered or default one, until reset(). The default is a few
// microseconds, derived from the kernel's name and grid alone.
void setKernelDuration(std::string_view name, std::uint64_t durationNs);
template <typename... Params>
void setKernelDuration(void (*function)(Params...), std::uint64_t durationNs) {
  setKernelDurationAt(reinterpret_cast<const void *>(function), durationNs);
}

// cudaGraphSetConditional, for the host function of a kernel that calls it.
void setConditional(unsigned long long handle, unsigned value);

// The virtual clock as the calling thread's host code sees it. It moves by the cost of each API
// call, by synchronising calls, and by advanceNs().
std::uint64_t nowNs();
void advanceNs(std::uint64_t ns);
void setCallCost(std::uint64_t ns);

// How far graphprof's stamp kernels see %globaltimer move at once. It is 1 at first, and survives
// reset().
void setTimerStep(std::uint64_t ns);

// The L2 cache: a kernel's duration says what it uses, and takes as long as what it finds. Returns
// how many of the bytes were not there. Fills and copies use it, too.
std::size_t useL2(const void *data, std::size_t bytes);

// The SM clock, 1980 MHz at first and after reset(): how many cycles have passed at a time of the
// virtual clock.
void setSmClock(std::function<std::uint64_t(std::uint64_t ns)> cyclesAt);
std::uint64_t smCyclesAt(std::uint64_t ns);

// What cudaMemGetInfo says is free; until reset().
void setFreeMemory(std::size_t bytes);

// The nth call from now (1 is the next) of that exact function ("cudaGraphLaunch",
// "cuGraphAddKernelNode_v2") does nothing and returns that error. Several orders for one function
// are counted side by side.
void failCall(std::string_view function, unsigned nth, int error);

// How often a function was called since reset().
unsigned callCount(std::string_view function);

// Whether this thread is in a call of CUDA's: what it allocates meanwhile is the device's own.
bool inCall();

// One thing that the device executed.
struct Executed {
  std::string name; // the kernel's name, else "memcpy", "memset", "host", "event", "graph"
  unsigned long long stream;
  std::uint64_t startNs;
  std::uint64_t endNs;
};

// What the device executed since recordTimeline(true), in the order of enqueueing; graph nodes one
// by one.
void recordTimeline(bool on);
std::vector<Executed> timeline();

// Destroys every stream, event, graph and allocation, and forgets durations, failures, counts and
// the clock. For use between tests, while no other thread is in a CUDA call.
void reset();

} // namespace cudasim

#endif // CUDASIM_CUDASIM_H
