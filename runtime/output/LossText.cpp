// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/LossText.h"

#include <fmt/format.h>

namespace graphprof {

namespace {

struct Reason {
  std::uint64_t Losses::*count;
  const char *one;
  const char *many;
  const char *text;
};

constexpr Reason reasons[] = {
    {&Losses::overrun, "replay", "replays",
     "lost: the ring was overwritten before they were read; raise GRAPHPROF_RING_DEPTH"},
    {&Losses::unfinished, "replay", "replays",
     "lost: not finished when the program ended, or the device failed; synchronize before the end, "
     "or raise GRAPHPROF_EXIT_TIMEOUT"},
    {&Losses::incomplete, "region", "regions",
     "not measured: the driver refused to mark where they begin or end, or the replay never "
     "reached it"},
    {&Losses::notInstantiated, "graph", "graphs",
     "not timed: no profiled exec could be made; the messages above say why"},
    {&Losses::notMirrored, "graph change", "graph changes",
     "not repeated on the profiled exec: the graph ran on untimed; instantiate it again after the "
     "change"},
    {&Losses::notLaunched, "launch", "launches",
     "untimed although recording: the plain exec had to be taken; the messages above say why"},
    {&Losses::invalidated, "capture", "captures",
     "with regions failed or abandoned: no graph came of them"},
    {&Losses::eager, "region outside graphs", "regions outside graphs",
     "not measured: no events could be recorded or read, or the scope ended on another thread"},
    {&Losses::dropped, "record", "records",
     "left out of an output: beyond its bound (raise GRAPHPROF_MAX_RECORDS), or it had failed"},
};

} // namespace

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::vector<std::string> lossSentences(const Losses &losses) {
  std::vector<std::string> sentences;
  for (const Reason &reason : reasons)
    if (const std::uint64_t count = losses.*reason.count)
      sentences.push_back(
          fmt::format("{} {}", counted(count, reason.one, reason.many), reason.text));
  return sentences;
}

} // namespace graphprof
