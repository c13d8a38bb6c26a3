// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/Headers.h"

#include "facts/GraphFunctions.h"
#include "plan/Plan.h"

#include "llvm/ADT/STLExtras.h"

#include <iterator>

namespace graphprof::instrument {

void Headers::add(Outcome &Unit) {
  Includes.merge(std::move(Unit.Includes));
  for (ChosenHeader &Each : Unit.Headers) {
    // A file with several names is rewritten under one of them.
    const auto InGraph = Includes.Files.find(Each.Path);
    const std::string Real = InGraph == Includes.Files.end() ? Each.Path : InGraph->second.Real;
    const auto [At, New] = Found.try_emplace(Real, Header{std::move(Each.Text), {}, false});
    At->second.Known.merge(std::move(Each.Known));
    At->second.Failed |= Each.Failed;
  }
  Unit.Headers.clear();
}

/// The first of several paths of a file, as in Mirror.
std::string Headers::nameOf(const std::string &Real) const {
  llvm::StringRef First;
  for (const auto &Each : Includes.Files)
    if (Each.second.Real == Real && (First.empty() || Each.getKey() < First))
      First = Each.getKey();
  return First.empty() ? Real : Includes.Files.find(First)->second.Name;
}

bool Headers::isInC(const std::string &Real) const {
  return llvm::any_of(Includes.Files, [&](const auto &Each) {
    return Each.second.Real == Real && Each.second.InC;
  });
}

namespace {

constexpr llvm::StringLiteral MadeNowhere = "it is a template of which no source makes a kernel";

/// A source by itself does not know whether another one makes kernels of a header's template.
Facts withoutUnused(Facts Known) {
  for (DeviceFunction &Each : Known.Kernels)
    if (Each.IsInHeader && Each.Instances.empty() && Each.Obstacle.empty())
      Each.Obstacle = MadeNowhere.str();
  return Known;
}

} // namespace

std::map<std::string, Headers::Rewritten> Headers::rewrite() const {
  std::map<std::string, Rewritten> Result;
  for (const auto &[Path, Header] : Found) {
    Rewritten Done;
    Done.Before = Header.Text;
    Done.Name = nameOf(Path);
    Done.Failed = Header.Failed;
    Done.ChangesGraphs = Header.Known.changesGraphs();
    if (!Header.Failed && isInC(Path)) {
      // Otherwise the C unit would see names with a namespace, or the C++ units names that they do
      // not include.
      Done.Failed = !Header.Known.Annotations.empty() ||
                    llvm::any_of(Header.Known.Calls,
                                 [](const GraphCall &Each) { return !mayStay(Each.Name); });
      if (!Done.Failed)
        continue;
      Done.Problem = "a C source includes this header, so it is not rewritten";
      if (Done.ChangesGraphs)
        Done.Problem += ", and graphprof does not see how its calls change graphs: results may "
                        "change";
      Done.Problem += "; instrument that source in a run of its own";
    } else if (!Header.Failed) {
      Done.Made = makePlan(withoutUnused(Header.Known), Header.Text);
      std::vector<Finding> OfAll = Header.Known.OfMerge;
      llvm::copy_if(Done.Made.Findings, std::back_inserter(OfAll), [](const Finding &Each) {
        return llvm::StringRef(Each.Message).ends_with(MadeNowhere);
      });
      for (const Finding &Each : OfAll)
        Done.Warnings.push_back(
            std::to_string(1 + llvm::StringRef(Header.Text).take_front(Each.At).count('\n')) +
            ": " + Each.Message);
      if (Done.Made.Edits.empty())
        continue;
      auto Edited = applyEdits(Header.Text, Done.Made.Edits);
      Done.Failed = !Edited;
      if (Edited)
        Done.Text = std::move(*Edited);
      else
        Done.Problem = llvm::toString(Edited.takeError());
    }
    Result.emplace(Path, std::move(Done));
  }
  return Result;
}

} // namespace graphprof::instrument
