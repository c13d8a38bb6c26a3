// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/CallPlaces.h"

#include "facts/GraphFunctions.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

/// Whether an annotation says that the reference stays.
bool isIgnored(const Reference &Each) {
  const Facts &Found = Each.In->Known;
  for (size_t I = 0; I < Found.Annotations.size(); ++I)
    if (Found.Annotations[I].Kind == AnnotationKind::Ignore &&
        Found.Constructs[I].Text.contains(Each.Text.Begin))
      return true;
  return false;
}

} // namespace

bool CallPlaces::isForBoth(const Group &Place) {
  bool Host = false, Device = false, Both = false;
  for (const Reference &Each : Place) {
    Host |= Each.By == Reference::Host;
    Device |= Each.By == Reference::Device;
    Both |= Each.By == Reference::Both;
  }
  return Both || (Host && Device);
}

bool CallPlaces::isRedirected(const Group &Place) {
  return !isForBoth(Place) && Place.front().By == Reference::Host &&
         llvm::none_of(Place, [](const Reference &Each) { return Each.Stays || Each.MayBeNull; });
}

std::string CallPlaces::wrapper(const Reference &Each) const {
  return wrapperOf(Each.Name, Each.Token, !Language.CPlusPlus);
}

/// A name that reaches a redirected parameter must get there as it is, so its spelling stays, and
/// all parameters that it reaches are redirected.
void CallPlaces::findParameters() {
  for (const auto &[Written, Place] : Places) {
    if (Known.AsText.contains(spotOf(Written)) ||
        llvm::any_of(Place, [](const Reference &Each) { return Each.Qualified; }))
      Careful.insert(spotOf(Written));
    if (!isRedirected(Place) || llvm::any_of(Place, isIgnored))
      for (const Reference &Each : Place)
        if (const auto At = Macros.parameterAt(Each.At, Each.Qualified).At; At.isValid())
          Blocked.insert(spotOf(At));
  }
  for (bool Grew = !Careful.empty(); Grew;) {
    const size_t Before = Careful.size() + Named.size();
    for (const auto &[Written, Place] : Places) {
      if (!isRedirected(Place) || llvm::any_of(Place, isIgnored))
        continue;
      for (const Reference &Each : Place) {
        if (isNamedBefore(Each.At))
          Careful.insert(spotOf(Written));
        const SourceLocation At = Macros.parameterAt(Each.At, Each.Qualified).At;
        if (At.isInvalid() || Blocked.contains(spotOf(At)))
          continue;
        if (Careful.contains(spotOf(Written)))
          Named.insert(spotOf(At));
        else if (Named.contains(spotOf(At)))
          Careful.insert(spotOf(Written));
      }
    }
    Grew = Careful.size() + Named.size() > Before;
  }
}

/// Whether all references of a spelling that must stay can be redirected.
bool CallPlaces::redirectInMacros(const Group &Place) {
  bool All = true;
  for (const Reference &Each : Place) {
    const auto Parameter = Macros.parameterAt(Each.At, Each.Qualified);
    if (Parameter.At.isValid() && Named.contains(spotOf(Parameter.At)) && !isNamedBefore(Each.At)) {
      const llvm::StringRef Spelled = Parameter.In->Source.text().slice(
          Parsed.sources().getFileOffset(Parameter.At), Parameter.Text.End);
      Parameter.In->Known.Calls.push_back(
          {Parameter.Text, Each.Name, Each.Token,
           ((Parameter.Global ? "GRAPHPROF_NAMED_GLOBALLY(" : "GRAPHPROF_NAMED(") + Spelled + ")")
               .str()});
    } else if (const auto Use = Macros.useAt(Each.At); Use.At.isValid()) {
      WrittenOut[Use.At] = Use;
    } else {
      All = false;
    }
  }
  return All;
}

void CallPlaces::decide(llvm::function_ref<void(const Reference &, llvm::StringRef)> Left) {
  findParameters();
  for (const auto &[Written, Place] : Places) {
    const Reference &First = Place.front();
    if (isForBoth(Place))
      Left(First, "host and device code share it here; call it from host code");
    else if (llvm::any_of(Place, [](const Reference &Each) { return Each.MayBeNull; }) &&
             !llvm::any_of(Place, isIgnored))
      Left(First, "it is weak, so its address may be null, and graphprof's is not; call it where "
                  "it is tested, without taking its address");
    else if (isRedirected(Place) && Careful.contains(spotOf(Written)) &&
             !llvm::any_of(Place, isIgnored) && !redirectInMacros(Place))
      Left(First, "a macro also turns its name into text or pastes it; call it outside that macro");
  }

  // A use that is written out holds all that is redirected in it.
  std::map<SourceLocation, Group> InUse;
  for (const auto &[Written, Place] : Places) {
    if (!isRedirected(Place))
      continue;
    const SourceManager &Sources = Parsed.sources();
    const llvm::StringRef Name = Place.front().Name;
    if ((Name.starts_with("cudaGraphAdd") || Name.starts_with("cuGraphAdd")) &&
        Name.contains("Node"))
      Place.front().In->Known.NodesAdded.push_back(Place.front().Text.Begin);
    bool Inside = false;
    const bool Ignored = llvm::any_of(Place, isIgnored);
    for (const Reference &Each : Place)
      if (const auto Use = WrittenOut.find(Sources.getExpansionLoc(Each.At));
          Use != WrittenOut.end()) {
        if (!Ignored)
          InUse[Use->first].push_back(Each);
        Inside |= Use->second.In == Each.In && Use->second.Text.contains(Each.Text.Begin);
      }
    if (!Inside && (!Careful.contains(spotOf(Written)) || Ignored))
      Place.front().In->Known.Calls.push_back({Place.front().Text, Place.front().Name, {}, {}});
  }
  for (const auto &[At, Group] : InUse) {
    llvm::DenseMap<SourceLocation, std::string> Replaced;
    for (const Reference &Each : Group)
      Replaced[Each.At] = wrapper(Each);
    const MacroNames::Use &Use = WrittenOut.find(At)->second;
    const std::string Text = Macros.writtenOut(Use, Replaced);
    for (const Reference &Each : Group)
      Use.In->Known.Calls.push_back({Use.Text, Each.Name, Each.Token, Text});
  }
  for (const auto &File : Parsed.files())
    File->Known.putCallsInOrder();
}

} // namespace graphprof::instrument
