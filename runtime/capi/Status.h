// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What all functions of graphprof/capi.h have in common: a status with a text for each thread, and
// structs of callers that were compiled with another release.

#ifndef GRAPHPROF_CAPI_STATUS_H
#define GRAPHPROF_CAPI_STATUS_H

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

#include "graphprof/capi.h"

namespace graphprof::capi {

/// Keeps the text for graphprof_capi_last_error(), and returns `status`.
int failed(graphprof_capi_status status, std::string_view text) noexcept;
/// The same for an argument that must not be NULL.
int missing(std::string_view argument) noexcept;

/// A failure with its status.
struct Failure {
  graphprof_capi_status status;
  std::string text;
};

/// Runs `work`, which may throw Failure or any exception. Returns a status.
template <class Work> int guarded(Work work) noexcept try {
  work();
  return graphprof_capi_ok;
} catch (const Failure &failure) {
  return failed(failure.status, failure.text);
} catch (const std::bad_alloc &) {
  return failed(graphprof_capi_no_memory, "no memory");
} catch (const std::exception &failure) {
  return failed(graphprof_capi_failed, failure.what());
} catch (...) {
  return failed(graphprof_capi_failed, "an unknown exception");
}

/// The caller's struct; what it lacks is 0. False, if it is NULL or has no size.
template <class Struct> bool read(const Struct *from, Struct &all) noexcept {
  static_assert(std::is_trivially_copyable_v<Struct>);
  all = {};
  if (!from || from->size < sizeof(std::size_t))
    return false;
  std::memcpy(&all, from, std::min(from->size, sizeof all));
  return true;
}
/// Fills the caller's struct as far as it goes.
template <class Struct> bool write(Struct *to, Struct value) noexcept {
  static_assert(std::is_trivially_copyable_v<Struct>);
  if (!to || to->size < sizeof(std::size_t))
    return false;
  value.size = to->size;
  std::memcpy(to, &value, std::min(to->size, sizeof value));
  return true;
}

/// A copy for the caller, for graphprof_capi_free(). Throws std::bad_alloc.
[[nodiscard]] char *textFor(std::string_view text);

} // namespace graphprof::capi

#endif // GRAPHPROF_CAPI_STATUS_H
