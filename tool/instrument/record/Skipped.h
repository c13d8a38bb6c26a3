// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds annotations that an #if leaves out. The tool parses the host's side, so it does not see a
// kernel's code for which __CUDA_ARCH__ decides, though nvcc compiles it.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_SKIPPED_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_SKIPPED_H

#include "source/Unit.h"

#include "clang/Lex/Preprocessor.h"

#include <memory>
#include <vector>

namespace graphprof::instrument {

/// Adds the first annotation of each part to `Into` that an #if leaves out here and may keep on the
/// device's side: it depends on __CUDA_ARCH__, or on a macro that does.
std::unique_ptr<clang::PPCallbacks> findSkipped(const clang::Preprocessor &PP,
                                                std::vector<clang::SourceLocation> &Into);

/// Warns of those that are in kernels and device functions.
void recordSkipped(const Unit &Parsed, clang::ASTContext &Context,
                   llvm::ArrayRef<clang::SourceLocation> Skipped);

} // namespace graphprof::instrument

#endif
