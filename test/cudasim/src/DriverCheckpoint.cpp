// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Checkpoint and restore of this process: its states, and that calls of other threads wait while it
// is locked. The memory stays where it is. The driver does this for any process; here it is the
// caller's own, and the thread that locks goes through all steps.

#include "Call.h"

#include <atomic>

#include <unistd.h>

using namespace cudasim;

namespace {

enum class State : int { Running, Locked, Checkpointed }; // CUprocessState
std::atomic<State> state{State::Running};

// As CUresult. From one state to the next, with `step` between.
template <typename Step> int change(int process, State from, State to, Step &&step) {
  if (process != getpid())
    return cudaErrorInvalidValue;
  if (state.load() != from)
    return cudaErrorIllegalState;
  step();
  state.store(to);
  return cudaSuccess;
}

} // namespace

extern "C" {

int cuCheckpointProcessGetState(int process, int *told) {
  if (process != getpid() || !told)
    return cudaErrorInvalidValue;
  *told = static_cast<int>(state.load());
  return cudaSuccess;
}

int cuCheckpointProcessGetRestoreThreadId(int process, int *thread) {
  if (process != getpid() || !thread)
    return cudaErrorInvalidValue;
  *thread = gettid();
  return cudaSuccess;
}

int cuCheckpointProcessLock(int process, void *) {
  return change(process, State::Running, State::Locked, [] { device().lock.lock(); });
}

int cuCheckpointProcessCheckpoint(int process, void *) {
  return change(process, State::Locked, State::Checkpointed, [] {});
}

int cuCheckpointProcessRestore(int process, void *) {
  return change(process, State::Checkpointed, State::Locked, [] {});
}

int cuCheckpointProcessUnlock(int process, void *) {
  return change(process, State::Locked, State::Running, [] { device().lock.unlock(); });
}

} // extern "C"
