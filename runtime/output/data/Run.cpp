// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Run.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno> // program_invocation_short_name
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <unistd.h>

#include "output/data/Origin.h"

namespace graphprof {

namespace {

using Variable = std::function<const char *(const char *)>;

// A whole number; -1 if there is none.
std::int64_t number(const char *name, const Variable &variable) {
  const char *const value = name ? variable(name) : nullptr;
  if (!value)
    return -1;
  const char *const end = value + std::strlen(value);
  std::int64_t found = -1;
  const auto [stop, error] = std::from_chars(value, end, found);
  return error == std::errc() && stop == end ? std::max<std::int64_t>(found, -1) : -1;
}

// The variables in which a launcher gives a process's number, and how many there are.
struct Launcher {
  const char *rank, *ranks;
};
constexpr std::array launchers = {Launcher{"RANK", "WORLD_SIZE"},
                                  Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                  Launcher{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                  Launcher{"PMI_RANK", "PMI_SIZE"},
                                  Launcher{"PMIX_RANK", nullptr},
                                  Launcher{"SLURM_PROCID", "SLURM_NTASKS"}};

const Launcher *launcherOf(const Variable &variable) {
  const auto *const found =
      std::find_if(launchers.begin(), launchers.end(),
                   [&](const Launcher &launcher) { return number(launcher.rank, variable) >= 0; });
  return found == launchers.end() ? nullptr : found;
}

} // namespace

std::int64_t rankOf(const Variable &variable) {
  const Launcher *const launcher = launcherOf(variable);
  return launcher ? number(launcher->rank, variable) : 0;
}

bool isInJob(const Variable &variable) { return launcherOf(variable) != nullptr; }

std::int64_t ranksOf(const Variable &variable) {
  const Launcher *const launcher = launcherOf(variable);
  return launcher ? std::max<std::int64_t>(number(launcher->ranks, variable), 0) : 0;
}

namespace {

std::atomic<const Run *> known{nullptr}; // leaked: outputs use it until the process ends

std::unique_ptr<const Run> describe() {
  auto found = std::make_unique<Run>();
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0)
    found->host = host.data();
  found->program = program_invocation_short_name;
  found->pid = ::getpid();
  const auto variable = [](const char *name) -> const char * { return secure_getenv(name); };
  found->rank = rankOf(variable);
  found->ranks = ranksOf(variable);
  found->inJob = isInJob(variable);
  found->localRank = number("LOCAL_RANK", variable);
  found->localRanks = number("LOCAL_WORLD_SIZE", variable);
  found->node = number("GROUP_RANK", variable);
  found->beganNs = origin().pid == ::getpid() // otherwise it is a forked child's parent's
                       ? origin().beganNs
                       : std::chrono::duration_cast<std::chrono::nanoseconds>(
                             std::chrono::system_clock::now().time_since_epoch())
                             .count();
  return found;
}

} // namespace

const Run &thisRun() {
  if (const Run *const run = known.load())
    return *run;
  std::unique_ptr<const Run> found = describe();
  const Run *first = nullptr; // what another thread found
  return known.compare_exchange_strong(first, found.get()) ? *found.release() : *first;
}

void forgetRun() noexcept { known.store(nullptr); }

} // namespace graphprof
