// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the stamp kernels and the host agree on: a control block in device memory and the words of a
// ring entry. Compiled for the device and for the host, so it uses plain types only.

#ifndef GRAPHPROF_CLOCK_STAMPLAYOUT_H
#define GRAPHPROF_CLOCK_STAMPLAYOUT_H

namespace graphprof {

/// One profiled exec's state on the device. Launches of one exec never overlap, so it needs no
/// atomics.
///
/// The body of a conditional node has one too: each of its iterations is a replay to it. Only the
/// device knows how many there were: behind the node, a kernel notes in the entry of the graph
/// around it how far they were counted before and how far now.
struct StampControl {
  unsigned long long sequence; ///< of the replay under way; counts on when a block changes hands
  unsigned long long *entry;   ///< the ring entry of the replay under way, pinned host memory
  unsigned long long counted;  ///< of a body: its sequence when its iterations were last noted
};

/// How many profiled execs can live in one context at a time: the size of the kernels' table.
constexpr unsigned stampControls = 16384;

// The 64-bit words of a ring entry. A reader takes an entry when wordEnd is the sequence it looks
// for, and keeps what it read when wordBegin still is.
constexpr unsigned wordBegin = 0; ///< the sequence, written first
constexpr unsigned wordEnd = 1;   ///< the sequence, written last
constexpr unsigned wordStamps =
    2; ///< from here: %globaltimer at each boundary, ns; the first is the root's
// Behind the stamps, for each body of a conditional node in the graph that is timed:
constexpr unsigned wordsOfBody = 2; ///< its sequence before this replay, and behind it

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_STAMPLAYOUT_H
