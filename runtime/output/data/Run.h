// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The run of a program that was measured, as file names and files describe it.

#ifndef GRAPHPROF_OUTPUT_DATA_RUN_H
#define GRAPHPROF_OUTPUT_DATA_RUN_H

#include <cstdint>
#include <functional>
#include <string>

namespace graphprof {

struct Run {
  std::string host;         ///< the machine's name
  std::string program;      ///< the program's name, without its folder
  std::int64_t pid = 0;     ///< the process's id
  std::int64_t rank = 0;    ///< its number among the processes of a job, see rankOf()
  std::int64_t beganNs = 0; ///< since the Unix epoch
  std::int64_t ranks = 0;   ///< how many processes the job has, see ranksOf(); 0: unknown
  bool inJob = false;       ///< is it part of a job? If not, its rank is 0
  /// From torchrun (LOCAL_RANK, LOCAL_WORLD_SIZE, GROUP_RANK); -1: unknown.
  std::int64_t localRank = -1, localRanks = -1, node = -1;
};

/// This process. Found out once, at the first call; when it began is noted before (Origin.h).
[[nodiscard]] const Run &thisRun();
/// Call this in a forked child that continues as a process of its own: thisRun() is found out
/// again.
void forgetRun() noexcept;

/// The number of this process in its job: the first of these variables that holds a whole number. A
/// launcher that starts the processes comes before one that may have started the launcher.
///     RANK                  torchrun
///     OMPI_COMM_WORLD_RANK  Open MPI
///     MV2_COMM_WORLD_RANK   MVAPICH2
///     PMI_RANK              MPICH, Intel MPI
///     PMIX_RANK             what starts processes through PMIx
///     SLURM_PROCID          srun
/// 0 if none does. `variable(name)` returns the value or nullptr, as getenv does.
[[nodiscard]] std::int64_t rankOf(const std::function<const char *(const char *)> &variable);

/// Does one of them?
[[nodiscard]] bool isInJob(const std::function<const char *(const char *)> &variable);

/// The number of processes, from the same launcher: WORLD_SIZE, OMPI_COMM_WORLD_SIZE,
/// MV2_COMM_WORLD_SIZE, PMI_SIZE, SLURM_NTASKS. 0 if it does not tell.
[[nodiscard]] std::int64_t ranksOf(const std::function<const char *(const char *)> &variable);

/// The metadata with the reason, a JSON string, why graphprof can use no driver.
inline constexpr const char *noDriverKey = "noDriver";
/// The metadata with what was launched and not timed, and why nothing was recorded, if nothing was:
/// JSON strings with a sentence each, without a full stop.
inline constexpr const char *untimedKey = "untimed";
inline constexpr const char *nothingKey = "nothingRecorded";
/// The metadata with the name, a JSON string, of the backend.
inline constexpr const char *backendKey = "backend";
/// The metadata with the newest CUDA that the driver supports, a number (13000: 13.0), in Kineto's
/// word; and with the version of the driver itself, a JSON string ("580.159.04").
inline constexpr const char *cudaVersionKey = "cuda_driver_version";
inline constexpr const char *driverVersionKey = "driver_version";

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_RUN_H
