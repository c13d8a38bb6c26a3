// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Builds the text of guards, and checks the text around the place of a guard.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_FACTS_GUARDTEXT_H
#define GRAPHPROF_TOOL_INSTRUMENT_FACTS_GUARDTEXT_H

#include "facts/Facts.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphprof::instrument {

/// Escapes a region's name so that, as a format, it prints the name.
std::string asFormat(llvm::StringRef Name);

/// A string literal with this value.
std::string literal(llvm::StringRef Value);

/// The values of a guard, each behind a comma: first those of its name, then those with keys.
std::string guardValues(const Annotation &Note, llvm::StringRef Without);

/// The guard that names graphs.
std::string graphGuard(const Annotation &Note, unsigned Id);

/// Whether every #if in the text has its #endif in the text. Otherwise braces around the text would
/// not match where the condition differs, for example in the device pass.
bool closesItsConditionals(llvm::StringRef Text);

/// Whether the text between an annotation and its statement holds more than attributes and
/// comments: a directive such as `#pragma unroll`, or a macro, which may stand for one. Such a
/// pragma belongs to the statement, so a brace goes before it. `BeginsInList`: the text begins
/// inside `[[...]]`.
bool holdsMoreThanAttributes(llvm::StringRef Between, bool BeginsInList);

/// The directive that contains this byte, with its continuation lines; empty if there is none.
llvm::StringRef directiveAt(llvm::StringRef Text, size_t At);

/// Whether a value consists of literals only, so that it means the same everywhere.
bool isLiteral(llvm::StringRef Value);

} // namespace graphprof::instrument

#endif
