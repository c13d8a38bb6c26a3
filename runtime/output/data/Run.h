// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which run of a program was measured: what file names and files say of it.

#ifndef GRAPHPROF_OUTPUT_DATA_RUN_H
#define GRAPHPROF_OUTPUT_DATA_RUN_H

#include <cstdint>
#include <functional>
#include <string>

namespace graphprof {

struct Run {
  std::string host;         ///< the machine's name
  std::string program;      ///< the program's, without its folder
  std::int64_t pid = 0;     ///< the process's id
  std::int64_t rank = 0;    ///< its number among the processes of a job, see rankOf()
  std::int64_t beganNs = 0; ///< since the Unix epoch
  std::int64_t ranks = 0;   ///< how many processes the job has, see ranksOf(); 0: not known
  bool inJob = false;       ///< is it one of a job's? Else its number is 0 for want of another
  /// As torchrun says it (LOCAL_RANK, LOCAL_WORLD_SIZE, GROUP_RANK); -1: not known.
  std::int64_t localRank = -1, localRanks = -1, node = -1;
};

/// This process. Found out once, when graphprof is loaded.
[[nodiscard]] const Run &thisRun();
/// In a forked child that goes on as a process of its own: found out once more.
void forgetRun() noexcept;

/// The number that a launcher gave this process among the processes of its job: the first of these
/// variables that holds a whole number. What starts processes itself comes before what it may have
/// been started by.
///     RANK                  torchrun
///     OMPI_COMM_WORLD_RANK  Open MPI
///     MV2_COMM_WORLD_RANK   MVAPICH2
///     PMI_RANK              MPICH, Intel MPI
///     PMIX_RANK             what starts processes through PMIx
///     SLURM_PROCID          srun
/// 0 where none does. `variable(name)` returns the value or nullptr, as getenv does.
[[nodiscard]] std::int64_t rankOf(const std::function<const char *(const char *)> &variable);

/// Does one?
[[nodiscard]] bool isInJob(const std::function<const char *(const char *)> &variable);

/// How many there are, as the same launcher says: WORLD_SIZE, OMPI_COMM_WORLD_SIZE,
/// MV2_COMM_WORLD_SIZE, PMI_SIZE, SLURM_NTASKS. 0 where it does not.
[[nodiscard]] std::int64_t ranksOf(const std::function<const char *(const char *)> &variable);

/// The metadata that says, as a JSON string, why there is no driver that graphprof can use.
inline constexpr const char *noDriverKey = "noDriver";
/// The metadata that names, as a JSON string, the backend that is used.
inline constexpr const char *backendKey = "backend";

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_RUN_H
