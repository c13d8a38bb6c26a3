// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "facts/GraphFunctions.h"

#include <algorithm>
#include <string_view>

#include "graphprof/detail/known_calls.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace graphprof::instrument {
namespace {

/// A listed function, and what its wrapper does (graphprof/detail/call_forms.h).
struct Call {
  llvm::StringLiteral Name;
  std::string_view Form;
};
constexpr Call Calls[] = {
#define GRAPHPROF_RUNTIME(name, form, ...) {#name, #form},
#define GRAPHPROF_DRIVER(name, form, ...) {#name, #form},
#include "graphprof/detail/calls.def"
};
constexpr Call GraphCalls[] = {
#define GRAPHPROF_WITHOUT_ALLOCATIONS
#define GRAPHPROF_RUNTIME(name, form, ...) {#name, #form},
#define GRAPHPROF_DRIVER(name, form, ...) {#name, #form},
#include "graphprof/detail/calls.def"
#undef GRAPHPROF_WITHOUT_ALLOCATIONS
};

/// The forms that only create something from a graph, or use it. All others change graphs.
constexpr std::string_view Uses[] = {"BeginsCapture",     "EndsCapture",
                                     "BeginsCommandList", "ReleasesDevice",
                                     "DestroysContext",   "DestroysGreenContext",
                                     "EndsCommandList",   "Waits",
                                     "Instantiates",      "InstantiatesWithParams",
                                     "Launches",          "Uploads",
                                     "Creates",           "Clones",
                                     "StartsProfiler",    "StopsProfiler",
                                     "ListsNodes",        "ListsRoots",
                                     "ListsEdges",        "ListsBefore",
                                     "ListsBehind"};
static_assert(std::ranges::all_of(Uses, [](std::string_view Form) {
  return std::ranges::any_of(GraphCalls, [Form](const Call &Each) { return Each.Form == Form; });
}));

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

using Names = llvm::SmallVector<llvm::StringLiteral>;

/// In alphabetical order, without those of `Left`.
Names namesOf(llvm::ArrayRef<Call> List, llvm::ArrayRef<Call> Left = {}) {
  Names Result;
  for (const Call &Each : List)
    if (llvm::none_of(Left, [&](const Call &Other) { return Other.Name == Each.Name; }))
      Result.push_back(Each.Name);
  llvm::sort(Result);
  return Result;
}

/// What the wrapper of a listed function of graphs does.
std::string_view formOf(llvm::StringRef Name) {
  return llvm::find_if(GraphCalls, [&](const Call &Each) { return Each.Name == Name; })->Form;
}

llvm::StringRef listedIn(llvm::ArrayRef<llvm::StringLiteral> List, llvm::StringRef DeclaredName) {
  if (!DeclaredName.starts_with("cu"))
    return {};
  DeclaredName = detail::withoutVersion(DeclaredName);
  const auto *const Found = llvm::lower_bound(List, DeclaredName);
  return Found != List.end() && *Found == DeclaredName ? llvm::StringRef(*Found)
                                                       : llvm::StringRef();
}

} // namespace

llvm::ArrayRef<llvm::StringLiteral> graphFunctions() {
  static const Names Sorted = namesOf(GraphCalls);
  return Sorted;
}
llvm::ArrayRef<llvm::StringLiteral> memoryFunctions() {
  static const Names Sorted = [] {
    Names All = namesOf(Calls, GraphCalls);
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
  return !Listed.empty() && !llvm::is_contained(Uses, formOf(Listed));
}

bool isUnknownOfGraphs(llvm::StringRef DeclaredName) {
  return detail::mayChangeGraphs(DeclaredName) && listedFunction(DeclaredName).empty();
}

llvm::StringRef mentionedChange(llvm::StringRef Text) {
  const auto IsOfWord = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  const std::string_view All = Text; // its find is several times as fast as StringRef's
  for (size_t At = All.find("cu"); At != All.npos; At = All.find("cu", At + 1)) {
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
         (!Listed.empty() && (formOf(Listed) == "Waits" || formOf(Listed).starts_with("Lists")));
}

} // namespace graphprof::instrument
