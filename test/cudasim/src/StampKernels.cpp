// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The simulation of graphprof's stamp kernels, line by line as in runtime/clock/StampKernels.cu.
// The virtual time at which a kernel starts replaces %globaltimer. A change there needs one here.

#include <atomic>

#include "clock/StampLayout.h"
#include "cudasim/cudasim.h"

namespace {

using graphprof::StampControl;

constexpr std::uint64_t stampDurationNs = 150;

std::atomic<std::uint64_t> timerStepNs{1};

std::uint64_t globaltimer(std::uint64_t startNs) { return startNs / timerStepNs * timerStepNs; }

template <class T> T &parameter(void **params, int index) {
  return *static_cast<T *>(params[index]);
}

void write(unsigned long long *entry, unsigned word, std::uint64_t value) {
  __atomic_store_n(&entry[word], value, __ATOMIC_RELEASE);
}

// Of the ring, for a kernel whose parameters begin with control, ring, depth and entryWords.
unsigned long long *entryOf(void **params, unsigned long long sequence) {
  return parameter<unsigned long long *>(params, 1) +
         std::uint64_t{graphprof::stampEntry(sequence, parameter<unsigned>(params, 2))} *
             parameter<unsigned>(params, 3);
}

void open(void **params, std::uint64_t, std::uint64_t) {
  auto *control = parameter<StampControl *>(params, 0);
  if (!control)
    return;
  const unsigned long long sequence = control->sequence + 1;
  control->sequence = sequence;
  auto *memory = parameter<unsigned long long *>(params, 4);
  if (!memory) {
    memory = entryOf(params, sequence);
    __atomic_store_n(&memory[graphprof::wordBegin], sequence, __ATOMIC_SEQ_CST);
  }
  control->entry = memory;
}

void first(void **params, std::uint64_t startNs, std::uint64_t) {
  if (auto *control = parameter<StampControl *>(params, 0))
    write(control->entry, graphprof::wordStamps, globaltimer(startNs));
}

void root(void **params, std::uint64_t startNs, std::uint64_t endNs) {
  open(params, startNs, endNs);
  first(params, startNs, endNs);
}

void stamp(void **params, std::uint64_t startNs, std::uint64_t) {
  auto *control = parameter<StampControl *>(params, 0);
  if (control)
    write(control->entry, parameter<unsigned>(params, 1), globaltimer(startNs));
}

// Returns the ring's entry.
unsigned long long *copyToRing(void **params) {
  auto *control = parameter<StampControl *>(params, 0);
  unsigned long long *const ring = entryOf(params, control->sequence);
  if (control->entry == ring)
    return ring;
  __atomic_store_n(&ring[graphprof::wordBegin], control->sequence, __ATOMIC_SEQ_CST);
  for (unsigned word = graphprof::wordStamps; word < parameter<unsigned>(params, 3); ++word)
    write(ring, word, control->entry[word]);
  return ring;
}

void publish(void **params) {
  auto *control = parameter<StampControl *>(params, 0);
  __atomic_store_n(&copyToRing(params)[graphprof::wordEnd], control->sequence, __ATOMIC_SEQ_CST);
}

void final(void **params, std::uint64_t, std::uint64_t) {
  if (parameter<StampControl *>(params, 0))
    publish(params);
}

void last(void **params, std::uint64_t startNs, std::uint64_t) {
  auto *control = parameter<StampControl *>(params, 0);
  if (!control)
    return;
  write(control->entry, parameter<unsigned>(params, 4), globaltimer(startNs));
  publish(params);
}

// The kernel before has ended when the body runs, so begin and end are known.
void around(void **params, std::uint64_t endedNs, std::uint64_t endNs) {
  auto *control = parameter<StampControl *>(params, 0);
  if (!control)
    return;
  const std::uint64_t begin = globaltimer(cudasim::bodyBeganNs());
  const bool opens = parameter<bool>(params, 7), publishes = parameter<bool>(params, 8);
  if (opens)
    open(params, endedNs, endNs);
  write(control->entry, opens ? graphprof::wordStamps : parameter<unsigned>(params, 5), begin);
  if (publishes)
    write(control->entry, parameter<unsigned>(params, 6), 0);
  unsigned long long *const entry = publishes ? copyToRing(params) : control->entry;
  write(entry, parameter<unsigned>(params, 6), globaltimer(endedNs));
  if (publishes)
    __atomic_store_n(&entry[graphprof::wordEnd], control->sequence, __ATOMIC_SEQ_CST);
}

void count(void **params, std::uint64_t, std::uint64_t) {
  auto *control = parameter<StampControl *>(params, 0);
  if (!control)
    return;
  const unsigned word = parameter<unsigned>(params, 1);
  auto *body = parameter<StampControl *>(params, 2);
  __atomic_store_n(&control->entry[word], body->counted, __ATOMIC_RELEASE);
  __atomic_store_n(&control->entry[word + 1], body->sequence, __ATOMIC_RELEASE);
  body->counted = body->sequence;
}

void publishWarps(void **params, std::uint64_t, std::uint64_t) {
  const auto *control = parameter<StampControl *>(params, 0);
  if (!control)
    return;
  auto *memory = parameter<unsigned long long *>(params, 1);
  const auto number = static_cast<unsigned>(memory[0]);
  const auto sequence = static_cast<unsigned>(control->sequence);
  const unsigned warps = parameter<unsigned>(params, 4),
                 entriesPerWarp = parameter<unsigned>(params, 5);
  const unsigned written = (number % 0xFFFFU + 1) << graphprof::warpTagShift;
  const std::uint64_t tag = sequence % 0xFFFFU + 1;
  const std::uint64_t words = std::uint64_t{warps} * (graphprof::wordsOfWarp + entriesPerWarp);
  const unsigned long long *const from = memory + graphprof::wordsOfWarpHeader;
  auto *const to = parameter<unsigned long long *>(params, 2) +
                   sequence % parameter<unsigned>(params, 3) * words;
  const auto write = [to](std::uint64_t at, unsigned long long word) {
    __atomic_store_n(&to[at], word, __ATOMIC_RELEASE);
  };
  for (unsigned warp = 0; warp < warps; ++warp) {
    const std::uint64_t own = std::uint64_t{warp} * graphprof::wordsOfWarp;
    const unsigned long long state = from[own + 3];
    const bool wrote = (static_cast<unsigned>(state) & ~0xFFFFU) == written;
    const unsigned count = static_cast<unsigned>(state) & 0xFFFFU;
    const std::uint64_t entries =
        std::uint64_t{warps} * graphprof::wordsOfWarp + std::uint64_t{warp} * entriesPerWarp;
    for (unsigned i = 0; wrote && i < count && i < entriesPerWarp; ++i)
      write(entries + i, (from[entries + i] & 0xFFFFFFFFFFFFU) | tag << 48);
    for (unsigned i = 0; i < 3; ++i)
      write(own + i, from[own + i]);
    write(own + 3, (state & ~0xFFFFFFFFULL) | (wrote ? tag << graphprof::warpTagShift | count : 0));
  }
  memory[0] = number + 1U;
}

// A simulated kernel runs when it is launched, so it cannot wait for a question. It answers as if
// one had come at every step of the timer.
void align(void **params, std::uint64_t startNs, std::uint64_t) {
  auto *answers = parameter<unsigned long long *>(params, 1);
  for (unsigned i = 0; i < parameter<unsigned>(params, 2); ++i)
    __atomic_store_n(&answers[i], globaltimer(startNs) + i * timerStepNs, __ATOMIC_SEQ_CST);
}

void span(void **params, std::uint64_t startNs, std::uint64_t) {
  __atomic_store_n(parameter<unsigned long long *>(params, 0), globaltimer(startNs),
                   __ATOMIC_RELEASE);
}

[[maybe_unused]] const bool registered = [] {
  const std::size_t address = sizeof(void *), number = sizeof(unsigned);
  cudasim::registerKernel("graphprof_root", {address, address, number, number, address}, root,
                          stampDurationNs);
  cudasim::registerKernel("graphprof_open", {address, address, number, number, address}, open,
                          stampDurationNs);
  cudasim::registerKernel("graphprof_first", {address}, first, stampDurationNs);
  cudasim::registerKernel("graphprof_stamp", {address, number}, stamp, stampDurationNs);
  cudasim::registerKernel("graphprof_final", {address, address, number, number}, final,
                          stampDurationNs);
  cudasim::registerKernel("graphprof_last", {address, address, number, number, number}, last,
                          stampDurationNs);
  cudasim::registerKernel(
      "graphprof_around",
      {address, address, number, number, address, number, number, sizeof(bool), sizeof(bool)},
      around, stampDurationNs);
  cudasim::registerKernel("graphprof_count", {address, number, address}, count, stampDurationNs);
  cudasim::registerKernel("graphprof_publish_warps",
                          {address, address, address, number, number, number}, publishWarps,
                          stampDurationNs);
  cudasim::registerKernel("graphprof_align", {address, address, number, address}, align,
                          stampDurationNs);
  for (const char *name : {"graphprof_stamp_waiting", "graphprof_stamp_triggering"})
    cudasim::registerKernel(name, {address, number}, stamp, stampDurationNs);
  cudasim::registerKernel(
      "graphprof_span", {address, address}, span,
      [](void **params) -> std::uint64_t { return parameter<unsigned long long>(params, 1); });
  // Two of these kernels wait for their predecessors, and one triggers its successors.
  for (const char *name :
       {"graphprof_root", "graphprof_open", "graphprof_first", "graphprof_stamp", "graphprof_final",
        "graphprof_last", "graphprof_count", "graphprof_publish_warps", "graphprof_span"})
    cudasim::setKernelOverlap(name, {.waits = false, .triggers = false});
  for (const char *name : {"graphprof_stamp_waiting", "graphprof_around"})
    cudasim::setKernelOverlap(name, {.waits = true, .triggers = false});
  cudasim::setKernelOverlap("graphprof_stamp_triggering", {.waits = false, .triggers = true});
  return true;
}();

} // namespace

namespace cudasim {

void setTimerStep(std::uint64_t ns) { timerStepNs = ns; }

} // namespace cudasim
