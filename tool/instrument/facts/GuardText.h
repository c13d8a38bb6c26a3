// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Pieces of text that guards are made of, and what of the text around them must be known to place
// them.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_FACTS_GUARDTEXT_H
#define GRAPHPROF_TOOL_INSTRUMENT_FACTS_GUARDTEXT_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphprof::instrument {

/// A region's name as the format that prints it.
std::string asFormat(llvm::StringRef Name);

/// A string literal that has this value.
std::string literal(llvm::StringRef Value);

/// Whether every #if in the text has its #endif there. Braces around a text that lacks one would
/// not match where the condition is different, in the device's pass for example.
bool closesItsConditionals(llvm::StringRef Text);

/// The directive that holds this byte, with the lines that it is continued in; empty where none
/// does.
llvm::StringRef directiveAt(llvm::StringRef Text, size_t At);

/// Whether a value is made of literals only, so that it means the same wherever it is written.
bool isLiteral(llvm::StringRef Value);

} // namespace graphprof::instrument

#endif
