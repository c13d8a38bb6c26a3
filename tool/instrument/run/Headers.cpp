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

std::optional<FileResult> Headers::rewrite(const std::string &Real, const Header &Merged) const {
  const Facts &Known = Merged.Known;
  FileResult Done;
  Done.IsHeader = true;
  Done.Name = nameOf(Real);
  Done.Source = Done.Real = Done.Output = Real;
  Done.Before = Merged.Text;
  Done.ChangesGraphs = Known.changesGraphs();
  if (Merged.Failed)
    return Done;
  if (isInC(Real)) {
    // If it were rewritten, the C unit would see names with a namespace, or the C++ units names
    // that they do not include.
    if (Known.Annotations.empty() &&
        llvm::all_of(Known.Calls, [](const GraphCall &Each) { return mayStay(Each.Name); }))
      return std::nullopt;
    Done.fail(Done.Name + ": a C source includes this header, so it is not rewritten" +
              (Done.ChangesGraphs ? ", and graphprof does not see how its calls change graphs: "
                                    "results may change"
                                  : "") +
              "; instrument that source in a run of its own");
    return Done;
  }
  Plan Made = makePlan(withoutUnused(Known), Merged.Text);
  if (Made.Edits.empty())
    return std::nullopt;
  auto Edited = applyEdits(Merged.Text, Made.Edits);
  if (!Edited) {
    Done.fail(Done.Name + ": " + llvm::toString(Edited.takeError()));
    return Done;
  }
  std::vector<Finding> OfAll = Known.OfMerge;
  llvm::copy_if(Made.Findings, std::back_inserter(OfAll), [](const Finding &Each) {
    return llvm::StringRef(Each.Message).ends_with(MadeNowhere);
  });
  for (const Finding &Each : OfAll)
    Done.Diagnoses.push_back(Diagnosis::ofTool(
        Severity::Warning,
        Done.Name + ":" +
            std::to_string(1 + llvm::StringRef(Merged.Text).take_front(Each.At).count('\n')) +
            ": " + Each.Message));
  Done.Warnings = static_cast<unsigned>(OfAll.size());
  Done.Status = FileStatus::Instrumented;
  Done.After = std::move(*Edited);
  Done.Made = std::move(Made);
  return Done;
}

std::map<std::string, FileResult> Headers::rewrite() const {
  std::map<std::string, FileResult> Result;
  for (const auto &[Real, Merged] : Found)
    if (auto Done = rewrite(Real, Merged))
      Result.emplace(Real, std::move(*Done));
  return Result;
}

} // namespace graphprof::instrument
