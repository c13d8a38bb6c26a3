// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphprof-instrument inserts for regions inside kernels: a timed twin behind each kernel
// with annotated statements, which only a profiled exec runs. Not for programs to use.
//
// In the twin, lane 0 of chosen warps writes the begins and ends of scopes to entries of that
// warp's own. No thread waits for another, and nothing is shared, so there are no atomics; a warp
// whose entries are full only counts. A thread keeps three registers. The threads of all other
// warps test one of them at each begin and end.

#ifndef GRAPHPROF_DEVICE_TWIN_H
#define GRAPHPROF_DEVICE_TWIN_H

#include <cuda_runtime_api.h>

#include <type_traits>

#include "graphprof/device/recording.h"

// The parameter stays in the constant bank, where all threads read it.
#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700) &&                    \
    !defined(GRAPHPROF_NO_GRID_CONSTANT) && !defined(__clang__)
#define GRAPHPROF_RECORDING const __grid_constant__ ::graphprof::device::Recording
#else
#define GRAPHPROF_RECORDING const ::graphprof::device::Recording
#endif

namespace graphprof {
inline namespace v1 {
namespace device {

#if defined(__CUDACC__) || defined(__CUDA__)

/// The compiler moves no access to memory over it: what a scope holds stays in it.
inline __device__ unsigned clockNow() {
  unsigned time = 0;
#if defined(__CUDA_ARCH__)
  asm volatile("mov.u32 %0, %%clock;" : "=r"(time)::"memory");
#endif
  return time;
}
inline __device__ unsigned long long timerNow() {
  unsigned long long ns = 0;
#if defined(__CUDA_ARCH__)
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
#endif
  return ns;
}
inline __device__ unsigned thisMultiprocessor() {
  unsigned number = 0;
#if defined(__CUDA_ARCH__)
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
#endif
  return number;
}

/// Of one thread, from the twin's first statement to any return.
class Recorder {
public:
  __device__ explicit Recorder(const Recording &recording) : recording_(recording) {
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (thread / 32 >= recording.warpsPerBlock || block % recording.everyBlock != 0 ||
        !recording.sequence)
      return;
    const unsigned warp = block / recording.everyBlock * recording.warpsPerBlock + thread / 32;
    if (warp >= recording.warpsPerReplay)
      return;
    const unsigned long long sequence =
        *static_cast<const volatile unsigned long long *>(recording.sequence);
    tag_ = (static_cast<unsigned>(sequence) % 0xFFFFU + 1) << 16; // tagOf()
    if (thread % 32 != 0)
      return;
    const unsigned place =
        static_cast<unsigned>(sequence) % recording.depth * recording.warpsPerReplay + warp;
    next_ = place * recording.entriesPerWarp;
    end_ = next_ + recording.entriesPerWarp;
    Warp &mine = recording.warps[place];
    mine.multiprocessor = thisMultiprocessor();
    mine.beginNs = timerNow();
    mine.beginClock = clockNow();
  }
  __device__ ~Recorder() {
    if (end_ == 0)
      return;
    Warp &mine = recording_.warps[end_ / recording_.entriesPerWarp - 1];
    mine.endClock = clockNow();
    mine.endNs = timerNow();
    const unsigned count = next_ - (end_ - recording_.entriesPerWarp);
    *static_cast<volatile unsigned *>(&mine.state) =
        tag_ | (count < mostEntries ? count : mostEntries);
  }
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  __device__ void add(unsigned scope) {
    if (tag_ == 0)
      return;
#if defined(__CUDA_ARCH__)
    // One predicated store: the warp does not part over which of its lanes writes.
    asm volatile("{\n\t.reg .pred writes;\n\t.reg .u32 now;\n\t"
                 "mov.u32 now, %%clock;\n\t"
                 "setp.lt.u32 writes, %0, %1;\n\t"
                 "@writes st.v2.u32 [%2], {now, %3};\n\t}"
                 :
                 : "r"(next_), "r"(end_), "l"(recording_.entries + next_), "r"(tag_ | scope)
                 : "memory");
#else
    if (next_ < end_)
      recording_.entries[next_] = Entry{clockNow(), tag_ | scope};
#endif
    ++next_;
  }

private:
  const Recording &recording_;  // the kernel's parameter
  unsigned tag_ = 0;            // of the replay << 16; 0: the warp writes nothing
  unsigned next_ = 0, end_ = 0; // of the warp's entries; both 0 but in lane 0
};

/// Around an annotated statement. A return, a break, a goto out of it write its end, too.
class Scope {
public:
  __device__ Scope(Recorder &recorder, unsigned scope) : recorder_(recorder) {
    recorder_.add(scope);
  }
  __device__ ~Scope() { recorder_.add(scopeEnd); }
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

private:
  Recorder &recorder_;
};

#endif

// `find` is a function of cudart's. Its error is not the program's.
template <class Handle>
bool resolveWith(cudaError_t (*find)(Handle *, const void *), const void *address, void **to) {
  const bool hadError = cudaPeekAtLastError() != cudaSuccess;
  Handle found = nullptr;
  if (find(&found, address) == cudaSuccess) {
    *to = found;
    return true;
  }
  if (!hadError)
    (void)cudaGetLastError();
  return false;
}
inline bool resolveTwin(const void *address, void **function) {
  return resolveWith<cudaFunction_t>(cudaGetFuncBySymbol, address, function);
}
#if CUDART_VERSION >= 12030
inline bool resolveTwinsKernel(const void *address, void **kernel) {
  return resolveWith<cudaKernel_t>(cudaGetKernel, address, kernel);
}
#endif

/// What of a parameter can be in a scope's name.
template <class T> constexpr ParameterType typeOfParameter() {
  if constexpr (std::is_enum_v<T>)
    return typeOfParameter<std::underlying_type_t<T>>();
  else if constexpr (std::is_integral_v<T> && sizeof(T) <= sizeof(unsigned long long))
    return {std::is_same_v<T, bool>   ? NumberKind::Boolean
            : std::is_same_v<T, char> ? NumberKind::Character
            : std::is_signed_v<T>     ? NumberKind::Signed
                                      : NumberKind::Unsigned,
            sizeof(T)};
  else
    return {NumberKind::None, 0};
}
template <class... Parameters> struct ParameterTypes {
  static constexpr ParameterType all[] = {typeOfParameter<std::remove_cv_t<Parameters>>()...,
                                          {NumberKind::None, 0}};
};

/// The values of a scope's name.
template <auto Value> struct Constant {
  static constexpr ScopeValue value{-1, typeOfParameter<std::remove_cv_t<decltype(Value)>>().kind,
                                    static_cast<unsigned long long>(Value)};
};
template <int Place> struct Parameter {
  static constexpr ScopeValue value{Place, NumberKind::None, 0};
};
template <class... Each> struct Values {
  static constexpr ScopeValue all[] = {Each::value...};
};

/// Host addresses, and which parameters the kernel has.
struct KernelAndTwin {
  template <class... Parameters>
  KernelAndTwin(void (*ofKernel)(Parameters...), void (*ofTwin)(Recording, Parameters...)) noexcept
      : parameters(sizeof...(Parameters)), types(ParameterTypes<Parameters...>::all),
        kernel(reinterpret_cast<const void *>(ofKernel)),
        twin(reinterpret_cast<const void *>(ofTwin)) {}
  unsigned parameters;
  const ParameterType *types;
  const void *kernel, *twin;
};

/// Tells the library of a twin while its shared object is loaded.
class RegisteredTwin {
public:
  template <unsigned Count>
  RegisteredTwin(const KernelAndTwin &both, const char *name,
                 const ScopeSite (&scopes)[Count]) noexcept
      : twin_{static_cast<unsigned>(sizeof(Twin)),
              both.parameters,
              both.types,
              both.kernel,
              both.twin,
              name,
              scopes,
              Count,
              resolveTwin,
#if CUDART_VERSION >= 12030
              resolveTwinsKernel,
#else
              nullptr,
#endif
              nullptr} {
    addTwin(&twin_);
  }
  ~RegisteredTwin() { removeTwin(&twin_); }
  RegisteredTwin(const RegisteredTwin &) = delete;
  RegisteredTwin &operator=(const RegisteredTwin &) = delete;

private:
  Twin twin_;
};

} // namespace device
} // namespace v1
} // namespace graphprof

/// Behind a twin: `kernel` and `twin` are its names, the rest are ScopeSites.
#define GRAPHPROF_TWIN(kernel, twin, ...)                                                          \
  [[maybe_unused]] static const ::graphprof::device::ScopeSite twin##_scopes[] = {__VA_ARGS__};    \
  [[maybe_unused]] static ::graphprof::device::RegisteredTwin twin##_registered(                   \
      ::graphprof::device::KernelAndTwin(kernel, twin), #kernel, twin##_scopes);

/// The scopes of kernels that are made of a template: `scopes` is their name, the rest are
/// ScopeSites.
#define GRAPHPROF_TWIN_SCOPES(scopes, ...)                                                         \
  [[maybe_unused]] static const ::graphprof::device::ScopeSite scopes[] = {__VA_ARGS__};

/// For a kernel that is made of a template. The rest are the kernel and its twin, whose arguments
/// may have commas.
#define GRAPHPROF_TWIN_INSTANCE(object, scopes, name, ...)                                         \
  [[maybe_unused]] static ::graphprof::device::RegisteredTwin object(                              \
      ::graphprof::device::KernelAndTwin(__VA_ARGS__), name, scopes);

#endif // GRAPHPROF_DEVICE_TWIN_H
