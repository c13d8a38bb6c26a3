// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "facts/GraphFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace graphprof::instrument {
namespace {

/// What the wrapper of a call does. The values are the forms of graphprof/detail/call_forms.h.
enum class Form : unsigned char {
  BeginsCapture,
  BeginsCaptureIntoGraph,
  EndsCapture,
  Waits,
  Instantiates,
  InstantiatesWithParams,
  Launches,
  Uploads,
  Updates,
  DestroysExec,
  ResetsDevice,
  StartsProfiler,
  StopsProfiler,
  Mirrors,
  MirrorsKernel,
  MirrorsChild,
  MirrorsNode,
  MirrorsSwitch,
  Creates,
  Clones,
  DestroysGraph,
  Adds,
  AddsChild,
  AddsAllocation,
  AddsFree,
  AddsNode,
  Edits,
  DestroysNode,
  Changes,
  ChangesNode,
  // For memory
  AllocatesOnDevice,
  AllocatesRows,
  AllocatesExtent,
  AllocatesManaged,
  AllocatesOnHost,
  AllocatesFromPool,
  CreatesMappable,
  RetainsMappable,
  Maps,
  Unmaps,
  Releases,
  Frees,
};

constexpr bool isOfMemory(Form Does) { return Does >= Form::AllocatesOnDevice; }

/// All forms except those that create something from a graph, or use it.
constexpr bool changesGraphs(Form Does) {
  switch (Does) {
  case Form::BeginsCapture:
  case Form::EndsCapture:
  case Form::Waits:
  case Form::Instantiates:
  case Form::InstantiatesWithParams:
  case Form::Launches:
  case Form::Uploads:
  case Form::Creates:
  case Form::Clones:
  case Form::StartsProfiler:
  case Form::StopsProfiler:
    return false;
  default:
    return !isOfMemory(Does);
  }
}

struct Call {
  llvm::StringLiteral Name;
  Form Does;
};
constexpr Call Calls[] = {
#define GRAPHPROF_RUNTIME(name, form, ...) {#name, Form::form},
#define GRAPHPROF_DRIVER(name, form, ...) {#name, Form::form},
#include "graphprof/detail/calls.def"
};

constexpr llvm::StringLiteral WithEdgeData[] = {
#define GRAPHPROF_RUNTIME_EDGES(name, ...) #name,
#define GRAPHPROF_DRIVER_EDGES(name, ...) #name,
#include "graphprof/detail/calls.def"
};

constexpr llvm::StringLiteral WithOverloads[] = {
#define GRAPHPROF_RUNTIME_CXX(name, ...) #name,
#define GRAPHPROF_RUNTIME_OVERLOAD(name, ...) #name,
#include "graphprof/detail/calls.def"
};

constexpr llvm::StringLiteral Copies[] = {
#define GRAPHPROF_EACH_VERSION
#define GRAPHPROF_RUNTIME_COPY(name, ...) #name,
#define GRAPHPROF_DRIVER_COPY(name, ...) #name,
#include "graphprof/detail/copies.def"
#undef GRAPHPROF_EACH_VERSION
};

constexpr llvm::StringLiteral Suffixes[] = {"_ptsz", "_ptds", "_v2", "_v3"};

using Names = llvm::SmallVector<llvm::StringLiteral>;

/// In alphabetical order.
Names namesOf(llvm::function_ref<bool(Form)> IsAsked) {
  Names Result;
  for (const Call &Each : Calls)
    if (IsAsked(Each.Does))
      Result.push_back(Each.Name);
  llvm::sort(Result);
  return Result;
}

/// The form of a listed function.
Form formOf(llvm::StringRef Name) {
  return llvm::find_if(Calls, [&](const Call &Each) { return Each.Name == Name; })->Does;
}

llvm::StringRef listedIn(llvm::ArrayRef<llvm::StringLiteral> List, llvm::StringRef DeclaredName) {
  if (!DeclaredName.starts_with("cu"))
    return {};
  // There may be two suffixes: cuStreamBeginCapture_v2_ptsz.
  bool Cut = true;
  while (Cut)
    Cut = llvm::any_of(Suffixes,
                       [&](llvm::StringRef Suffix) { return DeclaredName.consume_back(Suffix); });
  const auto *const Found = llvm::lower_bound(List, DeclaredName);
  return Found != List.end() && *Found == DeclaredName ? llvm::StringRef(*Found)
                                                       : llvm::StringRef();
}

} // namespace

llvm::ArrayRef<llvm::StringLiteral> graphFunctions() {
  static const Names Sorted = namesOf([](Form Does) { return !isOfMemory(Does); });
  return Sorted;
}
llvm::ArrayRef<llvm::StringLiteral> memoryFunctions() {
  static const Names Sorted = [] {
    Names All = namesOf(isOfMemory);
    All.append(std::begin(Copies), std::end(Copies));
    llvm::sort(All);
    return All;
  }();
  return Sorted;
}

unsigned sinceToolkit(llvm::StringRef Name) { return Name.contains("MemcpyBatch") ? 12080 : 0; }

bool hasFormWithEdgeData(llvm::StringRef Name) { return llvm::is_contained(WithEdgeData, Name); }

std::string wrapperOf(llvm::StringRef Name, llvm::StringRef Written, bool InC) {
  const bool WithEdges = InC && Written.ends_with("_v2") && hasFormWithEdgeData(Name);
  return ((InC ? "graphprof_" : "::graphprof::cuda::") + Name + (WithEdges ? "_v2" : "")).str();
}

bool hasOverloads(llvm::StringRef Name) {
  const bool IsCopy = Name.starts_with("cudaMemcpy");
  return llvm::is_contained(WithOverloads, Name) || hasFormWithEdgeData(Name) ||
         (IsCopy && (Name.contains("Symbol") || Name.contains("Batch")));
}

bool changesGraphs(llvm::StringRef Name) {
  const llvm::StringRef Listed = listedFunction(Name);
  return !Listed.empty() && changesGraphs(formOf(Listed));
}

llvm::StringRef mentionedChange(llvm::StringRef Text) {
  const auto IsOfWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  for (size_t At = Text.find("cu"); At != llvm::StringRef::npos; At = Text.find("cu", At + 1)) {
    if (At > 0 && IsOfWord(Text[At - 1]))
      continue;
    const llvm::StringRef Word = Text.drop_front(At).take_while(IsOfWord);
    if (changesGraphs(listedFunction(Word)))
      return Word;
  }
  return {};
}

llvm::StringRef listedFunction(llvm::StringRef DeclaredName) {
  return listedIn(graphFunctions(), DeclaredName);
}
llvm::StringRef listedMemoryFunction(llvm::StringRef DeclaredName) {
  return listedIn(memoryFunctions(), DeclaredName);
}
bool mayStay(llvm::StringRef DeclaredName) {
  const llvm::StringRef Listed = listedFunction(DeclaredName);
  return !listedMemoryFunction(DeclaredName).empty() ||
         (!Listed.empty() && formOf(Listed) == Form::Waits);
}

} // namespace graphprof::instrument
