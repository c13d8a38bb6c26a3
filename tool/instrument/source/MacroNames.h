// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What macros do with the names that a program spells. A name may be redirected where it is spelled
// only if no macro turns that spelling into text or pastes it onto another token: text and pasted
// names are the program's own. Otherwise it is redirected where it reaches the code:
//
//   - in the macro's body, where a parameter stands for code that begins with the name
//   - or the use of the macro is written out
//
// The preprocessor reports what it does with arguments while it runs; the rest is asked once the
// unit is parsed.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_MACRONAMES_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_MACRONAMES_H

#include "source/Unit.h"

#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <memory>
#include <string>

namespace graphprof::instrument {

/// A place in a file, the same each time the file is included.
using Spot = std::pair<const clang::FileEntry *, unsigned>;
Spot spotOf(const clang::SourceManager &Sources, clang::SourceLocation Spelling);

/// Filled by recordSpellings().
struct Spellings {
  /// Where a name of CUDA's is spelled that some macro turns into text or pastes.
  llvm::DenseSet<Spot> AsText;
  /// Uses of macros, outermost or in the arguments of one, whose expansion cannot be written out:
  /// with `__COUNTER__`, a macro of graphprof's, or a `_Pragma` of a text that another macro makes.
  llvm::DenseSet<clang::SourceLocation> Fragile;
  struct Pragma {
    size_t Before = 0; ///< the index of the token of the unit that follows
    std::string Text;  ///< `_Pragma("...")`
  };
  /// By the outermost use of a macro that they are in; in order.
  std::map<clang::SourceLocation, std::vector<Pragma>> Pragmas;
};

std::unique_ptr<clang::PPCallbacks> recordSpellings(const clang::Preprocessor &PP,
                                                    const UnitTokens &Tokens, Spellings &Into);

class MacroNames {
public:
  MacroNames(const Unit &Parsed, const clang::LangOptions &Language, const Spellings &Known)
      : Parsed(Parsed), Sources(Parsed.sources()), Language(Language), Known(Known) {}

  /// A parameter in a macro's body.
  struct Parameter {
    clang::SourceLocation At; ///< invalid: none
    Unit::File *In = nullptr;
    TextRange Text; ///< with `::` in front, if Global
    bool Global = false;
  };

  /// The parameter that stands for the code which begins with this token. None if there is no such
  /// parameter, its macro is in a file that is not rewritten, or it stands in some use for code
  /// that begins with something else than a word. `Qualified`: the name has a qualifier, of which
  /// the body must spell all, a `::`.
  [[nodiscard]] Parameter parameterAt(clang::SourceLocation Token, bool Qualified);

  /// The parameters, in the text of their macros, through which a token came to where parameterAt()
  /// is asked for.
  [[nodiscard]] llvm::SmallVector<clang::SourceLocation, 2>
  parametersBefore(clang::SourceLocation Token) const;

  /// A whole use of a macro, outside all others.
  struct Use {
    clang::SourceLocation At; ///< invalid: none
    Unit::File *In = nullptr;
    TextRange Text;
  };
  /// The use whose expansion holds this token, if it can be written out.
  [[nodiscard]] Use useAt(clang::SourceLocation Token);

  /// The expansion of a use on one line, with some names, and their qualifiers, replaced.
  [[nodiscard]] std::string
  writtenOut(const Use &What, const llvm::DenseMap<clang::SourceLocation, std::string> &Replaced);

private:
  void indexArguments();
  [[nodiscard]] bool holdsMore(const Use &What);
  [[nodiscard]] std::string builtin(clang::SourceLocation Token) const;
  [[nodiscard]] std::pair<size_t, size_t> tokensOf(clang::SourceLocation Use);

  const Unit &Parsed;
  const clang::SourceManager &Sources;
  const clang::LangOptions &Language;
  const Spellings &Known;
  bool Indexed = false;
  /// The first token that a parameter stands for, by the parameter in one expansion of its macro.
  llvm::DenseMap<clang::SourceLocation, clang::SourceLocation> First;
  /// The tokens of the unit that a use of a macro became, by where it begins: the first, and the
  /// one behind.
  llvm::DenseMap<clang::SourceLocation, std::pair<size_t, size_t>> Expansions;
  /// Parameters, in the text of their macro, that stand for something that begins with no word.
  llvm::DenseSet<clang::SourceLocation> Other;
};

} // namespace graphprof::instrument

#endif
