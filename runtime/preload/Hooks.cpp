// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Makes the driver's entry points from the lists of redirected calls. Each symbol gets a slot for
// the driver's function, a call of it, the form that tells libgraphprof, and the exported function,
// which chooses.

#include "preload/Hooks.h"

#include <climits>
#include <cstring>

#include "graphprof/detail/calls_driver.h"
#include "graphprof/detail/copies_driver.h"
#include "preload/Library.h"
#include "preload/abi/cuda.h"

#undef GRAPHPROF_ACTIVE
#define GRAPHPROF_ACTIVE (::graphprof::preload::loaded.active->load(std::memory_order_relaxed))

// Forms that only older functions have.
#define GRAPHPROF_FORM_InstantiatesWithLog(...) GRAPHPROF_INSTANTIATES(__VA_ARGS__, 0)
#define GRAPHPROF_FORM_MirrorsOlderKernel(api, declared, wrapper, function, parameters, arguments) \
  declared wrapper parameters {                                                                    \
    GRAPHPROF_MIRROR(api, function, arguments, graphprof_nameOfFunction(params->func, nullptr));   \
  }
#define GRAPHPROF_FORM_LaunchesKernel(stream, wrapper, function, parameters, arguments)            \
  inline CUresult wrapper parameters {                                                             \
    loaded.adding(GRAPHPROF_STREAM(stream), kernel);                                               \
    return function arguments;                                                                     \
  }
#define GRAPHPROF_FORM_MakesCurrent(current, wrapper, function, parameters, arguments)             \
  inline CUresult wrapper parameters {                                                             \
    const CUresult result = function arguments;                                                    \
    if (result == CUDA_SUCCESS)                                                                    \
      contextCurrent(current);                                                                     \
    return result;                                                                                 \
  }
#define GRAPHPROF_FORM_Copies(copy, stream, wrapper, function, parameters, arguments)              \
  inline CUresult wrapper parameters {                                                             \
    loaded.adding(GRAPHPROF_STREAM(stream), nullptr);                                              \
    void *const timed = graphprof_seam_inStep()                                                    \
                            ? graphprof_seam_copyBegins(copy, GRAPHPROF_STREAM(stream))            \
                            : nullptr;                                                             \
    const CUresult result = function arguments;                                                    \
    if (timed)                                                                                     \
      graphprof_seam_copyEnded(timed, result == CUDA_SUCCESS);                                     \
    return result;                                                                                 \
  }
#define GRAPHPROF_FORM_OnlyChecked(check, symbol, function, parameters, arguments)                 \
  inline CUresult symbol parameters {                                                              \
    if (checks())                                                                                  \
      check;                                                                                       \
    return function arguments;                                                                     \
  }
#define GRAPHPROF_NO_CHECK static_cast<void>(0)
#define GRAPHPROF_NO_STREAM nullptr

