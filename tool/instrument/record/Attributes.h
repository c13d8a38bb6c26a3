// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reads `[[graphprof::...]]` and its arguments from the tokens that the parser saw.
//
// Clang drops attributes that it does not know from the AST, and a registered attribute could
// neither take `key = value` nor name a function's parameters. So the annotations are found in the
// tokens; what each of them stands on is for Constructs to say, and whether that is allowed for
// Plan.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_ATTRIBUTES_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_ATTRIBUTES_H

#include "source/Unit.h"

#include "clang/Lex/Preprocessor.h"

namespace graphprof::instrument {

/// Adds the annotations of the unit's files, with the expanded token behind each, which is where
/// its construct begins, and a finding for each that cannot be read. Returns the first token of
/// each annotation in a project's header that is not among these files.
std::vector<clang::SourceLocation> recordAnnotations(Unit &Parsed,
                                                     const clang::Preprocessor &Preprocessor);

} // namespace graphprof::instrument

#endif
