// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is done with a unit once clang has parsed it: facts are recorded, the edits planned, and the
// outcome filled in. Runs nothing itself (Instrument.h).

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_UNITCONSUMER_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_UNITCONSUMER_H

#include "run/Instrument.h"
#include "source/Precompile.h"
#include "source/Reporter.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <memory>

namespace graphprof::instrument {

/// Which functions' bodies a parse reads. Those of the system's headers are a large part of what
/// parsing takes, with the templates that they instantiate, and hardly ever matter.
enum class Bodies {
  All,
  OfProject, ///< and of headers that are not the system's
};

/// Fills in `Result` at the end of the unit. `Before`: of the headers that came precompiled. All
/// must outlive the consumer.
std::unique_ptr<clang::ASTConsumer> consumeUnit(clang::CompilerInstance &Compiler,
                                                const Request &Asked, Bodies Read,
                                                llvm::vfs::FileSystem &Files,
                                                const HeaderFacts &Before, Reporter &Reports,
                                                Outcome &Result);

} // namespace graphprof::instrument

#endif
