// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What one call says about the work that it gives to the GPU: whether it launches a kernel, which
// one, and where it names the stream. Knows nothing of the places that calls stand in.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_LAUNCHCALLS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_LAUNCHCALLS_H

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace graphprof::instrument {

/// The operands of a launch, by `<<<>>>` or by a function of CUDA's.
struct LaunchCall {
  const clang::Expr *Kernel = nullptr;
  const clang::Expr *Stream = nullptr; ///< null where the launch leaves it out
  /// Where Stream is (the address of) a launch configuration: the member of it that is the stream.
  llvm::StringRef Member;
};

/// Nothing where the call is no launch. A call in a template counts if one of the functions that it
/// may mean is one of CUDA's.
std::optional<LaunchCall> asLaunch(const clang::CallExpr *Call,
                                   const clang::SourceManager &Sources);

/// Whether a call gives work to a stream: CUDA's own calls only, `cudaMemcpyAsync` say.
bool givesWork(const clang::CallExpr *Call, const clang::SourceManager &Sources);

/// Whether a call is one of CUDA's own functions, launches included.
bool callsCuda(const clang::CallExpr *Call, const clang::SourceManager &Sources);

/// What a variable holds wherever it is read: its initializer, if nothing changes it after that;
/// else null.
const clang::Expr *lastingValue(const clang::VarDecl *Variable);

/// A launched kernel, as far as the launch shows it.
struct KernelName {
  std::string Shown;     ///< with template arguments as written: `scale<float>`; may be empty
  std::string Qualified; ///< `math::scale`; as Shown where no function is found
  /// Those that it may be, also through a variable that lastingValue knows.
  llvm::SmallVector<const clang::FunctionDecl *, 1> Functions;
  const clang::Expr *Written = nullptr; ///< without casts and address operators
};

KernelName kernelName(const clang::Expr *Kernel, const clang::SourceManager &Sources);

} // namespace graphprof::instrument

#endif
