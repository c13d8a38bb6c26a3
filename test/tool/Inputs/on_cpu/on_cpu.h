// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs a kernel and its timed twin, as the tool wrote it, on the CPU.

#pragma once

#include <initializer_list>

#include "cuda_runtime.h"

/// Behind the kernels at file scope: where a kernel's `extern __shared__ <type> <name>[]` is.
#if defined(__CUDA__)
#define ON_CPU_DYNAMIC(type, name, count)
#else
#define ON_CPU_DYNAMIC(type, name, count) thread_local type name[count];
#endif

namespace on_cpu {

/// What a kernel writes, which is compared.
struct Memory {
  void *data;
  size_t bytes;
};
template <class T, size_t Count> Memory all(T (&array)[Count]) { return {array, sizeof(array)}; }

struct Launch {
  dim3 grid, block;
  unsigned warpsPerBlock = 1; // of those that write
  unsigned everyBlock = 1;
  unsigned entriesPerWarp = 1000;
};

#if !defined(__CUDA__)
} // namespace on_cpu

#include "graphprof/device/recording.h"

namespace on_cpu {

using Recording = graphprof::device::Recording;

/// Calls something with arguments of a kernel, once for each thread.
struct Body {
  virtual void run(const Recording &recording) const = 0;

protected:
  ~Body() = default;
};

/// What the tool registered for the kernel; ends the program if that is nothing.
const graphprof::device::Twin &twinOf(const void *kernel);

/// Runs the kernel, the twin without a recording and the twin with one, each with the memory that
/// there was before. Prints whether all left the same bytes, and what each sampled warp wrote:
///
///     scale<4>: same bytes
///     block 0, warp 0: load product{step step}
void compare(const graphprof::device::Twin &twin, const Launch &how, std::initializer_list<Memory> memory,
             const Body &kernel, const Body &timed);

template <class... Parameters, class... Arguments>
void compare(void (*kernel)(Parameters...), const Launch &how, std::initializer_list<Memory> memory,
             Arguments... arguments) {
  const graphprof::device::Twin &twin = twinOf(reinterpret_cast<const void *>(kernel));
  const auto asKernel = [=](const Recording &) { kernel(arguments...); };
  const auto asTwin = [=, &twin](const Recording &recording) {
    reinterpret_cast<void (*)(Recording, Parameters...)>(const_cast<void *>(twin.twin))(recording, arguments...);
  };
  const auto bodyOf = [](const auto &call) {
    struct Calls : Body {
      explicit Calls(decltype(call) call) : call(call) {}
      void run(const Recording &recording) const override { call(recording); }
      decltype(call) call;
    };
    return Calls(call);
  };
  compare(twin, how, memory, bodyOf(asKernel), bodyOf(asTwin));
}
#else
template <class... Parameters, class... Arguments>
void compare(void (*kernel)(Parameters...), const Launch &how, std::initializer_list<Memory> memory,
             Arguments... arguments);
#endif

} // namespace on_cpu
