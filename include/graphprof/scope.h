// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The guard that times a scope. graphprof-instrument replaces each attribute by one. Includes no
// CUDA header: the stream is the driver's own handle type, which the runtime API shares.

#ifndef GRAPHPROF_SCOPE_H
#define GRAPHPROF_SCOPE_H

#include <cstddef>

#include "graphprof/control.h"
#include "graphprof/detail/export.h"
#include "graphprof/detail/format_check.h"
#include "graphprof/flops.h" // for annotations, whose source includes nothing
#include "graphprof/site.h"
#include "graphprof/value_ref.h"

struct CUstream_st; // cudaStream_t and CUstream are both CUstream_st *

namespace graphprof {

class FlatRegion; // the library's own: a Scope with as many values as it is given (capi.h)

inline namespace v1 {

/// The stream whose work a region times.
class StreamRef {
public:
  /// `stream` as CUDA's driver API takes it. 0 and 1 are the legacy default stream, 2 is the
  /// per-thread default stream.
  explicit StreamRef(CUstream_st *stream) : stream_(stream), known_(true) {}
  /// The stream that this thread is capturing. If it captures none, the region gets a host time
  /// only.
  static StreamRef captured() { return StreamRef(); }

  [[nodiscard]] CUstream_st *get() const { return stream_; }
  [[nodiscard]] bool known() const { return known_; }

private:
  StreamRef() = default;
  CUstream_st *stream_ = nullptr;
  bool known_ = false;
};

/// For a region whose stream is not known where it begins: StreamRef::captured().
inline StreamRef on_capture() { return StreamRef::captured(); }

namespace detail {
/// A site whose name Name::text() tells the compiler.
template <class Name> struct Named {
  const Site &site;
};
template <class Name> Named<Name> named(const Site &site) noexcept { return {site}; }
} // namespace detail

/// Times what the GPU does in one stream between the guard's construction and its destruction. If
/// the stream is being captured, the region is timed in every replay of the graph; otherwise once.
/// Regions nest. Destroy a Scope on the thread that made it, in reverse order of construction.
///
///     static const graphprof::Site site{"attention {}", __FILE__, __LINE__, __func__};
///     graphprof::Scope scope(site, graphprof::StreamRef(stream), layer);
///
/// Never throws, and never changes the program's CUDA error state. Costs a load and a branch when
/// graphprof is disabled.
///
/// Sources: Profiler.time in the post "Transparent Profiling for PyTorch CUDA Graphs", and
/// nvtx3::scoped_range.
class GRAPHPROF_API Scope {
public:
  /// A guard that times nothing.
  Scope() noexcept = default;

  template <class... Values>
  Scope(const Site &site, StreamRef stream, const Values &...values) noexcept {
    const ValueRef context[] = {ValueRef(values)...,
                                ValueRef(0)}; // the last one only keeps the array non-empty
    begin(site, stream, context, sizeof...(Values));
  }
  /// As the macros below make it: the compiler checks the name against the values.
  template <class Name, class... Values>
  Scope(detail::Named<Name> named, StreamRef stream, const Values &...values) noexcept
      : Scope(named.site, stream, values...) {
    constexpr detail::FormatResult name = detail::checkFormat<Values...>(Name::text());
    static_assert(name.fault != detail::FormatFault::NoValue,
                  "graphprof: the region's name has a '{}' for which no value is given");
    static_assert(name.fault != detail::FormatFault::WrongType &&
                      name.fault != detail::FormatFault::NoInteger,
                  "graphprof: the region's name formats a value as its type does not allow, a "
                  "'{:d}' for a floating-point number say");
    static_assert(
        name.fault == detail::FormatFault::None || name.fault == detail::FormatFault::NoValue ||
            name.fault == detail::FormatFault::WrongType ||
            name.fault == detail::FormatFault::NoInteger,
        "graphprof: the region's name is no format string; write '{{' and '}}' for braces");
  }
  ~Scope() {
    if (region_)
      end();
  }
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

  /// Ends the region now, without a record, because what it should time did not happen. Must be the
  /// newest Scope of this thread.
  void discard() noexcept;

private:
  friend class graphprof::FlatRegion;
  void begin(const Site &site, StreamRef stream, const ValueRef *context,
             std::size_t size) noexcept;
  void begin(const Site &site, StreamRef stream, const Value *context, std::size_t size) noexcept;
  void end() noexcept;

  void *region_ = nullptr; // runtime/api/OpenRegion, owned by this thread's stack of open regions
};

namespace detail {
struct FunctionName {
  const char *text;
};
} // namespace detail

} // namespace v1
} // namespace graphprof

// Opens a region until the end of the enclosing scope:
//
//     GRAPHPROF_SCOPE(1, "mlp {}", graphprof::on_stream(s), layer, graphprof::key("batch", b));
//
// or, as an operand of an expression, until the end of the full expression:
//
//     CHECK((GRAPHPROF_TIMED(1, "scale", ::graphprof::on_stream(stream)), launchScale(stream)));
//
// - `id` tells several guards in one scope apart.
// - `name` is a string literal or another constant expression. The compiler checks it against the
//   values. For a name that is made at run time, make a Site and a Scope by hand.
// - Stream and values are evaluated once, and only while graphprof is active.
// - In the device pass of a __host__ __device__ function both macros are empty.
//
// Both expand to text without a comma outside of parentheses, because a guard may be part of an
// argument that one macro passes to another.
//
// GRAPHPROF_TIMED has type void, so that no overloaded comma operator takes it. Its lambda only
// holds the site. Its parameter type is FunctionName, which no lambda of the program's has: so the
// program's own lambdas keep their numbers, by which host and device code name the kernels made
// from them.
#ifdef __CUDA_ARCH__
#define GRAPHPROF_SCOPE(id, name, ...) static_assert(true, "")
#define GRAPHPROF_TIMED(id, name, ...) static_cast<void>(0)
#else
#define GRAPHPROF_SCOPE(id, name, ...)                                                             \
  struct GraphprofName##id {                                                                       \
    static constexpr const char *text() { return name; }                                           \
  };                                                                                               \
  static const ::graphprof::Site graphprofSite##id(name, __FILE__, __LINE__, __func__);            \
  const ::graphprof::Scope graphprofScope##id =                                                    \
      ::graphprof::active()                                                                        \
          ? ::graphprof::Scope(::graphprof::detail::named<GraphprofName##id>(graphprofSite##id),   \
                               __VA_ARGS__)                                                        \
          : ::graphprof::Scope()
#define GRAPHPROF_TIMED(id, name, ...)                                                             \
  static_cast<void>(::graphprof::active()                                                          \
                        ? ::graphprof::Scope(                                                      \
                              [](::graphprof::detail::FunctionName function) {                     \
                                struct GraphprofName {                                             \
                                  static constexpr const char *text() { return name; }             \
                                };                                                                 \
                                static const ::graphprof::Site site{name, __FILE__, __LINE__,      \
                                                                    function.text};                \
                                return ::graphprof::detail::named<GraphprofName>(site);            \
                              }(::graphprof::detail::FunctionName{__builtin_FUNCTION()}),          \
                              __VA_ARGS__)                                                         \
                        : ::graphprof::Scope())
#endif

#endif // GRAPHPROF_SCOPE_H
