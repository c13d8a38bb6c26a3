// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The kernels that read the device's timer, in one thread each: a root that opens a ring entry,
// with or without the first boundary's stamp; a stamp for each boundary; a final one that publishes
// the entry; one that answers the host's questions for the time; one that counts the iterations of
// a conditional node's body; one that publishes what the timed twins of kernels wrote; and one on
// which other stamps are tried (EdgeTrial.h). With a null
// control they do nothing: graphprof does not control that launch. Those that may run beside a
// kernel of the program's, or for which one waits, have blocks of several threads (StampLayout.h).
//
// cuda/make-ptx makes StampKernels.ptx from this file, for builds without nvcc.

#include "StampLayout.h"

using graphprof::StampControl;

__device__ StampControl graphprof_controls[graphprof::stampControls];
// Zero at first: a stamp that was never written is older than any.
__device__ unsigned long long graphprof_entries[graphprof::entriesWords];

static __device__ bool isFirstThread() { return threadIdx.x == 0; }

static __device__ unsigned long long deviceTimeNs() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

static __device__ unsigned long long *entryOf(unsigned long long *ring, unsigned depth,
                                              unsigned entryWords, unsigned long long sequence) {
  return ring +
         static_cast<unsigned>(sequence) % depth * static_cast<unsigned long long>(entryWords);
}

// `memory`: what the stamps write; null: the ring.
static __device__ void open(StampControl *control, unsigned long long *ring, unsigned depth,
                            unsigned entryWords, unsigned long long *memory) {
  const unsigned long long sequence = control->sequence + 1;
  control->sequence = sequence;
  if (!memory) {
    memory = entryOf(ring, depth, entryWords, sequence);
    memory[graphprof::wordBegin] = sequence;
  }
  control->entry = memory;
}

// All other stamps come after this one.
static __device__ void stampFirst(StampControl *control, unsigned long long now) {
  __threadfence_system(); // whoever sees a stamp of this replay also sees that the old entry is
                          // gone
  control->entry[graphprof::wordStamps] = now;
}

// Makes all stamps before it visible in the ring, apart from the mark that publishes them. All
// threads of the block call it.
static __device__ void copyTo(unsigned long long *ringEntry, StampControl *control,
                              unsigned entryWords) {
  const unsigned long long *const entry = control->entry;
  if (entry != ringEntry) {
    if (isFirstThread()) {
      ringEntry[graphprof::wordBegin] = control->sequence;
      __threadfence_system(); // as in stampFirst()
    }
    __syncthreads();
    for (unsigned word = graphprof::wordStamps + threadIdx.x; word < entryWords; word += blockDim.x)
      ringEntry[word] = entry[word];
  }
  __threadfence_system();
  __syncthreads();
}

extern "C" __global__ void graphprof_root(StampControl *control, unsigned long long *ring,
                                          unsigned depth, unsigned entryWords,
                                          unsigned long long *memory) {
  const unsigned long long now = deviceTimeNs();
  if (!control || !isFirstThread())
    return;
  open(control, ring, depth, entryWords, memory);
  stampFirst(control, now);
}

// The same in two kernels. The program's work waits only for the first, which takes a microsecond
// less, and the slow begin of a replay is over before the second reads the timer.
extern "C" __global__ void graphprof_open(StampControl *control, unsigned long long *ring,
                                          unsigned depth, unsigned entryWords,
                                          unsigned long long *memory) {
  if (control && isFirstThread())
    open(control, ring, depth, entryWords, memory);
}
extern "C" __global__ void graphprof_first(StampControl *control) {
  const unsigned long long now = deviceTimeNs();
  if (control)
    stampFirst(control, now);
}

extern "C" __global__ void graphprof_stamp(StampControl *control, unsigned word) {
  const unsigned long long now =
      deviceTimeNs(); // read before the entry is loaded, which takes half a microsecond
  if (control && isFirstThread())
    control->entry[word] = now;
}

// Begins when the kernel before it lets its followers begin, and reads the timer when that kernel
// has ended. Missing on devices without this wait.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
extern "C" __global__ void graphprof_stamp_waiting(StampControl *control, unsigned word) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const unsigned long long now = deviceTimeNs();
  if (control)
    control->entry[word] = now;
}
#endif

// Lets the kernel behind it begin at once.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
extern "C" __global__ void graphprof_stamp_triggering(StampControl *control, unsigned word) {
  asm volatile("griddepcontrol.launch_dependents;");
  const unsigned long long now = deviceTimeNs();
  if (control && isFirstThread())
    control->entry[word] = now;
}
#endif

