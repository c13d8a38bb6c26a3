// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where a thread is, for findings of GRAPHPROF_CHECK. Knows symbols and files, no CUDA.

#ifndef GRAPHPROF_CALLS_CALLPLACE_H
#define GRAPHPROF_CALLS_CALLPLACE_H

#include <string>

namespace graphprof::internal {

/// What `address` is in: "in step (libmodel.so)", or "at app+0x4f2c" for addr2line, where the file
/// names no function. Empty for graphprof, the driver and the CUDA runtime.
std::string placeOf(const void *address);
/// Where this thread is, innermost first, and its open regions. A program that is linked with the
/// CUDA runtime has that in front.
std::string callersOf();
/// The innermost function of this thread that `isSought` and that the driver called, or null.
const void *calledByDriver(bool (*isSought)(const void *function));
/// Says a finding and counts it: the text once, however often it comes.
void found(const std::string &text);
/// Whether findings are wanted: GRAPHPROF_CHECK.
bool findingsWanted() noexcept;

} // namespace graphprof::internal

#endif // GRAPHPROF_CALLS_CALLPLACE_H
