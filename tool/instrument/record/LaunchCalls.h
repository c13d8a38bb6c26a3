// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What one call says about GPU work: whether it launches a kernel, which kernel, and on which
// stream. Knows nothing of the places of calls.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_LAUNCHCALLS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_LAUNCHCALLS_H

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace graphprof::instrument {

/// The operands of a launch, by `<<<>>>` or by one of CUDA's functions.
struct LaunchCall {
  const clang::Expr *Kernel = nullptr;
  const clang::Expr *Stream = nullptr; ///< null if the launch omits it
  /// If Stream is a launch configuration or its address: the member that is the stream.
  llvm::StringRef Member;
};

/// Nothing if the call is not a launch. A call in a template counts if one of its candidates is one
/// of CUDA's functions.
std::optional<LaunchCall> asLaunch(const clang::CallExpr *Call,
                                   const clang::SourceManager &Sources);

/// Whether a call gives work to a stream. CUDA's own functions only, for example `cudaMemcpyAsync`.
bool givesWork(const clang::CallExpr *Call, const clang::SourceManager &Sources);

/// Whether a call is one of CUDA's own functions, launches included.
bool callsCuda(const clang::CallExpr *Call, const clang::SourceManager &Sources);

/// The initializer of a variable that does not change afterwards; otherwise null.
const clang::Expr *lastingValue(const clang::VarDecl *Variable);

/// A launched kernel, as far as the launch identifies it.
struct KernelName {
  std::string Shown;     ///< with template arguments as written: `scale<float>`; may be empty
  std::string Qualified; ///< `math::scale`; as Shown where no function is found
  /// The candidates, also through a variable that lastingValue resolves.
  llvm::SmallVector<const clang::FunctionDecl *, 1> Functions;
  const clang::Expr *Written = nullptr; ///< without casts and address operators
};

KernelName kernelName(const clang::Expr *Kernel, const clang::SourceManager &Sources);

} // namespace graphprof::instrument

#endif
