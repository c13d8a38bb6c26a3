// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the stamp kernels and the host share: a control block in device memory, and the words of a
// ring entry. Compiled for the device and for the host, so it uses plain types only.

#ifndef GRAPHPROF_CLOCK_STAMPLAYOUT_H
#define GRAPHPROF_CLOCK_STAMPLAYOUT_H

namespace graphprof {

/// The state of one profiled exec on the device. Launches of one exec never overlap, so it needs no
/// atomics.
///
/// A conditional node's body has one, too, and each iteration counts as a replay. Only the device
/// knows how many there were. So a kernel behind the node writes two counts to the entry of the
/// graph around it: before this replay, and now.
struct StampControl {
  unsigned long long sequence; ///< of the current replay; continues if the block gets another owner
  unsigned long long *entry;   ///< the ring entry of the current replay, in pinned host memory
  unsigned long long counted;  ///< of a body: its sequence when its iterations were noted last
};

/// How many profiled execs can live in one context at a time: the size of the kernels' table.
constexpr unsigned stampControls = 16384;

// The 64-bit words of a ring entry. A reader accepts an entry if wordEnd is the expected sequence,
// and keeps what it read if wordBegin is still the same.
constexpr unsigned wordBegin = 0; ///< the sequence, written first
constexpr unsigned wordEnd = 1;   ///< the sequence, written last
constexpr unsigned wordStamps =
    2; ///< from here: %globaltimer at each boundary, ns; the first is the root's
// Behind the stamps, for each conditional node's body in the timed graph:
constexpr unsigned wordsOfBody = 2; ///< its sequence before and after this replay

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_STAMPLAYOUT_H
