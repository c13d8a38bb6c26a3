// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// `kernel<<<grid, block>> >(x)`: older versions of clang-format write launches like this, and nvcc
// accepts it, but clang does not. Clang also rejects braces as an argument between the brackets,
// `kernel<<<grid, {32, 8}>>>(x)`.
//
// The parser sees files in which the brackets are joined (`>>> ` for `>> >`) and parentheses
// replace such braces. The values of the arguments do not matter here. The text keeps its length,
// so offsets stay valid. Edits apply to the file's own text.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_LAUNCHBRACKETS_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_LAUNCHBRACKETS_H

#include "llvm/Support/VirtualFileSystem.h"

#include <optional>
#include <string>

namespace graphprof::instrument {

/// The text with joined launch brackets and without braces between them; nothing if it needs no
/// change. Comments and literals stay. `A<B<C<int>> >` is joined too, because clang splits `>>>`
/// where templates end.
std::optional<std::string> joinLaunchBrackets(llvm::StringRef Text);

/// The text with joined launch brackets and `dim3` in front of such braces: means what nvcc makes
/// of it. Nothing if it needs no change. Its length differs.
std::optional<std::string> launchesForClang(llvm::StringRef Text);

/// A view of another file system for the parser, in which offsets are the files' own.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withJoinedLaunchBrackets(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

/// The same for a compiler, in which the launches are what they are for nvcc.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withLaunchesForClang(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace graphprof::instrument

#endif
