// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds out what the values in the names of regions inside kernels are: constants, or parameters of
// the kernel. The library knows nothing else of a kernel that runs.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_DEVICEVALUES_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_DEVICEVALUES_H

#include "source/Unit.h"

#include "clang/AST/Decl.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace graphprof::instrument {

/// A kernel or device function, or a kernel that the source makes of a template.
struct MadeFunction {
  std::string Arguments; ///< as in DeviceFunction::Instances; empty: it is no template's
  const clang::FunctionDecl *Function = nullptr;
};

/// Fills in Argument::OnDevice of the positional values of all annotations inside a function.
/// `Written`: its definition. `Made`: what the source makes of it; the function itself if it is no
/// template. They are what `Known` describes.
void recordDeviceValues(Unit::File &In, const DeviceFunction &Known,
                        const clang::FunctionDecl *Written, llvm::ArrayRef<MadeFunction> Made);

} // namespace graphprof::instrument

#endif
