// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_EDGE_H
#define GRAPHPROF_EDGE_H

#include <cfenv>

#include "NoCancellation.h"

namespace graphprof {

/// While it lives, this thread computes as graphprof expects: rounding to nearest, and no trap for
/// an inexact result. Programs that compute may have other settings, which threads inherit, and
/// get theirs back.
class OwnFloats {
public:
  OwnFloats() noexcept : changed_(!isDefault()) {
    if (changed_) {
      std::fegetenv(&before_);
      std::fesetenv(FE_DFL_ENV);
    }
  }
  ~OwnFloats() {
    if (changed_)
      std::fesetenv(&before_);
  }
  OwnFloats(const OwnFloats &) = delete;
  OwnFloats &operator=(const OwnFloats &) = delete;

  /// For a call of the program's meanwhile: gives the thread back what it had, then takes it again.
  void suspend() const noexcept {
    if (changed_)
      std::fesetenv(&before_);
  }
  void resume() const noexcept {
    if (changed_)
      std::fesetenv(FE_DFL_ENV);
  }

private:
  static bool isDefault() noexcept {
#if defined(__x86_64__)
    constexpr unsigned flags = 0x3f, byDefault = 0x1f80; // fegetenv() takes longer than a region
    return (__builtin_ia32_stmxcsr() & ~flags) == byDefault;
#else
    return ::fegetexcept() == 0 && std::fegetround() == FE_TONEAREST;
#endif
  }

  std::fenv_t before_{};
  const bool changed_;
};

/// At the begin of each function that the program calls and that may wait, write or compute.
class Edge {
public:
  /// Makes the call that the program asked for. It may run the program's code on this thread, which
  /// computes, throws, or ends its thread as without graphprof.
  template <class Call> auto passOn(Call call) {
    isPassing_ = true;
    const auto result = [&] {
      const Suspended suspended(*this);
      return call();
    }();
    isPassing_ = false;
    return result;
  }
  /// In a handler: did what was thrown come out of that call?
  [[nodiscard]] bool isProgramsThrow() const noexcept { return isPassing_; }

private:
  class Suspended {
  public:
    explicit Suspended(const Edge &edge) : edge_(edge) {
      edge_.floats_.suspend();
      edge_.cancellation_.suspend(); // may end the thread
    }
    ~Suspended() {
      edge_.cancellation_.resume();
      edge_.floats_.resume();
    }
    Suspended(const Suspended &) = delete;
    Suspended &operator=(const Suspended &) = delete;

  private:
    const Edge &edge_;
  };

  const NoCancellation cancellation_;
  const OwnFloats floats_;
  bool isPassing_ = false;
};

} // namespace graphprof

#endif // GRAPHPROF_EDGE_H
