// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/Process.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

#include <sys/auxv.h>
#include <unistd.h>

#include "output/data/Origin.h"
#include "output/io/File.h"
#include "session/ReadConfig.h"

namespace graphprof {

namespace {

// That of this process. Leaked; so is the one that a forked child inherits.
std::atomic<Process *> current{nullptr};

Config configured() {
  Config off;
  off.enabled = false;
  if (getauxval(AT_SECURE) != 0) // a setuid program: its environment is another user's
    return off;
  return readConfig(variableOf, environ);
}

Process &firstOfProcess() noexcept {
  static Process *const process = []() noexcept {
    alignas(Process) static std::array<std::byte, sizeof(Process)> memory;
    try {
      return new (memory.data()) Process(configured(), std::make_shared<Backends>());
    } catch (...) {
      writeError("graphprof: switched off: no memory\n");
      Config off;
      off.enabled = false;
      return new (memory.data()) Process(std::move(off), nullptr);
    }
  }();
  Process *none = nullptr;
  current.compare_exchange_strong(none, process);
  return *process;
}

} // namespace

Process::Process(Config config, std::shared_ptr<Backends> backends)
    : backends(std::move(backends)), session(std::move(config)) {}

Process &Process::instance() noexcept {
  Process *const process = current.load(std::memory_order_acquire);
  return process ? *process : firstOfProcess();
}

bool Process::renew() noexcept try {
  const Process &parents = instance();
  Config config = parents.session.config();
  config.complaints.clear(); // the parent has reported them
  config.forked = true;
  auto own = std::make_unique<Process>(std::move(config), parents.backends);
  own->session.recordingSwitch.permit(parents.session.recordingSwitch.permitted());
  own->startedRanges.continueFrom(parents.startedRanges);
  current.store(own.release(), std::memory_order_release);
  return true;
} catch (...) {
  return false;
}

} // namespace graphprof
