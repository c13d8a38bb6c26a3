// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/Interrupted.h"

#include <unwind.h>

namespace graphprof {

namespace {

// For each frame the unwinder knows whether it was interrupted by a signal: the address in such a
// frame does not follow a call.
_Unwind_Reason_Code look(_Unwind_Context *context, void *found) {
  int interrupted = 0;
  _Unwind_GetIPInfo(context, &interrupted);
  *static_cast<bool *>(found) = interrupted != 0;
  return interrupted != 0 ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

} // namespace

bool mayBeInterrupted() noexcept {
  bool found = false;
  const _Unwind_Reason_Code reason = _Unwind_Backtrace(look, &found);
  return found || reason != _URC_END_OF_STACK;
}

} // namespace graphprof