// Stamps a kernel's begin, on whose launch completion it waits, and its end. The node stays on the
// device while that kernel runs. If the replay begins with that kernel, it also opens the entry; if
// it ends with it, it also publishes. Whatever it does behind that end, the next launch waits for.
// So it does not wait until the last stamp is visible; a reader must look at that stamp.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
extern "C" __global__ void graphprof_around(StampControl *control, unsigned long long *ring,
                                            unsigned depth, unsigned entryWords,
                                            unsigned long long *memory, unsigned beginWord,
                                            unsigned endWord, bool opens, bool publishes) {
  const unsigned long long begin = deviceTimeNs();
  if (!control || (!publishes && !isFirstThread()))
    return;
  if (isFirstThread()) {
    if (opens)
      open(control, ring, depth, entryWords, memory);
    if (opens)
      stampFirst(control, begin);
    else
      control->entry[beginWord] = begin;
  }
  if (publishes)
    __syncthreads(); // the first thread may have opened the entry
  unsigned long long *entry = control->entry;
  const unsigned long long sequence = control->sequence;
  if (publishes) {
    entry = entryOf(ring, depth, entryWords, sequence);
    control->entry[endWord] = 0;        // the mark may be seen before the stamp
    copyTo(entry, control, entryWords); // all stamps but the last, before the mark
    if (!isFirstThread())
      return;
  }
  asm volatile("griddepcontrol.wait;" ::: "memory");
  entry[endWord] = deviceTimeNs();
  if (publishes)
    entry[graphprof::wordEnd] = sequence;
}
#endif

extern "C" __global__ void graphprof_final(StampControl *control, unsigned long long *ring,
                                           unsigned depth, unsigned entryWords) {
  if (!control)
    return;
  unsigned long long *const entry = entryOf(ring, depth, entryWords, control->sequence);
  copyTo(entry, control, entryWords);
  if (isFirstThread())
    entry[graphprof::wordEnd] = control->sequence;
}

// The stamp of the last boundary and the final kernel in one.
extern "C" __global__ void graphprof_last(StampControl *control, unsigned long long *ring,
                                          unsigned depth, unsigned entryWords, unsigned word) {
  const unsigned long long now = deviceTimeNs();
  if (!control)
    return;
  if (isFirstThread())
    control->entry[word] = now;
  __syncthreads();
  unsigned long long *const entry = entryOf(ring, depth, entryWords, control->sequence);
  copyTo(entry, control, entryWords);
  if (isFirstThread())
    entry[graphprof::wordEnd] = control->sequence;
}

// Runs after a conditional node. Notes which iterations of a body belong to this replay.
extern "C" __global__ void graphprof_count(StampControl *control, unsigned word,
                                           StampControl *body) {
  if (!control)
    return;
  control->entry[word] = body->counted;
  control->entry[word + 1] = body->sequence;
  body->counted = body->sequence;
}

// Runs when all else of the replay has ended, in one block. Copies what the timed twins of this
// replay's kernels wrote to the entry of the ring, marked with the replay's own tag; each warp's
// state last. Then twins have another number, and write with another tag.
extern "C" __global__ void graphprof_publish_warps(StampControl *control,
                                                   unsigned long long *memory,
                                                   unsigned long long *ring, unsigned depth,
                                                   unsigned warps, unsigned entriesPerWarp) {
  if (!control)
    return;
  const unsigned number = static_cast<unsigned>(memory[0]);
  const unsigned sequence = static_cast<unsigned>(control->sequence);
  const unsigned written = (number % 0xFFFFU + 1) << graphprof::warpTagShift; // tagOf()
  const unsigned long long tag = sequence % 0xFFFFU + 1;
  const unsigned long long words =
      static_cast<unsigned long long>(warps) * (graphprof::wordsOfWarp + entriesPerWarp);
  const unsigned long long *const from = memory + graphprof::wordsOfWarpHeader;
  unsigned long long *const to = ring + sequence % depth * words;
  __syncthreads(); // all have read the number
  const unsigned lane = threadIdx.x % 32;
  for (unsigned warp = threadIdx.x / 32; warp < warps; warp += blockDim.x / 32) {
    const unsigned long long own = static_cast<unsigned long long>(warp) * graphprof::wordsOfWarp;
    const unsigned long long state = from[own + 3];
    const bool wrote = (static_cast<unsigned>(state) & ~0xFFFFU) == written;
    const unsigned count = static_cast<unsigned>(state) & 0xFFFFU;
    const unsigned long long entries =
        static_cast<unsigned long long>(warps) * graphprof::wordsOfWarp +
        static_cast<unsigned long long>(warp) * entriesPerWarp;
    for (unsigned i = lane; wrote && i < count && i < entriesPerWarp; i += 32)
      to[entries + i] = (from[entries + i] & 0xFFFFFFFFFFFFULL) | tag << 48;
    if (lane < 3)
      to[own + lane] = from[own + lane];
    __threadfence_system();
    __syncwarp();
    if (lane == 0)
      to[own + 3] = (state & ~0xFFFFFFFFULL) | (wrote ? tag << graphprof::warpTagShift | count : 0);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    memory[0] = number + 1U;
}

// Reads the timer whenever the host asks, and returns if the host stops asking.
extern "C" __global__ void graphprof_align(const volatile unsigned long long *asked,
                                           volatile unsigned long long *answers, unsigned readings,
                                           unsigned long long patienceNs) {
  const unsigned long long begin = deviceTimeNs();
  for (unsigned i = 0; i < readings; ++i) {
    while (asked[i] == 0)
      if (deviceTimeNs() - begin > patienceNs)
        return;
    answers[i] = deviceTimeNs();
    __threadfence_system();
  }
}

// Runs for `lastsNs` and tells its begin. It writes that while it runs, so its end waits for no
// write.
extern "C" __global__ void graphprof_span(unsigned long long *told, unsigned long long lastsNs) {
  const unsigned long long begin = deviceTimeNs();
  *told = begin;
  while (deviceTimeNs() - begin < lastsNs)
    ;
}
