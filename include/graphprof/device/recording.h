// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a timed twin of a kernel and the library share: where the twin writes, and what. Compiled
// for the device and for the host, so it uses plain types only. Not for programs to use.

#ifndef GRAPHPROF_DEVICE_RECORDING_H
#define GRAPHPROF_DEVICE_RECORDING_H

#include "graphprof/detail/export.h"

namespace graphprof {
inline namespace v1 {
namespace device {

/// A scope's begin, or an end: of the scope that was begun last and is open. Written with one store
/// of 8 bytes, so a reader sees all of it or nothing.
struct alignas(8) Entry {
  unsigned time; ///< the lower half of the multiprocessor's clock, in cycles
  unsigned what; ///< the replay's tag << 16 | the scope's number, or scopeEnd
};
constexpr unsigned scopeEnd = 0xFFFF;   ///< as the lower half of Entry::what
constexpr unsigned mostScopes = 0xFFFF; ///< of one kernel
constexpr unsigned mostEntries = 0xFFFF;

/// Of each warp that writes, in one replay.
struct alignas(8) Warp {
  unsigned long long beginNs, endNs; ///< %globaltimer at its first and last statement
  unsigned beginClock, endClock;     ///< the lower half of the clock there, in cycles
  /// the tag << 16 | how many entries there were, also those that found no room; mostEntries: at
  /// least. Written last. Without the replay's tag, the warp has not written its end.
  unsigned state;
  unsigned multiprocessor; ///< on which it began
};

/// Tells what one replay wrote from what earlier ones left. 1 to 65535.
constexpr unsigned tagOf(unsigned long long sequence) {
  return static_cast<unsigned>(sequence) % 0xFFFF + 1; // of 32 bits, which take fewer registers
}

/// A twin's first parameter.
struct Recording {
  const unsigned long long *sequence; ///< of the current replay; null: nothing is written
  Warp *warps;                        ///< depth * warpsPerReplay
  Entry *entries;                     ///< depth * warpsPerReplay * entriesPerWarp
  unsigned depth;                     ///< replays are kept
  unsigned warpsPerReplay;
  unsigned entriesPerWarp; ///< at most mostEntries
  unsigned everyBlock;     ///< the blocks with a number that this divides write; at least 1
  unsigned warpsPerBlock;  ///< of such a block, so many write: the first ones
  unsigned reserved;
};

/// What a number is in the host's code. None: it is no number.
enum class NumberKind : unsigned char { None, Signed, Unsigned, Boolean, Character };

/// Of a kernel.
struct ParameterType {
  NumberKind kind;
  unsigned char bytes;
};

/// A value in a scope's name: a constant, or what a launch gives a parameter of the kernel.
struct ScopeValue {
  int parameter; ///< its place; negative: it is a constant
  NumberKind kind;
  unsigned long long bits; ///< of the constant, as 64 bits; a negative one in two's complement
};

/// A scope's name and place.
struct ScopeSite {
  const char *name; ///< with values a format of theirs, as those of regions on the host
  const char *file;
  int line;
  unsigned valueCount = 0;
  const ScopeValue *values = nullptr;
};

/// A kernel and its timed twin. Static objects, in a list that the library keeps.
struct Twin {
  unsigned bytes;             ///< sizeof(Twin), for the library
  unsigned parameters;        ///< of the kernel; its twin has a Recording before them
  const ParameterType *types; ///< of each of them
  const void *kernel, *twin;  ///< the host's addresses
  const char *name;           ///< the kernel's, as written
  const ScopeSite *scopes;    ///< by their numbers
  unsigned scopeCount;
  /// Finds the function of a host address in the current context, with the program's own cudart.
  /// Returns false if CUDA refuses.
  bool (*resolve)(const void *address, void **function);
  /// Likewise the kernel, which is the same in all contexts. Null if its toolkit has none.
  bool (*resolveKernel)(const void *address, void **kernel);
  Twin *next;
};

/// Adds a twin to the list, and removes it. They call no CUDA.
GRAPHPROF_API void addTwin(Twin *twin) noexcept;
GRAPHPROF_API void removeTwin(Twin *twin) noexcept;

} // namespace device
} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_DEVICE_RECORDING_H
