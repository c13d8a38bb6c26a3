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
  unsigned long long *entry;  ///< what the stamps of the current replay write: the ring's entry, in
                              ///< pinned host memory, or device memory
  unsigned long long counted; ///< of a body: its sequence when its iterations were noted last
};

/// The threads in the block of a stamp that runs beside a kernel of the program's, and the most in
/// that of a stamp for which one waits; all but the first return at once. A multiprocessor is set
/// up with shared memory for as many blocks as may run there, 1 KiB or more for each. Of blocks of
/// one thread 32 may run. So such a block does not start on a multiprocessor that is set up for few
/// large blocks, but waits until they have ended: beside blocks of 512 threads, for example (H200).
/// A block of 256 threads starts beside all that were tried, and costs less.
constexpr unsigned stampThreads = 256;

/// The place in a ring of `depth` entries of the replay with this sequence, for the host. The
/// kernels calculate the same. A remainder of 32 bits takes few registers, and a kernel of the
/// program's waits for the root only if its own blocks need no less.
constexpr unsigned stampEntry(unsigned long long sequence, unsigned depth) {
  return static_cast<unsigned>(sequence) % depth;
}

/// How many profiled execs can live in one context at a time: the size of the kernels' table.
constexpr unsigned stampControls = 16384;

// In long graphs the stamps write to device memory, and the end of a replay copies it to the ring.
// As long as an access to host memory is not
// fenced, each kernel behind it ends up to 0.1 us later, and a fence waits for what the program
// writes (H200, driver 580).
constexpr unsigned entriesWords = 256 * 1024; ///< for all execs of a context
constexpr unsigned longGraph = 64; ///< in nodes; the copy costs two fences at the end of a replay

// The 64-bit words of a ring entry. A reader accepts an entry if wordEnd is the expected sequence,
// and keeps what it read if wordBegin is still the same.
constexpr unsigned wordBegin = 0; ///< the sequence, written first
constexpr unsigned wordEnd = 1;   ///< the sequence, written last
constexpr unsigned wordStamps =
    2; ///< from here: %globaltimer at each boundary, ns; the first is the root's
// Behind the stamps, for each conditional node's body in the timed graph:
constexpr unsigned wordsOfBody = 2; ///< its sequence before and after this replay

// What the timed twins of kernels write (graphprof/device/recording.h), in 64-bit words. In device
// memory: a line with the number that marks what this replay writes, then a Warp for each warp that
// may write, then their entries. In the ring, which the host reads, the same without that line.
constexpr unsigned wordsOfWarpHeader = 8;
constexpr unsigned wordsOfWarp = 4;
constexpr unsigned publishThreads = 1024; ///< of the kernel that copies from one to the other
constexpr unsigned warpTagShift = 16;     ///< of the tag in Warp::state and Entry::what

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_STAMPLAYOUT_H
