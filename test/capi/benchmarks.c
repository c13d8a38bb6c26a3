/* Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

   Benchmarks over graphprof/capi.h. */

#include <stdlib.h>

#include "check.h"

/* Short ones: how long is not what is tested. */
static struct graphprof_capi_bench_options brief(void) {
  struct graphprof_capi_bench_options options = {sizeof options};
  CHECK(graphprof_capi_bench_defaults(&options) == graphprof_capi_ok);
  CHECK(options.dry_run_time_ms == 25 && options.repeat_time_ms == 100);
  CHECK(options.num_iters_within_graph == 10 && options.cold_l2_cache == 1);
  options.dry_run_iters = 1, options.repeat_iters = 5, options.cold_l2_cache = 0;
  return options;
}

static struct graphprof_capi_bench_result resultOf(const graphprof_capi_bench *bench,
                                                   size_t which) {
  struct graphprof_capi_bench_result result = {sizeof result};
  CHECK(graphprof_capi_bench_get(bench, which, &result) == graphprof_capi_ok);
  return result;
}

static CUgraph capturedMemsets(void) {
  CUgraph captured;
  CHECK_CUDA(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  work();
  CHECK_CUDA(cuStreamEndCapture(stream, &captured));
  return captured;
}

/* A captured graph is measured as a callable that launches it. It stays the caller's. */
void graph(void) {
  useDevice();
  const CUgraph captured = capturedMemsets();
  struct graphprof_capi_candidate candidate = {sizeof candidate};
  candidate.name = "memsets", candidate.graph = captured;
  const struct graphprof_capi_bench_options options = brief();
  graphprof_capi_bench *bench = NULL;
  CHECK(graphprof_capi_bench_run(&candidate, 1, &options, &bench) == graphprof_capi_ok);
  const struct graphprof_capi_bench_result result = resultOf(bench, 0);
  CHECK(result.time_count == 5 && result.median_ms > 0 && strcmp(result.name, "memsets") == 0);
  CHECK(result.low_ms <= result.median_ms && result.median_ms <= result.high_ms);
  CHECK(result.node_count == 1 && result.iterations_within_graph == 10 && !result.cold);
  graphprof_capi_bench_release(bench);
  CHECK_CUDA(cuGraphDestroy(captured));
}

/* A caller with copies, and a capture, of its own. */
struct Guest {
  int copies, seen[64], captures;
  CUdeviceptr memories[64];
  CUgraph graphs[64];
  int failAtCall, failAtCapture, failAtCopies;
};
static int makeCopies(void *user, int copies) {
  struct Guest *const guest = user;
  if (guest->failAtCopies)
    return 3;
  guest->copies = copies;
  for (int i = 0; i < copies && i < 64; ++i)
    CHECK_CUDA(cuMemAlloc(&guest->memories[i], memoryBytes));
  return copies <= 64 ? 0 : 1;
}
static int call(void *user, void *into, int copy) {
  struct Guest *const guest = user;
  if (guest->failAtCall)
    return 7;
  ++guest->seen[copy];
  CHECK_CUDA(cuMemsetD8Async(guest->memories[copy], 1, memoryBytes, into));
  return 0;
}
static int captureIt(void *user, void *from, int (*issue)(void *), void *issueUser, void **made) {
  struct Guest *const guest = user;
  CUgraph *const captured = &guest->graphs[guest->captures++];
  CHECK_CUDA(cuStreamBeginCapture(from, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  const int issued = issue(issueUser);
  CHECK_CUDA(cuStreamEndCapture(from, captured));
  *made = *captured;
  return issued ? issued : guest->failAtCapture;
}
static struct graphprof_capi_candidate candidateOf(struct Guest *guest,
                                                   const struct graphprof_capi_range *ranges) {
  struct graphprof_capi_candidate candidate = {sizeof candidate};
  candidate.name = "guest", candidate.user = guest;
  candidate.call = call, candidate.make_copies = makeCopies, candidate.capture = captureIt;
  candidate.ranges = ranges, candidate.range_count = ranges ? 1 : 0;
  return candidate;
}

/* Ranges are rotated through the caller's own copies, all of which are used; calls are timed by
   stamps, too; graphs are the caller's. */
void callable(void) {
  useDevice();
  for (int timer = 0; timer < 3; ++timer) {
    static struct Guest guest;
    memset(&guest, 0, sizeof guest);
    /* As if it were a quarter of what has to be used between two uses of the same memory. */
    const struct graphprof_capi_range range = {(void *)(uintptr_t)memory, 64 << 20};
    const struct graphprof_capi_candidate candidate = candidateOf(&guest, &range);
    struct graphprof_capi_bench_options options = brief();
    options.cold_l2_cache = 1, options.timer = timer;
    graphprof_capi_bench *bench = NULL;
    CHECK(graphprof_capi_bench_run(&candidate, 1, &options, &bench) == graphprof_capi_ok);
    const struct graphprof_capi_bench_result result = resultOf(bench, 0);
    CHECK(result.cold && result.cold_method == 1 && result.copies == guest.copies);
    CHECK(result.copies > 1 && result.argument_bytes == range.bytes && result.timer == timer);
    CHECK(result.time_count == (timer == 2 ? 50u : 5u));
    for (int copy = 0; copy < guest.copies; ++copy)
      CHECK(guest.seen[copy] > 0);
    CHECK((guest.captures > 0) == (timer != 1));
    for (int i = 0; i < guest.captures; ++i)
      CHECK_CUDA(cuGraphDestroy(guest.graphs[i]));
    graphprof_capi_bench_release(bench);
  }
}

/* Several in turns: each has a ratio to the first. */
void compared(void) {
  useDevice();
  const CUgraph captured = capturedMemsets();
  static struct Guest guest;
  guest.memories[0] = memory;
  struct graphprof_capi_candidate candidates[2] = {candidateOf(&guest, NULL), {sizeof *candidates}};
  candidates[1].name = "two memsets", candidates[1].graph = captured;
  const struct graphprof_capi_bench_options options = brief();
  graphprof_capi_bench *bench = NULL;
  CHECK(graphprof_capi_bench_run(candidates, 2, &options, &bench) == graphprof_capi_ok);
  CHECK(resultOf(bench, 0).ratio == 1);
  const struct graphprof_capi_bench_result second = resultOf(bench, 1);
  CHECK(second.ratio > 1 && second.ratio_low <= second.ratio && second.ratio <= second.ratio_high);
  struct graphprof_capi_bench_result none = {sizeof none};
  CHECK_FAILS(graphprof_capi_bad_argument, "candidate", graphprof_capi_bench_get(bench, 2, &none));
  graphprof_capi_bench_release(bench);
}

/* What a callback returns ends the measurement, and the next one works. */
void failing(void) {
  useDevice();
  const struct graphprof_capi_range range = {(void *)(uintptr_t)memory, 64 << 20};
  for (int which = 0; which < 3; ++which) {
    static struct Guest guest;
    memset(&guest, 0, sizeof guest);
    guest.failAtCall = which == 0, guest.failAtCapture = which == 1 ? 9 : 0;
    guest.failAtCopies = which == 2;
    const struct graphprof_capi_candidate candidate = candidateOf(&guest, &range);
    struct graphprof_capi_bench_options options = brief();
    options.cold_l2_cache = 1;
    graphprof_capi_bench *bench = NULL;
    static const char *const said[] = {"its call failed with 7", "its capture failed with 9",
                                       "its make_copies failed with 3"};
    CHECK_FAILS(graphprof_capi_failed, said[which],
                graphprof_capi_bench_run(&candidate, 1, &options, &bench));
    CHECK(!bench);
  }
  graph();
}

void options(void) {
  useDevice();
  struct graphprof_capi_candidate candidate = {sizeof candidate};
  graphprof_capi_bench *bench = NULL;
  CHECK_FAILS(graphprof_capi_bad_argument, "neither a call nor a graph",
              graphprof_capi_bench_run(&candidate, 1, NULL, &bench));
  CHECK_FAILS(graphprof_capi_bad_argument, "candidates",
              graphprof_capi_bench_run(NULL, 0, NULL, &bench));
  candidate.graph = capturedMemsets();
  struct graphprof_capi_bench_options wrong = brief();
  wrong.timer = 3;
  CHECK_FAILS(graphprof_capi_bad_argument, "timer",
              graphprof_capi_bench_run(&candidate, 1, &wrong, &bench));
  wrong = brief();
  wrong.num_iters_within_graph = 0;
  CHECK_FAILS(graphprof_capi_failed, "num_iters_within_graph",
              graphprof_capi_bench_run(&candidate, 1, &wrong, &bench));
  /* An older caller's struct: what it lacks has its default. */
  struct graphprof_capi_bench_options older = brief();
  older.size = offsetof(struct graphprof_capi_bench_options, sleep_after_run);
  CHECK(graphprof_capi_bench_run(&candidate, 1, &older, &bench) == graphprof_capi_ok);
  CHECK(resultOf(bench, 0).cold); /* cold_l2_cache is behind it */
  graphprof_capi_bench_release(bench);
}
