// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Run.h"

#include <array>
#include <map>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

std::int64_t rank(const std::map<std::string, std::string> &environment) {
  return rankOf([&](const char *name) -> const char * {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Rank, IsZeroWhereNobodySays) { EXPECT_EQ(rank({}), 0); }

TEST(Rank, EveryLauncherIsUnderstood) {
  for (const char *name : {"RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMI_RANK",
                           "PMIX_RANK", "SLURM_PROCID"})
    EXPECT_EQ(rank({{name, "5"}}), 5) << name;
}

TEST(Rank, OfSeveralLaunchersTheInnerOneSays) {
  EXPECT_EQ(rank({{"SLURM_PROCID", "0"}, {"RANK", "6"}}), 6) << "torchrun, one a node, under srun";
  EXPECT_EQ(rank({{"SLURM_PROCID", "0"}, {"OMPI_COMM_WORLD_RANK", "2"}}), 2) << "mpirun in a job";
  EXPECT_EQ(rank({{"PMIX_RANK", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}), 3);
}

TEST(Rank, WhatIsNoWholeNumberIsPassedOver) {
  for (const char *value : {"", "-1", "one", "1x", " 1", "99999999999999999999"})
    EXPECT_EQ(rank({{"RANK", value}, {"SLURM_PROCID", "7"}}), 7) << value;
}

TEST(ThisRun, IsThisProcess) {
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  EXPECT_EQ(thisRun().host, host.data());
  EXPECT_EQ(thisRun().pid, ::getpid());
  EXPECT_EQ(thisRun().program, "session-tests");
  EXPECT_GT(thisRun().beganNs, 1'700'000'000'000'000'000);
}

} // namespace
