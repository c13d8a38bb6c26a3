// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides where the references to CUDA's functions are redirected: where the program spells the
// name, or, if a macro also makes text or another name of that spelling, where the name reaches the
// code (source/MacroNames.h).
//
// References are added one by one. All of them are needed to decide, because one spelling may
// become several references, and one parameter of a macro may stand for several names.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_CALLPLACES_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_CALLPLACES_H

#include "source/MacroNames.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace graphprof::instrument {

/// One reference to a listed function.
struct Reference {
  clang::SourceLocation At;      ///< the token that the parser saw
  clang::SourceLocation Written; ///< where the program spells the name
  Unit::File *In = nullptr;      ///< the file that Written is in
  TextRange Text;                ///< what Written spells, with its qualifier
  std::string Name;              ///< of the listed function
  std::string Token;             ///< as the parser saw it: perhaps with a version
  bool Qualified = false;        ///< by a qualifier that is not in Text
  bool Stays = false;            ///< redirecting it would change its meaning
  bool MayBeNull = false;        ///< the address of a weak function; graphprof's are never null
  enum { Host, Device, Both } By = Host;
};

class CallPlaces {
public:
  CallPlaces(const Unit &Parsed, const clang::LangOptions &Language, const Spellings &Known)
      : Parsed(Parsed), Language(Language), Macros(Parsed, Language, Known), Known(Known) {}

  void add(Reference Found) { Places[Found.Written].push_back(std::move(Found)); }

  /// Adds the calls to the files' facts. `Left` is told of the references to functions of graphs
  /// that are not redirected, and why.
  void decide(llvm::function_ref<void(const Reference &, llvm::StringRef Why)> Left);

private:
  using Group = std::vector<Reference>; ///< of one spelling
  [[nodiscard]] static bool isForBoth(const Group &Place);
  [[nodiscard]] static bool isRedirected(const Group &Place);
  void findParameters();
  bool redirectInMacros(const Group &Place);
  /// Whether a token passes a parameter that is to be redirected, before the last one.
  [[nodiscard]] bool isNamedBefore(clang::SourceLocation Token) const {
    return llvm::any_of(Macros.parametersBefore(Token), [this](clang::SourceLocation Each) {
      return Named.contains(spotOf(Each));
    });
  }
  [[nodiscard]] Spot spotOf(clang::SourceLocation At) const {
    return instrument::spotOf(Parsed.sources(), At);
  }
  [[nodiscard]] std::string wrapper(const Reference &Each) const;

  const Unit &Parsed;
  const clang::LangOptions &Language;
  MacroNames Macros;
  const Spellings &Known;
  std::map<clang::SourceLocation, Group> Places; ///< by where the name is spelled
  llvm::DenseSet<Spot> Careful;                  ///< spellings that must stay
  llvm::DenseSet<Spot> Blocked; ///< parameters that also stand for a name that stays
  llvm::DenseSet<Spot> Named;   ///< parameters to redirect at
  std::map<clang::SourceLocation, MacroNames::Use> WrittenOut; ///< by where the use begins
};

} // namespace graphprof::instrument

#endif
