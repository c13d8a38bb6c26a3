// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Why a call of graphprof's own backends failed (graphprof_backend::why). One text per thread;
// needs no memory, because the texts are literals.

#ifndef GRAPHPROF_BACKEND_STATUS_H
#define GRAPHPROF_BACKEND_STATUS_H

#include "graphprof/backend.h"

namespace graphprof {

namespace internal {
inline const char *&backendReason() noexcept {
  thread_local const char *reason = "nothing failed";
  return reason;
}
} // namespace internal

inline const char *backendWhy() noexcept { return internal::backendReason(); }

inline graphprof_backend_status backendFailed(const char *why) noexcept {
  internal::backendReason() = why;
  return graphprof_backend_failed;
}
inline graphprof_backend_status backendInvalid(const char *why) noexcept {
  internal::backendReason() = why;
  return graphprof_backend_invalid;
}

} // namespace graphprof

#endif // GRAPHPROF_BACKEND_STATUS_H
