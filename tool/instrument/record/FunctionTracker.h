// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A walk over the AST that tracks the functions around the current node.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_FUNCTIONTRACKER_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_FUNCTIONTRACKER_H

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/SmallVector.h"

namespace graphprof::instrument {

/// Whether the source marks a function for the device. Attributes that clang adds to lambdas and
/// constexpr functions do not count.
template <class Attribute> bool isWritten(const clang::FunctionDecl *Function) {
  const auto *Found = Function->getAttr<Attribute>();
  return Found && !Found->isImplicit();
}

inline bool isLambdasOperator(const clang::FunctionDecl *Function) {
  const auto *Method = llvm::dyn_cast<clang::CXXMethodDecl>(Function);
  return Method && Method->getParent()->isLambda();
}

template <class Derived> class FunctionTracker : public clang::RecursiveASTVisitor<Derived> {
  using Base = clang::RecursiveASTVisitor<Derived>;

public:
  bool TraverseDecl(clang::Decl *D) {
    const auto *Function = llvm::dyn_cast_or_null<clang::FunctionDecl>(D);
    if (!Function)
      return Base::TraverseDecl(D);
    Functions.push_back(Function);
    const bool GoOn = Base::TraverseDecl(D);
    Functions.pop_back();
    return GoOn;
  }

  bool TraverseLambdaExpr(clang::LambdaExpr *Lambda) {
    Functions.push_back(Lambda->getCallOperator());
    const bool GoOn = Base::TraverseLambdaExpr(Lambda);
    Functions.pop_back();
    return GoOn;
  }

protected:
  /// The functions around the current node, outermost first. A lambda is its call operator.
  [[nodiscard]] llvm::ArrayRef<const clang::FunctionDecl *> functions() const { return Functions; }

  [[nodiscard]] bool inKernel() const {
    return llvm::any_of(Functions, isWritten<clang::CUDAGlobalAttr>);
  }

  /// Whether the current node is device code. `__host__ __device__` functions count only if Shared
  /// is true.
  [[nodiscard]] bool inDeviceCode(bool Shared) const {
    return inKernel() || llvm::any_of(Functions, [=](const clang::FunctionDecl *Function) {
             return isWritten<clang::CUDADeviceAttr>(Function) &&
                    (Shared || !isWritten<clang::CUDAHostAttr>(Function));
           });
  }

private:
  friend Derived;
  FunctionTracker() = default;

  llvm::SmallVector<const clang::FunctionDecl *> Functions;
};

} // namespace graphprof::instrument

#endif
