// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// `kernel<<<grid, block>> >(x)`: older versions of clang-format write launches like this, and nvcc
// accepts it, but clang does not. Nor does clang know braces as an argument between the brackets,
// `kernel<<<grid, {32, 8}>>>(x)`.
//
// The parser is shown files with the brackets joined, `>>> ` for `>> >`, and with parentheses for
// such braces, whose value does not matter here: the text is as long as before, so that every place
// in it stays what it was. What is edited is the file's own text.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_LAUNCHBRACKETS_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_LAUNCHBRACKETS_H

#include "llvm/Support/VirtualFileSystem.h"

#include <optional>
#include <string>

namespace graphprof::instrument {

/// The text with the brackets of launches joined and without braces between them; nothing where
/// it is that already. Comments and literals stay. `A<B<C<int>> >` is joined too: clang takes `>>>`
/// apart again where templates end.
std::optional<std::string> joinLaunchBrackets(llvm::StringRef Text);

/// The files of another file system, as the parser is to see them.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withJoinedLaunchBrackets(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

} // namespace graphprof::instrument

#endif