#define GRAPHPROF_HOOK(symbol, parameters, arguments, form)                                        \
  namespace slots {                                                                                \
  constinit Slot symbol{#symbol};                                                                  \
  }                                                                                                \
  namespace real {                                                                                 \
  inline CUresult symbol parameters {                                                              \
    using Function = CUresult parameters;                                                          \
    auto *const driversOwn = reinterpret_cast<Function *>(slots::symbol.get());                    \
    return driversOwn ? driversOwn arguments : CUDA_ERROR_NOT_FOUND;                               \
  }                                                                                                \
  }                                                                                                \
  namespace telling {                                                                              \
  form                                                                                             \
  }                                                                                                \
  extern "C" __attribute__((visibility("default"))) CUresult symbol parameters {                   \
    if (tells())                                                                                   \
      return telling::symbol arguments;                                                            \
    return checks() ? checked(#symbol, [&] { return telling::symbol arguments; })                  \
                    : real::symbol arguments;                                                      \
  }
#define GRAPHPROF_GRAPH_HOOK(symbol, form, parameters, arguments)                                  \
  GRAPHPROF_HOOK(                                                                                  \
      symbol, parameters, arguments,                                                               \
      GRAPHPROF_FORM_##form(Driver, inline CUresult, symbol, real::symbol, parameters, arguments))
#define GRAPHPROF_LAUNCH_HOOK(symbol, parameters, arguments, stream)                               \
  GRAPHPROF_HOOK(                                                                                  \
      symbol, parameters, arguments,                                                               \
      GRAPHPROF_FORM_LaunchesKernel(stream, symbol, real::symbol, parameters, arguments))
#define GRAPHPROF_CONTEXT_HOOK(symbol, parameters, arguments, current)                             \
  GRAPHPROF_HOOK(                                                                                  \
      symbol, parameters, arguments,                                                               \
      GRAPHPROF_FORM_MakesCurrent(current, symbol, real::symbol, parameters, arguments))
#define GRAPHPROF_COPY_HOOK(symbol, parameters, arguments, copy, stream)                           \
  GRAPHPROF_HOOK(symbol, parameters, arguments,                                                    \
                 GRAPHPROF_FORM_Copies(copy, stream, symbol, real::symbol, parameters, arguments))

#define GRAPHPROF_CHECKED_HOOK(symbol, parameters, arguments, check)                               \
  GRAPHPROF_HOOK(symbol, parameters, arguments,                                                    \
                 GRAPHPROF_FORM_OnlyChecked(check, symbol, real::symbol, parameters, arguments))

// The symbols of a row, by its exports: one for the default stream of all threads, and one for each
// thread's own.
#define GRAPHPROF_SHARED_None(hook, name, ...)
#define GRAPHPROF_SHARED_Plain(hook, name, ...) hook(name, __VA_ARGS__)
#define GRAPHPROF_SHARED_PerThread(hook, name, ...) hook(name, __VA_ARGS__)
#define GRAPHPROF_SHARED_PerThreadDefault(hook, name, ...) hook(name, __VA_ARGS__)
#define GRAPHPROF_SHARED_V2(hook, name, ...) hook(name##_v2, __VA_ARGS__)
#define GRAPHPROF_SHARED_V2PerThread(hook, name, ...) hook(name##_v2, __VA_ARGS__)
#define GRAPHPROF_SHARED_V2PerThreadDefault(hook, name, ...) hook(name##_v2, __VA_ARGS__)
#define GRAPHPROF_OWN_None(hook, name, ...)
#define GRAPHPROF_OWN_Plain(hook, name, ...)
#define GRAPHPROF_OWN_V2(hook, name, ...)
#define GRAPHPROF_OWN_PerThread(hook, name, ...) hook(name##_ptsz, __VA_ARGS__)
#define GRAPHPROF_OWN_PerThreadDefault(hook, name, ...) hook(name##_ptds, __VA_ARGS__)
#define GRAPHPROF_OWN_V2PerThread(hook, name, ...) hook(name##_v2_ptsz, __VA_ARGS__)
#define GRAPHPROF_OWN_V2PerThreadDefault(hook, name, ...) hook(name##_v2_ptds, __VA_ARGS__)

namespace graphprof::preload {

// What the forms call: in here it is not the function of that name, with which this library is not
// linked, but the one that was found in libgraphprof.so. Objects, because functions of both names
// would be found, the other by its arguments' types.
namespace telling {
#define GRAPHPROF_SEAM(name, result, parameters, arguments, idle)                                  \
  inline constexpr auto graphprof_seam_##name = [] parameters -> result {                          \
    return loaded.name arguments;                                                                  \
  };
#include "graphprof/detail/seam.def"
} // namespace telling

namespace {
// Not noexcept: the driver may run what throws, and a thread that is cancelled unwinds.
template <class Call> CUresult checked(const char *symbol, Call call) {
  loaded.checkCall(symbol);
  const CUresult result = call();
  if (result != CUDA_SUCCESS)
    loaded.checkRefused(symbol, result);
  return result;
}
} // namespace

// Which of the two the following passes use.
#undef GRAPHPROF_STREAM
#define GRAPHPROF_STREAM(stream) (stream)
#define GRAPHPROF_ROW(exports, ...) GRAPHPROF_SHARED_##exports(__VA_ARGS__)
#include "preload/hooks.def"

#undef GRAPHPROF_STREAM
#define GRAPHPROF_STREAM(stream) perThread(stream)
namespace {
// CU_STREAM_PER_THREAD
CUstream perThread(CUstream stream) noexcept {
  return stream ? stream : reinterpret_cast<CUstream>(uintptr_t{2});
}
} // namespace
#define GRAPHPROF_ROW(exports, ...) GRAPHPROF_OWN_##exports(__VA_ARGS__)
#include "preload/hooks.def"

const int newestVersion = CUDA_VERSION;

namespace {

// These functions have 64-bit sizes. No 64-bit program asks for an older version.
constexpr int sizesSince = 3020;
constexpr int edgesSince = 12030;

constexpr bool same(const char *left, const char *right) {
  for (; *left && *left == *right; ++left)
    ++right;
  return *left == *right;
}
// A name with an older function has no gap before its newest one.
constexpr bool hasOlder(const char *name) {
#define GRAPHPROF_DRIVER_OLDER(older, ...)                                                         \
  if (same(name, #older))                                                                          \
    return true;
#define GRAPHPROF_DRIVER_OLDER_COPY(older, ...)                                                    \
  if (same(name, #older))                                                                          \
    return true;
#include "graphprof/detail/calls_older.def"
  return false;
}
constexpr int since(const char *name, const char *symbol) {
  return same(name, symbol) || hasOlder(name) ? 0 : sizesSince;
}

// The version before which a row applies, by `where`.
#define GRAPHPROF_UNTIL_Any INT_MAX
#define GRAPHPROF_UNTIL_From12_3 INT_MAX
#define GRAPHPROF_UNTIL_From12_4 INT_MAX
#define GRAPHPROF_UNTIL_From13_2 INT_MAX
#define GRAPHPROF_UNTIL_From13_3 INT_MAX
#define GRAPHPROF_UNTIL_Before13 edgesSince
#define GRAPHPROF_UNTIL_InC INT_MAX
#define GRAPHPROF_UNTIL_Profiler INT_MAX

#define GRAPHPROF_ENTRY(symbol, name, since, until, perThread)                                     \
  {#symbol, name, since, until, perThread, reinterpret_cast<void *>(&symbol), &slots::symbol},
#define GRAPHPROF_ENTRIES(exports, name, text, since, until)                                       \
  GRAPHPROF_SHARED_##exports(GRAPHPROF_ENTRY, name, text, since, until, false)                     \
      GRAPHPROF_OWN_##exports(GRAPHPROF_ENTRY, name, text, since, until, true)

#define GRAPHPROF_CHECKED_ENTRY(symbol, name, since, until, perThread)                             \
  {#symbol, name, since, until, perThread, reinterpret_cast<void *>(&symbol), &slots::symbol, true},
#define GRAPHPROF_CHECKED_ENTRIES(exports, symbol, text, until)                                    \
  GRAPHPROF_SHARED_##exports(GRAPHPROF_CHECKED_ENTRY, symbol, text, 0, until, false)               \
      GRAPHPROF_OWN_##exports(GRAPHPROF_CHECKED_ENTRY, symbol, text, 0, until, true)

const Hook hooks[] = {
#define GRAPHPROF_DRIVER(name, form, where, exports, parameters, arguments)                        \
  GRAPHPROF_ENTRIES(exports, name, #name, 0, GRAPHPROF_UNTIL_##where)
#define GRAPHPROF_DRIVER_EDGES(name, form, exports, parameters, arguments)                         \
  GRAPHPROF_ENTRIES(exports, name, #name, edgesSince, INT_MAX)
#include "graphprof/detail/calls.def"
#define GRAPHPROF_DRIVER_COPY(name, exports, parameters, arguments, copy, stream)                  \
  GRAPHPROF_ENTRIES(exports, name, #name, 0, INT_MAX)
#include "graphprof/detail/copies.def"
#define GRAPHPROF_DRIVER_OLDER(name, until, symbol, form, exports, parameters, arguments)          \
  GRAPHPROF_ENTRIES(exports, symbol, #name, 0, until)
#define GRAPHPROF_DRIVER_OLDER_COPY(name, until, symbol, exports, parameters, arguments, copy,     \
                                    stream)                                                        \
  GRAPHPROF_ENTRIES(exports, symbol, #name, 0, until)
#include "graphprof/detail/calls_older.def"
#define GRAPHPROF_DRIVER_LAUNCH(name, exports, parameters, arguments, stream)                      \
  GRAPHPROF_ENTRIES(exports, name, #name, 0, INT_MAX)
#include "preload/launches.def"
#define GRAPHPROF_DRIVER_CONTEXT(name, until, symbol, parameters, arguments, current)              \
  GRAPHPROF_ENTRIES(Plain, symbol, #name, 0, until)
#include "preload/contexts.def"
#define GRAPHPROF_DRIVER_CHECKED(name, until, symbol, exports, parameters, arguments, check)       \
  GRAPHPROF_CHECKED_ENTRIES(exports, symbol, #name, until)
#include "preload/checked.def"
};

} // namespace

namespace {
// Programs that are not checked call the driver's own function.
const Hook *wanted(const Hook *hook) noexcept {
  return hook && hook->isOnlyChecked && !wantsChecks() ? nullptr : hook;
}
} // namespace

const Hook *hookOf(const char *symbol) noexcept {
  for (const Hook &hook : hooks)
    if (std::strcmp(hook.symbol, symbol) == 0)
      return wanted(&hook);
  return nullptr;
}

const Hook *hookOf(const char *name, int version, bool perThread, void *returned) noexcept {
  const Hook *best = nullptr;
  for (const Hook &hook : hooks) {
    if (std::strcmp(hook.name, name) != 0)
      continue;
    if (hook.slot->get() == returned)
      return wanted(&hook);
    // Of those that apply, takes the one that ends first; the thread's own one if it was asked for
    // and exists.
    if (version < hook.since || version < since(hook.name, hook.symbol) || version >= hook.until)
      continue;
    if (hook.perThread && !perThread)
      continue;
    if (!best || hook.until < best->until ||
        (hook.until == best->until && hook.perThread && !best->perThread))
      best = &hook;
  }
  return wanted(best);
}

} // namespace graphprof::preload
