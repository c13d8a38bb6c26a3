// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Run.h"

#include <array>
#include <cerrno> // program_invocation_short_name
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace graphprof {

std::int64_t rankOf(const std::function<const char *(const char *)> &variable) {
  for (const char *name : {"RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMI_RANK",
                           "PMIX_RANK", "SLURM_PROCID"}) {
    const char *value = variable(name);
    if (!value)
      continue;
    const char *const end = value + std::strlen(value);
    std::int64_t rank = -1;
    const auto [stop, error] = std::from_chars(value, end, rank);
    if (error == std::errc() && stop == end && rank >= 0)
      return rank;
  }
  return 0;
}

const Run &thisRun() {
  static const Run *const run = [] {
    auto *found = new Run; // leaked: outputs use it until the very end
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) == 0)
      found->host = host.data();
    found->program = program_invocation_short_name;
    found->pid = ::getpid();
    found->rank = rankOf([](const char *name) -> const char * { return std::getenv(name); });
    found->beganNs = std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
    return found;
  }();
  return *run;
}

} // namespace graphprof
