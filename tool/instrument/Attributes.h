// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reads `[[graphprof::...]]` and its arguments from the tokens that the parser saw.
//
// Clang drops attributes that it does not know from the AST, and a registered attribute could
// neither take `key = value` nor name a function's parameters. So the annotations are found in the
// tokens; what each of them stands on is for Constructs to say, and whether that is allowed for
// Plan.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_ATTRIBUTES_H
#define GRAPHPROF_TOOL_INSTRUMENT_ATTRIBUTES_H

#include "Facts.h"
#include "SourceText.h"

#include "clang/Lex/Preprocessor.h"

namespace graphprof::instrument {

/// Adds the main file's annotations, and a finding for each that cannot be read. Returns for each
/// annotation the expanded token behind it, which is where its construct begins.
std::vector<size_t> recordAnnotations(const SourceText &Source,
                                      const clang::Preprocessor &Preprocessor, Facts &Into);

/// The first token of each annotation in the project's headers.
std::vector<clang::SourceLocation> annotationsInHeaders(const SourceText &Source);

} // namespace graphprof::instrument

#endif
