// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Run.h"

#include <array>
#include <map>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

using Environment = std::map<std::string, std::string>;

auto variablesOf(const Environment &environment) {
  return [&environment](const char *name) -> const char * {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  };
}

std::int64_t rank(const Environment &environment) { return rankOf(variablesOf(environment)); }
std::int64_t ranks(const Environment &environment) { return ranksOf(variablesOf(environment)); }

TEST(Rank, IsZeroWhereNobodySays) { EXPECT_EQ(rank({}), 0); }

TEST(Rank, EveryLauncherIsUnderstood) {
  for (const char *name : {"RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMI_RANK",
                           "PMIX_RANK", "SLURM_PROCID"})
    EXPECT_EQ(rank({{name, "5"}}), 5) << name;
}

TEST(Rank, InnerLauncherSaysRank) {
  EXPECT_EQ(rank({{"SLURM_PROCID", "0"}, {"RANK", "6"}}), 6) << "torchrun, one a node, under srun";
  EXPECT_EQ(rank({{"SLURM_PROCID", "0"}, {"OMPI_COMM_WORLD_RANK", "2"}}), 2) << "mpirun in a job";
  EXPECT_EQ(rank({{"PMIX_RANK", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}), 3);
}

TEST(Rank, NoWholeNumberIsPassedOver) {
  for (const char *value : {"", "-1", "one", "1x", " 1", "99999999999999999999"})
    EXPECT_EQ(rank({{"RANK", value}, {"SLURM_PROCID", "7"}}), 7) << value;
}

TEST(Rank, LauncherSaysHowMany) {
  // The launcher that says the rank says how many ranks there are.
  EXPECT_EQ(ranks({}), 0);
  EXPECT_EQ(ranks({{"RANK", "1"}, {"WORLD_SIZE", "8"}}), 8);
  EXPECT_EQ(ranks({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), 4);
  EXPECT_EQ(ranks({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}}), 2);
  EXPECT_EQ(ranks({{"WORLD_SIZE", "8"}}), 0) << "of no job";
  EXPECT_EQ(ranks({{"RANK", "1"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}}), 0)
      << "torchrun's, which says nothing";
  EXPECT_EQ(ranks({{"RANK", "1"}, {"WORLD_SIZE", "-3"}}), 0);
}

TEST(Rank, TellsWhetherRankExists) {
  EXPECT_FALSE(isInJob(variablesOf({})));
  EXPECT_FALSE(isInJob(variablesOf({{"WORLD_SIZE", "8"}, {"RANK", "one"}})));
  EXPECT_TRUE(isInJob(variablesOf({{"RANK", "0"}})));
  EXPECT_TRUE(isInJob(variablesOf({{"PMIX_RANK", "0"}}))) << "which says nothing of how many";
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
