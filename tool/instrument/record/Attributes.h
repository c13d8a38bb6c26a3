// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reads `[[graphprof::...]]` and its arguments from the expanded tokens.
//
// Clang drops unknown attributes from the AST, and a registered attribute could neither take `key =
// value` nor name a function's parameters. So annotations are found in the tokens. Constructs then
// finds what each one applies to, and Plan decides whether that is allowed.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_ATTRIBUTES_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_ATTRIBUTES_H

#include "source/Unit.h"

#include "clang/Lex/Preprocessor.h"

namespace graphprof::instrument {

/// Adds the annotations of the unit's files, each with the expanded token behind it, where its
/// construct begins. Adds a finding for each annotation that cannot be read. Returns the first
/// token of each annotation in project headers outside these files.
std::vector<clang::SourceLocation> recordAnnotations(Unit &Parsed,
                                                     const clang::Preprocessor &Preprocessor);

} // namespace graphprof::instrument

#endif
