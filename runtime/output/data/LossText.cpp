// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/LossText.h"

#include <fmt/format.h>

namespace graphprof {

namespace {

constexpr LossKind kinds[] = {
    {"overrun", &Losses::overrun, "replay", "replays",
     "lost: the ring was overwritten before they were read; raise GRAPHPROF_RING_DEPTH"},
    {"notQueued", &Losses::not_queued, "replay or region outside graphs",
     "replays or regions outside graphs",
     "lost: too many were waiting to be read; raise GRAPHPROF_MAX_QUEUE"},
    {"unfinished", &Losses::unfinished, "replay", "replays",
     "lost: not finished when the program ended, or the device failed; synchronize before the end, "
     "or raise GRAPHPROF_EXIT_TIMEOUT"},
    {"incomplete", &Losses::incomplete, "region", "regions",
     "not measured: the driver refused to mark where they begin or end, or the replay never "
     "reached it, or their work is in streams where they are not timed; end a scope before its "
     "capture ends, and name its stream"},
    {"notMarked", &Losses::beyond_limit, "region or node", "regions or nodes",
     "not timed: their graph holds as many as it may (raise GRAPHPROF_MAX_REGIONS), or cannot be "
     "copied, which a message above says"},
    {"notInstantiated", &Losses::not_instantiated, "graph", "graphs",
     "not timed: no profiled exec could be made; the messages above say why"},
    {"notMirrored", &Losses::not_mirrored, "graph change", "graph changes",
     "not repeated on the profiled exec: the graph ran on untimed; instantiate it again after the "
     "change"},
    {"notLaunched", &Losses::not_launched, "launch", "launches",
     "untimed although recording: the plain exec had to be taken; the messages above say why"},
    {"invalidated", &Losses::invalidated, "capture", "captures",
     "with regions failed or abandoned: no graph came of them; check what cudaStreamEndCapture "
     "returns"},
    {"eager", &Losses::regions_outside_graphs_failed, "region outside graphs",
     "regions outside graphs",
     "not measured: no events could be recorded or read, or the scope ended on another thread; "
     "end it where it began"},
    {"dropped", &Losses::dropped, "record", "records",
     "left out of an output: beyond its bound (raise GRAPHPROF_MAX_RECORDS), or it had failed"},
    {"namesCut", &Losses::names_truncated, "name", "names", "shortened; raise GRAPHPROF_MAX_NAME"},
    {"hostSpans", &Losses::host_spans, "host span", "host spans",
     "lost: too many of one thread were waiting to be read; raise GRAPHPROF_MAX_QUEUE"},
    {"crowdedOut", &Losses::evicted, "launch", "launches",
     "untimed although recording: GRAPHPROF_MAX_EXECS other execs were timed at that time; raise "
     "it"},
    {"notSampled", &Losses::not_sampled, "launch", "launches",
     "left out on purpose: GRAPHPROF_BUDGET or GRAPHPROF_SAMPLE, or the first of an exec with "
     "GRAPHPROF_GRAPH_MEMORY"},
    {"plainKernels", &Losses::plain_kernels, "kernel", "kernels",
     "with annotated statements ran as they are, so nothing inside is shown; the messages "
     "above say why"},
    {"insideKernels", &Losses::inside_kernels, "time", "times",
     "inside kernels lost: a warp wrote more than there is room for, or it was overwritten before "
     "it was read; raise entries in GRAPHPROF_KERNELS, or lower blocks"},
};

} // namespace

std::span<const LossKind> lossKinds() { return kinds; }

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string lossSentence(const LossKind &kind, std::uint64_t count) {
  return fmt::format("{} {}", counted(count, kind.one, kind.many), kind.text);
}

std::vector<std::string> lossSentences(const Losses &losses) {
  std::vector<std::string> sentences;
  for (const LossKind &kind : kinds)
    if (const std::uint64_t count = losses.*kind.count)
      sentences.push_back(lossSentence(kind, count));
  return sentences;
}

} // namespace graphprof
